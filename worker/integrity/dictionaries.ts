/** The dictionaries: their entries can be read, and mean what they are said to. */

import { STRING_KINDS } from '../schema/tables.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'

/** Entries that are named, of each rule. */
const MOST_NAMED = 100

/** A rule, and the entries that break it, as `c0`. */
const RULES: readonly (readonly [invariant: string, statement: Statement])[] = [
  [
    'a string is of a known kind',
    {
      sql: `SELECT 'string ' || id AS c0 FROM strings WHERE kind NOT IN (SELECT value FROM json_each(?1)) LIMIT ${MOST_NAMED}`,
      params: [JSON.stringify(Object.values(STRING_KINDS))],
    },
  ],
  [
    'the path of a resource is a JSON list',
    {
      sql: `SELECT 'resource ' || id AS c0 FROM resources WHERE path <> '' AND (NOT json_valid(path) OR json_type(path) <> 'array') LIMIT ${MOST_NAMED}`,
      params: [],
    },
  ],
  [
    'the names of a metric set are a JSON list',
    {
      sql: `SELECT 'metric set ' || id AS c0 FROM metric_sets WHERE NOT json_valid(names) OR json_type(names) <> 'array' LIMIT ${MOST_NAMED}`,
      params: [],
    },
  ],
]

export async function checkDictionaries(database: Database): Promise<CheckedPage> {
  const found = await database.batch(RULES.map(([, statement]) => statement))
  const problems = RULES.flatMap(([invariant], index) =>
    found[index]!.map(([where]) => ({ invariant, where: String(where) })),
  )
  return { checked: RULES.length, problems, next: null }
}
