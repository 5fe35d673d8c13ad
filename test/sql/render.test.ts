/** Our printer of fragments (sql/render.ts) writes what drizzle's own dialect for SQLite writes, for every statement of queries. */

import { sql, type SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { planRoot } from '../../worker/answer/ask.ts'
import { parseRootQuery } from '../../worker/query/root.ts'
import { events, reports } from '../../worker/schema/tables.ts'
import { compile } from '../../worker/sql/compile.ts'
import { Dictionary } from '../../worker/sql/dictionaries.ts'
import { firstKeyOf, hourOfTime, literal, uuidTextOf } from '../../worker/sql/encoding.ts'
import { bodyStatement, compileEventsOf, longValuesStatement } from '../../worker/sql/expand.ts'
import { pageStatement, totalStatement } from '../../worker/sql/page.ts'
import type * as renderModule from '../../worker/sql/render.ts'
import { listRows, render } from '../../worker/sql/render.ts'
import type { Statement } from '../../worker/sql/statement.ts'
import { QUERIES } from './queries.ts'

/** Each fragment that was printed, with the statement it became. */
const printed = vi.hoisted((): (readonly [SQL, Statement])[] => {
  // Files share modules: those that print were loaded with the printer itself.
  vi.resetModules()
  return []
})
afterAll(() => {
  vi.doUnmock('../../worker/sql/render.ts')
  vi.resetModules()
})

vi.mock('../../worker/sql/render.ts', async (importOriginal) => {
  const original = await importOriginal<typeof renderModule>()
  return {
    ...original,
    render: (fragment: SQL) => {
      const statement = original.render(fragment)
      printed.push([fragment, statement])
      return statement
    },
  }
})

const dialect = new SQLiteSyncDialect()

/** Prints all that is printed by the work, both ways. @returns how many statements it was */
async function comparePrinted(work: () => Promise<unknown>): Promise<number> {
  printed.length = 0
  await work()
  for (const [fragment, { sql: text, params }] of printed) {
    const theirs = dialect.sqlToQuery(fragment)
    expect([text, params]).toEqual([theirs.sql, theirs.params])
  }
  return printed.length
}

const TEXTS = ['web1', 'production', 'changed', '/etc/motd', 'Nginx']

async function printPages(text: string): Promise<void> {
  const plan = planRoot(parseRootQuery(text), null)
  if (plan.kind === 'nothing') return
  const { selects } = await compile(plan, {
    dictionaries: (sources) =>
      Promise.resolve(
        new Map(
          sources.map(({ name }) => {
            const dictionary = new Dictionary()
            const isPath = name.endsWith(' path')
            TEXTS.forEach((one, index) =>
              dictionary.add(index + 1, isPath ? JSON.stringify([one]) : one),
            )
            return [name, dictionary]
          }),
        ),
      ),
    texts: () => Promise.resolve(TEXTS),
  })
  for (const select of selects) {
    const after = select.position.map((_, index) => index)
    pageStatement(select, null, 100)
    if (after.length > 0) pageStatement(select, after, 100)
    totalStatement(select)
  }
}

describe('renders the same SQL as drizzle', () => {
  it.each(QUERIES)('for the first page, a later one and the total of %s', async (query) => {
    await comparePrinted(() => printPages(query))
  })

  it('for more than two statements per query', async () => {
    const count = await comparePrinted(async () => {
      for (const query of QUERIES) await printPages(query)
    })
    expect(count).toBeGreaterThan(2 * QUERIES.length)
  })

  it('for the parts of reports', async () => {
    const count = await comparePrinted(() => {
      bodyStatement(5)
      longValuesStatement([1, 2])
      pageStatement(compileEventsOf(listRows([1, 2])), [1, 2], 10)
      return Promise.resolve()
    })
    expect(count).toBe(3)
  })

  it.each<[string, SQL]>([
    ['a null, a number, a text and bytes', sql`${null} ${1.5} ${"it's"} ${new Uint8Array([1, 2])}`],
    [
      'columns, tables and names',
      sql`${reports.id} ${events} ${sql.identifier('na"me')} ${sql.raw('x')}`,
    ],
    [
      'encodings',
      sql`${firstKeyOf(literal(5))} ${hourOfTime(reports.id)} ${uuidTextOf(reports.catalogUuid)}`,
    ],
    ['nothing', sql``],
  ])('of %s', async (_, fragment) => {
    expect(await comparePrinted(() => Promise.resolve(render(fragment)))).toBe(1)
  })
})
