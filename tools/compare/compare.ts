/** `npm run compare`: sends a PuppetDB and this service the same queries, and prints where their answers differ. */

import { readFile } from 'node:fs/promises'
import { typed } from '../../worker/local/commands.mjs'
import { jsonText } from '../../worker/lib/lossless.ts'
import { readDuration } from '../../worker/schema/ttl.ts'
import { readAddress, wordsOrExit } from '../../worker/local/command-line.ts'
import { queryService, type QueryService } from '../query-service.ts'
import { differencesOf, type Difference } from './differences.ts'
import { ownQuestion, QUESTIONS, type ComparedQuestion, type ComparedSpan } from './questions.ts'
import { compareSamples, DECLARED } from './samples.ts'

const HELP = `${typed('compare', '--puppetdb URL --here URL [options]')}

  --puppetdb URL   a PuppetDB that got the same reports
  --here URL       this service (http://127.0.0.1:8787)
  --since AGE      compares runs that began within this age (14d)
  --until AGE      … but not within this one, as newer ones may be on their way (10m)
  --sample N       reports that are compared whole (20)
  --queries FILE   queries of your own, in PQL, one a line
  --token TOKEN    for this service (or REPORT_SERVICE_TOKEN)
  --cert FILE --key FILE --cacert FILE   certificates for a PuppetDB that asks for them
  --json           the result as JSON
  --help           this text

Ends with 0 where all answers are equal, 1 where some differ, 2 where one could not be had.`

interface Result {
  readonly question: string
  readonly compared: number
  readonly differences: readonly Difference[]
}

const OPTIONS = {
  options: {
    puppetdb: { type: 'string' },
    here: { type: 'string', default: 'http://127.0.0.1:8787' },
    since: { type: 'string', default: '14d' },
    until: { type: 'string', default: '10m' },
    sample: { type: 'string', default: '20' },
    queries: { type: 'string' },
    token: { type: 'string' },
    cert: { type: 'string' },
    key: { type: 'string' },
    cacert: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
} as const
const { values } = wordsOrExit(OPTIONS, HELP)

async function compare(url: string): Promise<readonly Result[]> {
  const token = values.token ?? process.env['REPORT_SERVICE_TOKEN']
  const puppetdb = await queryService(readAddress('--puppetdb', url), {
    ...values,
    token: undefined,
  })
  const here = await queryService(readAddress('--here', values.here), { token })
  const sample = sampleSize()
  const now = Date.now()
  const before = (age: string): string => new Date(now - readDuration(age)).toISOString()
  const span = { from: before(values.since), until: before(values.until) }
  const questions = [...QUESTIONS, ...(await ownQuestions())]
  const results: Result[] = []
  for (const question of questions) results.push(await askBoth(question, puppetdb, here, span))
  const samples = await compareSamples(puppetdb, here, span, sample)
  return [...results, { question: 'whole reports', ...samples }]
}

function sampleSize(): number {
  if (/^[1-9]\d{0,5}$/.test(values.sample)) return Number(values.sample)
  throw new Error(`--sample takes a number from 1 on, not '${values.sample}'.`)
}

async function ownQuestions(): Promise<ComparedQuestion[]> {
  if (values.queries === undefined) return []
  const lines = (await readFile(values.queries, 'utf8')).split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(ownQuestion)
}

async function askBoth(
  question: ComparedQuestion,
  puppetdb: QueryService,
  here: QueryService,
  span: ComparedSpan,
): Promise<Result> {
  const [one, other] = await Promise.all([question.rows(puppetdb, span), question.rows(here, span)])
  const differences = differencesOf(one, other, question.key)
  return { question: question.name, compared: Math.max(one.length, other.length), differences }
}

const MOST_SHOWN = 5

function printed(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ question }) => Math.min(60, question.length)))
  const lines = results.flatMap(({ question, compared, differences }) => [
    `${question.slice(0, 60).padEnd(width)}  ${String(compared).padStart(6)} rows  ${
      differences.length === 0 ? 'equal' : `${differences.length} differ`
    }`,
    ...differences.slice(0, MOST_SHOWN).map(sentenceOf),
    ...(differences.length > MOST_SHOWN ? [`    and ${differences.length - MOST_SHOWN} more`] : []),
  ])
  const declared = Object.entries(DECLARED).map(([name, why]) => `  ${name}: ${why}`)
  return [...lines, '', 'Not compared in whole reports:', ...declared].join('\n')
}

function sentenceOf({ where, column, puppetdb, here }: Difference): string {
  const short = (value: Difference['here']): string =>
    value === undefined ? 'nothing' : jsonText(value).slice(0, 120)
  const place = column === null ? where.slice(0, 120) : `${where.slice(0, 120)} ${column}`
  return `    ${place}: PuppetDB has ${short(puppetdb)}, here is ${short(here)}`
}

try {
  if (values.help) console.log(HELP)
  else if (values.puppetdb === undefined) throw new Error(`--puppetdb is needed.\n\n${HELP}`)
  else {
    const results = await compare(values.puppetdb)
    const equal = results.every(({ differences }) => differences.length === 0)
    console.log(
      values.json
        ? jsonText({ equal, results: results as never, declared: DECLARED })
        : printed(results),
    )
    const isProof = results.at(-1)!.compared > 0
    if (!isProof)
      console.error(
        'PuppetDB has no report that began in this span, so nothing was compared. Choose another --since and --until, such as --since 400d.',
      )
    process.exitCode = !equal ? 1 : isProof ? 0 : 2
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
