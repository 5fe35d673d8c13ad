/** Reads and caches the texts of ids: rows contain strings and lists of metric names as ids. */

import { invariant } from '../lib/invariant.ts'
import { integer, selectText, text, typed } from '../sql/columns.ts'
import type { PageRow } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Parameter } from '../sql/statement.ts'
import { batchRead, listRead, readOne, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'
import type { IdCache, Memory } from './memory.ts'

/** A cache of an isolate, and how to fill it. */
interface CachedTable {
  readonly cache: (memory: Memory) => IdCache
  /** The table, and its column with the text. */
  readonly table: string
  readonly column: string
  /** Converts a text to its cached form. */
  readonly convert: (text: string) => string
  /**
   * Rows to read into an empty cache before knowing which are needed: a fleet's oldest strings are used by nearly all its
   * reports. Their highest id, and the characters of the longest one: together less than the cache may hold.
   */
  readonly highestAtFirst: number
  readonly longestAtFirst: number
  /** Names of the row values that are ids of the table. */
  readonly idsIn: (compiled: CompiledSelect) => readonly string[]
}

const CACHED_TABLES: readonly CachedTable[] = [
  {
    cache: (memory) => memory.strings,
    table: 'strings',
    column: 'value',
    convert: JSON.stringify,
    highestAtFirst: 1000,
    longestAtFirst: 1000,
    idsIn: ({ columns }) =>
      columns.flatMap(({ name, decoding }) => (decoding.as === 'string' ? [name] : [])),
  },
  {
    cache: (memory) => memory.metricSets,
    table: 'metric_sets',
    column: 'names',
    convert: (names) => names,
    highestAtFirst: 100,
    longestAtFirst: 10_000,
    idsIn: ({ extras }) => (extras.includes('metricSet') ? ['extra.metricSet'] : []),
  },
]

/** Reads rows of the table into its cache. @param rest of the select, with ?1 for `parameter` @param also is told each text */
function readInto(
  { cache, table, column, convert }: CachedTable,
  memory: Memory,
  rest: string,
  parameter: Parameter,
  also: (id: number, text: string) => void = () => undefined,
): BatchRead<void> {
  const columns = { id: integer('id'), text: text(column) }
  const sql = `select ${selectText(columns)} from ${table} ${rest}`
  return batchRead([typed(columns, { sql, params: [parameter] })], ([rows]) => {
    for (const row of rows) {
      const converted = convert(row.text)
      cache(memory).add(row.id, converted)
      also(row.id, converted)
    }
  })
}

/** Fills the empty caches that rows of the selects need, in the batch of the first rows. */
export const fillEmptyCaches = (
  memory: Memory,
  selects: readonly CompiledSelect[],
): BatchRead<unknown> =>
  listRead(
    CACHED_TABLES.filter(
      ({ cache, idsIn }) =>
        cache(memory).isEmpty && selects.some((select) => idsIn(select).length > 0),
    ).map((one) => readInto(one, memory, firstRows(one), one.highestAtFirst)),
  )

/** The first rows with short texts. ?1 highest id. */
const firstRows = ({ column, longestAtFirst }: CachedTable): string =>
  `where id <= ?1 and length(${column}) <= ${longestAtFirst}`

const THESE = 'where id in (select value from json_each(?1))'

/** The texts of the ids in the rows of a page, by the name of their table. */
export type PageTexts = Readonly<Record<string, ReadonlyMap<number, string>>>

/**
 * The texts of the rows' ids, those that are not cached read. The page holds them itself: what other requests read meanwhile
 * may take their place in the cache.
 */
export async function textsOfIds(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly PageRow[],
): Promise<PageTexts> {
  const { memory } = database
  const tables = CACHED_TABLES.map((one) => {
    const found = new Map<number, string>()
    const missing = idsIn(one, compiled, rows).filter((id) => {
      const text = one.cache(memory).get(id)
      if (text !== undefined) found.set(id, text)
      return text === undefined
    })
    return { one, found, missing }
  })
  const incomplete = tables.filter(({ missing }) => missing.length > 0)
  if (incomplete.length > 0) {
    const reads = incomplete.map(({ one, found, missing }) =>
      readInto(one, memory, THESE, JSON.stringify(missing), (id, text) => found.set(id, text)),
    )
    await readOne(database, listRead(reads))
    const isComplete = incomplete.every(({ found, missing }) =>
      missing.every((id) => found.has(id)),
    )
    invariant(isComplete, 'every id in a row is in its table')
  }
  return Object.fromEntries(tables.map(({ one, found }) => [one.table, found]))
}

/** The ids of a table in rows, each once. */
function idsIn(one: CachedTable, compiled: CompiledSelect, rows: readonly PageRow[]): number[] {
  const ids = one.idsIn(compiled).flatMap((name) => rows.map((row) => row[name] as number | null))
  return [...new Set(ids)].filter((id): id is number => id !== null)
}
