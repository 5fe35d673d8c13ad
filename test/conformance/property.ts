/** Random questions put to a service and to the evaluator. */

import type { Json } from '../../worker/lib/json.ts'
import { estateOf } from './estate/estate.ts'
import { evaluate } from './evaluator/evaluate.ts'
import { tablesOf, type Arrivals, type Tables } from './evaluator/tables.ts'
import { judge } from './judge.ts'
import { Draw } from './random/draw.ts'
import { questionFor, type Question } from './random/questions.ts'
import { ask, forEach, load, type Request } from './server.ts'

/** Loads the estate into a service, and into memory. */
export async function prepare(base: string, seed: number): Promise<Tables> {
  const commands = estateOf(seed, 150)
  await load(base, commands)
  return tablesOf(commands, await arrivalsAt(base))
}

/** When everything that a service has stored arrived there. */
export async function arrivalsAt(
  base: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Arrivals> {
  const rowsOf = async (path: string, query: Json): Promise<readonly Record<string, string>[]> => {
    const params = { query: JSON.stringify(query) }
    const { body } = await ask(base, { method: 'GET', path: `/query/v4/${path}`, params, headers })
    return body as unknown as Record<string, string>[]
  }
  const reports = await rowsOf('reports', [
    'extract',
    ['hash', 'receive_time'],
    ['=', 'type', 'any'],
  ])
  const nodes = await rowsOf('nodes', [
    'extract',
    ['certname', 'catalog_timestamp', 'facts_timestamp'],
    ['=', 'node_state', 'any'],
  ])
  const ofReport = new Map(reports.map((row) => [row['hash'], row['receive_time']!]))
  const ofNode = new Map(nodes.map((row) => [row['certname'], row]))
  return {
    report: (hash) => ofReport.get(hash)!,
    latest: (certname, which) => ofNode.get(certname)![`${which}_timestamp`]!,
  }
}

/** The question that a number stands for. */
export const questionOf = (seed: number, samples: Tables): Question =>
  questionFor({ draw: new Draw(seed), samples, common: false, legacy: false })

/** A question may be refused where its SQL would be beyond a limit of the database, and the refusal says so. */
const LIMIT = /^The query (is nested too deeply|is too long|has too many|is too complex)/

/** How the service's answer to a question differs from the evaluator's: nothing where it doesn't, `limit` where a limit stands against it. */
export async function differenceOf(
  base: string,
  tables: Tables,
  question: Question & Pick<Request, 'headers'>,
): Promise<string | null> {
  const { rows, total } = evaluate(question.asked, tables)
  const want = {
    status: 200,
    type: 'application/json',
    records: question.total ? String(total) : null,
    body: rows,
  }
  const answer = await ask(base, question)
  if (answer.status === 400 && LIMIT.test(String(answer.body))) return 'limit'
  return judge(want, answer, question.order, { exact: true })
}

/** Asks the questions of the numbers from `first` on; tells of each that the service answers otherwise, and of those refused. */
export async function differences(
  base: string,
  tables: Tables,
  first: number,
  count: number,
): Promise<{ readonly differences: string[]; readonly refused: string[] }> {
  const seeds = Array.from({ length: count }, (_, index) => first + index)
  const outcomes = await forEach(seeds, 6, async (seed) => {
    const question = questionOf(seed, tables)
    const difference = await differenceOf(base, tables, question)
    const named = `#${seed} ${question.method} ${question.path} ${JSON.stringify(question.params)}`
    return { difference, named }
  })
  const refused = outcomes.filter(({ difference }) => difference === 'limit')
  const wrong = outcomes.filter(({ difference }) => difference !== null && difference !== 'limit')
  return {
    differences: wrong.map(({ named, difference }) => `${named}: ${difference}`),
    refused: refused.map(({ named }) => named),
  }
}
