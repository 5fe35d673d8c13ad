/**
 * Query → SQL, as a map for whoever comes new to the planner and the compiler. Each query of
 * `queries.sql` stands above the statement that reads its first page and that statement's parameters;
 * a pattern on a column without a dictionary needs a statement before, which reads the column's values.
 * `npx vitest run --project pure test/sql/queries.test.ts -u` writes the file anew: read its diff.
 */

import { expect, it } from 'vitest'
import { planRoot } from '../../worker/answer/ask.ts'
import { parseRootQuery } from '../../worker/query/root.ts'
import { compile } from '../../worker/sql/compile.ts'
import { Dictionary } from '../../worker/sql/dictionaries.ts'
import type { TextReader } from '../../worker/sql/patterns.ts'
import { pageStatement } from '../../worker/sql/page.ts'
import type { Statement } from '../../worker/sql/statement.ts'
import { QUERIES } from './queries.ts'

/** The texts that patterns are tried on; each has the id of its place, from 1 on. */
const TEXTS = ['web1', 'web2', 'db1', 'production', 'changed', '/etc/motd', 'Nginx', 'nginx']
const PATHS = ['["Stage[main]","Class[Nginx]"]', '["Stage[main]","Class[Motd]"]', '']

/** Reads those texts; the statements that would read others are added to `statements`. */
const readerOf = (statements: Statement[]): TextReader => ({
  dictionaries: (sources) =>
    Promise.resolve(
      new Map(
        sources.map(({ name }) => {
          const dictionary = new Dictionary()
          const texts = name.endsWith(' path') ? PATHS : TEXTS
          texts.forEach((text, index) => dictionary.add(index + 1, text))
          return [name, dictionary]
        }),
      ),
    ),
  texts(statement) {
    statements.push(statement)
    return Promise.resolve(TEXTS)
  },
})

/** A page of a list that has no limit of its own. */
const PAGE = 2000

async function statementsOf(text: string): Promise<readonly Statement[]> {
  const plan = planRoot(parseRootQuery(text), null)
  if (plan.kind === 'nothing') return []
  const statements: Statement[] = []
  const { selects } = await compile(plan, readerOf(statements))
  for (const select of selects) {
    statements.push(pageStatement(select, null, Math.min(PAGE, select.limit ?? Infinity)))
  }
  return statements
}

/** A statement with a line for each of its clauses; subselects stay within theirs. */
function laidOut(sql: string): string {
  let depth = 0
  return sql.replace(
    /'[^']*'|[()]| (from|where|group by|order by|limit|(?:left )?join) /g,
    (piece, clause?: string) => {
      if (piece === '(') depth++
      if (piece === ')') depth--
      return clause === undefined || depth > 0 ? piece : `\n  ${clause} `
    },
  )
}

const shown = (params: Statement['params']): string =>
  params.length === 0
    ? ''
    : `\n-- ${params.map((one) => (one instanceof Uint8Array ? `x'${Buffer.from(one).toString('hex')}'` : JSON.stringify(one))).join(', ')}`

const section = (query: string, statements: readonly Statement[]): string =>
  [
    `-- ${query}`,
    ...(statements.length === 0 ? ['-- (answered without the database)'] : []),
    ...statements.map(({ sql, params }) => `${laidOut(sql)};${shown(params)}`),
  ].join('\n')

it(`${QUERIES.length} queries become the statements of queries.sql`, async () => {
  const sections = await Promise.all(
    QUERIES.map(async (query) => section(query, await statementsOf(query))),
  )
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('queries.sql')
  // SQLite prepares a statement again whenever such a parameter is bound.
  expect(sections.filter((text) => /\b(?:limit|offset) \?/.test(text))).toEqual([])
})
