/** An answer of more pages than a request may ask for is refused before its first row is sent. */

import { expect, it } from 'vitest'
import type { ResultSet } from '../../worker/answer/ask.ts'
import { requireAffordable } from '../../worker/http/query-budget.ts'
import type { Plan } from '../../worker/plan/plan.ts'
import type { Database } from '../../worker/store/database.ts'

interface Asked {
  readonly queries?: number
  readonly sent?: number
  readonly rows?: number
  readonly limit?: number
  readonly whole?: boolean
  readonly kind?: string
}

/** How often rows are counted, and what is said. */
async function outcomeOf({ queries = 50, sent = 2, rows = 0, limit, whole, kind }: Asked) {
  let counted = 0
  const answer: Partial<ResultSet> = {
    whole: whole ?? false,
    rowsPerPage: 100,
    count: () => {
      counted++
      return Promise.resolve(rows)
    },
  }
  const database = { usage: { statements: sent } } as unknown as Database
  const plan = { kind: kind ?? 'select', limit: limit ?? null } as unknown as Plan
  const settings = { MAX_QUERIES: queries }
  const said = await requireAffordable(database, plan, answer as ResultSet, settings, 'Ask less.')
    .then(() => null)
    .catch((error: Error) => error.message)
  return [counted, said]
}

const refused = (rows: number, queries: number, most: number): string =>
  `The answer has ${rows} rows; with the ${queries} database queries that a request may send (MAX_QUERIES), this service returns about ${most}. Ask less.`

it.each<[Asked, counted: number, said: string | null]>([
  // A page takes 4 of the 48 that are left, and one page is spared.
  [{ rows: 1099 }, 1, null],
  [{ rows: 1100 }, 1, null],
  [{ rows: 1101 }, 1, refused(1101, 50, 1100)],
  [{ rows: 1100, sent: 3 }, 1, refused(1100, 50, 1000)],
  [{ rows: 1101, limit: 1099 }, 0, null],
  [{ rows: 1101, limit: 1100 }, 0, null],
  [{ rows: 1101, limit: 1101 }, 1, refused(1101, 50, 1100)],
  // The first page has been asked for.
  [{ rows: 100, queries: 2 }, 1, null],
  [{ rows: 101, queries: 2 }, 1, refused(101, 2, 100)],
  [{ rows: 9999, whole: true }, 0, null],
  [{ rows: 9999, kind: 'nothing' }, 0, null],
  [{ rows: 9999, queries: 0 }, 0, null],
  [{ rows: 9999, queries: 1 }, 1, refused(9999, 1, 100)],
])('%j', async (asked, ...outcome) => {
  expect(await outcomeOf(asked)).toEqual(outcome)
})
