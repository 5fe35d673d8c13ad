/**
 * The generation of a database: a random token, drawn again by each transaction that adds to a dictionary. What an isolate
 * remembers is right as long as the database still knows the token that the isolate saw last. After a restore to an earlier
 * state it does not: rows that the isolate remembers are gone, and their ids will be given to others.
 */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { hexOf, integerOf } from '../sql/encoding.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'

const LATEST = { number: integer('number'), token: text('token') }
export type Generation = RowOf<typeof LATEST>

/** By CASE, because OR would look for the remembered one always. ?1 number and ?2 token of the remembered generation, null for none. */
const KNOWN = `case when ?1 is null or (number = ${integerOf('?1')} and token = ?2) then 1
  else exists (select 1 from generations where number = ${integerOf('?1')} and token = ?2) end`

const CHECKED = { ...LATEST, known: integer(KNOWN) }
/** The latest generation, and whether the remembered one is known. */
export type CheckedGeneration = RowOf<typeof CHECKED>

const READ = `select ${selectText(CHECKED)} from generations order by number desc limit 1`

const RESTORED = 'the database was restored'
/** The same, but fails, and so undoes its batch, where the remembered one is not known: no other function of SQLite fails on purpose. */
const REQUIRED = { ...LATEST, known: integer(`iif(${KNOWN}, 1, json(token || '${RESTORED}'))`) }
const REQUIRE = `select ${selectText(REQUIRED)} from generations order by number desc limit 1`

const params = (remembered: Generation | null) => [
  remembered?.number ?? null,
  remembered?.token ?? null,
]

/** For the end of a batch: reads whether the database knows the generation. */
export const checkGeneration = (remembered: Generation | null): TypedStatement<CheckedGeneration> =>
  typed(CHECKED, { sql: READ, params: params(remembered) })

/** For the end of a batch that would store something wrong if it did not. */
export const requireGeneration = (
  remembered: Generation | null,
): TypedStatement<CheckedGeneration> =>
  typed(REQUIRED, { sql: REQUIRE, params: params(remembered) })

/** Whether a batch was undone by `requireGeneration`. The lists that this service sends are never malformed. */
export const isUnknownGeneration = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('malformed JSON')

/** Tables whose rows isolates remember, by the columns of `generations` with their last ids. */
const LAST_IDS = ['strings', 'resources', 'metric_sets', 'nodes']
const TABLES = LAST_IDS.join(', ')
const CURRENT = LAST_IDS.map((table) => `coalesce((select max(id) from ${table}), 0)`).join(', ')

/**
 * For a batch, right after its additions to dictionaries: draws a new generation if it added anything, which writes one
 * row. `changes()` is about the last statement, which may have added a code version, or changed something that is in no report.
 */
export const NEXT_GENERATION: Statement = {
  sql: `insert into generations (number, token, ${TABLES})
select number + 1, ${hexOf('randomblob(8)')}, ${CURRENT} from (select * from generations order by number desc limit 1)
where changes() > 0 or (${TABLES}) is not (${CURRENT})`,
  params: [],
}

/** SQL for the latest generation, which a database that is restored does not have again. */
export const LATEST_TOKEN = '(select token from generations order by number desc limit 1)'

/** Generations that are kept: an isolate that saw none of them forgets what it remembers, and reads it again. */
const MOST_GENERATIONS = 10_000

const deleteBefore = (kept: number): Statement => ({
  sql: `delete from generations where number <= (select max(number) from generations) - ${kept}`,
  params: [],
})
export const DELETE_OLD_GENERATIONS = deleteBefore(MOST_GENERATIONS)
/** Makes some room in a full database, at the price that isolates read again what they remember. */
export const DELETE_MOST_GENERATIONS = deleteBefore(100)
