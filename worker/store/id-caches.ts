/** Strings and lists of metric names leave the database as ids; an isolate reads each of them once. */

import { invariant } from '../lib/invariant.ts'
import { integer, selectText, text, typed } from '../sql/columns.ts'
import type { PageRow } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import { batchRead, listRead, readOne, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'
import type { IdCache, Memory } from './memory.ts'

/** A cache of an isolate, and how it is filled. */
interface CachedTable {
  readonly cache: (memory: Memory) => IdCache
  /** The table, and its column that holds the text. */
  readonly table: string
  readonly column: string
  /** The text as it is kept. */
  readonly keep: (text: string) => string
  /** Names of the values of a row that are ids of the table. */
  readonly idsIn: (compiled: CompiledSelect) => readonly string[]
}

const CACHED_TABLES: readonly CachedTable[] = [
  {
    cache: (memory) => memory.strings,
    table: 'strings',
    column: 'value',
    keep: JSON.stringify,
    idsIn: ({ columns }) =>
      columns.flatMap(({ name, decoding }) => (decoding.as === 'string' ? [name] : [])),
  },
  {
    cache: (memory) => memory.metricSets,
    table: 'metric_sets',
    column: 'names',
    keep: (names) => names,
    idsIn: ({ extras }) => (extras.includes('metricSet') ? ['extra.metricSet'] : []),
  },
]

/** Reads what the cache does not hold yet. */
function readNew({ cache, table, column, keep }: CachedTable, memory: Memory): BatchRead<void> {
  const columns = { id: integer('id'), text: text(column) }
  const sql = `select ${selectText(columns)} from ${table} where id > ?1`
  return batchRead([typed(columns, { sql, params: [cache(memory).highest] })], ([rows]) => {
    for (const row of rows) cache(memory).add(row.id, keep(row.text))
  })
}

/** Fills the caches that rows of the selects need and that hold nothing yet, to be read with the first rows. */
export const fillEmptyCaches = (
  memory: Memory,
  selects: readonly CompiledSelect[],
): BatchRead<unknown> =>
  listRead(
    CACHED_TABLES.filter(
      ({ cache, idsIn }) =>
        cache(memory).highest === 0 && selects.some((select) => idsIn(select).length > 0),
    ).map((one) => readNew(one, memory)),
  )

/** Makes sure that the caches hold every id in the rows; reads what is new where one is missing. */
export async function cacheIds(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly PageRow[],
): Promise<void> {
  const { memory } = database
  const lacksIds = ({ cache, idsIn }: CachedTable): boolean => {
    const { values } = cache(memory)
    return idsIn(compiled).some((name) =>
      rows.some((row) => row[name] !== null && !values.has(row[name] as number)),
    )
  }
  const lacking = CACHED_TABLES.filter(lacksIds)
  await readOne(database, listRead(lacking.map((one) => readNew(one, memory))))
  invariant(!lacking.some(lacksIds), 'every id in a row is in its table')
}
