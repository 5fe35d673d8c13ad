/** What the patterns of a plan match: found before the statement is compiled, since SQLite has no regular expressions. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Predicate } from '../plan/plan.ts'
import type { Scalar } from '../schema/kinds.ts'

/** The values that a pattern matched, evaluated beforehand: ids of a dictionary, or values of the field. */
export type PatternMatches =
  | {
      readonly by: 'id'
      readonly column: SQLiteColumn
      readonly ids: readonly number[]
      readonly complement: boolean
    }
  | { readonly by: 'value'; readonly values: readonly Scalar[] }

/** The matches of every pattern in a plan. */
export type Matches = ReadonlyMap<Predicate, PatternMatches>
