/** Checks the dictionaries: that their entries are readable and of a known kind. */

import { STRING_KINDS } from '../schema/string-kinds.ts'
import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { type CheckedPage, readProblems, type SqlRule } from './checked-page.ts'

/** Entries reported for each rule. */
const MOST_NAMED = 100

const RULES: readonly SqlRule[] = [
  {
    invariant: 'a string is of a known kind',
    sql: `select 'string ' || id as violation from strings where kind not in (${Object.values(STRING_KINDS).join(', ')}) limit ${MOST_NAMED}`,
  },
  {
    invariant: 'the path of a resource is a JSON list',
    sql: `select 'resource ' || id as violation from resources where path <> '' and (not json_valid(path) or json_type(path) <> 'array') limit ${MOST_NAMED}`,
  },
  {
    invariant: 'the names of a metric set are a JSON list',
    sql: `select 'metric set ' || id as violation from metric_sets where not json_valid(names) or json_type(names) <> 'array' limit ${MOST_NAMED}`,
  },
]

export async function checkDictionaries(database: Database): Promise<CheckedPage> {
  const problems = await readOne(database, readProblems(RULES, []))
  return { checked: RULES.length, problems, next: null }
}
