/** The dictionaries: their entries can be read, and are of a known kind. */

import { STRING_KINDS } from '../schema/tables.ts'
import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'
import { readProblems, type SqlRule } from './sql-rules.ts'

/** Entries that are named, of each rule. */
const MOST_NAMED = 100

const RULES: readonly SqlRule[] = [
  {
    invariant: 'a string is of a known kind',
    sql: `SELECT 'string ' || id AS violation FROM strings WHERE kind NOT IN (${Object.values(STRING_KINDS).join(', ')}) LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'the path of a resource is a JSON list',
    sql: `SELECT 'resource ' || id AS violation FROM resources WHERE path <> '' AND (NOT json_valid(path) OR json_type(path) <> 'array') LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'the names of a metric set are a JSON list',
    sql: `SELECT 'metric set ' || id AS violation FROM metric_sets WHERE NOT json_valid(names) OR json_type(names) <> 'array' LIMIT ${MOST_NAMED}`,
  },
]

export async function checkDictionaries(database: Database): Promise<CheckedPage> {
  const problems = await readOne(database, readProblems(RULES, []))
  return { checked: RULES.length, problems, next: null }
}
