/** How columns of the history are laid out in Parquet: their elements in the schema, and how their values become pages. */

import { constants, type ZlibOptions } from 'node:zlib'
import type { Encoding, KeyValue, RowGroup, SchemaElement } from 'hyparquet'
import type { ColumnEncoder, PageData } from 'hyparquet-writer/src/types.js'
import type * as library from './parquet-library.ts'
import {
  HISTORY_TABLES,
  HISTORY_VERSION,
  type HistoryColumn,
  type HistoryKind,
  type HistoryTable,
} from '../schema/history-tables.ts'
import { ownPairs } from './open-file.ts'
import { packPage } from './packed-page.ts'

/** A map of numbers: the names, which rows share, and the number of each. */
export interface NumberMap {
  readonly keys: readonly string[]
  readonly values: readonly number[]
}
export type HistoryValue = string | number | bigint | boolean | null | readonly string[] | NumberMap
/** A row, its values in the order of the table's columns. */
export type HistoryRow = readonly HistoryValue[]

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
/** Kinds whose values are one column of Parquet. */
const PRIMITIVES = {
  string: TEXT,
  json: TEXT,
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  milliseconds: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  nanoseconds: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
  },
} as const satisfies Partial<Record<HistoryKind, object>>

/** What Parquet's schema says of a column: its element, and those below it. */
function elementsOf({ name, id, kind, required }: HistoryColumn): SchemaElement[] {
  const column = {
    name,
    field_id: id,
    repetition_type: required ? 'REQUIRED' : 'OPTIONAL',
  } as const
  const item = (name: string, field_id: number, type: object): SchemaElement => ({
    name,
    field_id,
    repetition_type: 'REQUIRED',
    ...type,
  })
  if (kind === 'strings') {
    return [
      { ...column, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      item('element', id + 1, TEXT),
    ]
  }
  if (kind === 'numbers') {
    return [
      { ...column, converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      item('key', id + 1, TEXT),
      item('value', id + 2, { type: 'DOUBLE' }),
    ]
  }
  return [{ ...column, ...PRIMITIVES[kind] }]
}

const rootOf = (columns: readonly HistoryColumn[]): SchemaElement => ({
  name: 'root',
  num_children: columns.length,
})

/** The schema of a table, as the footer of its files has it. */
const schemaOf = (table: HistoryTable): SchemaElement[] => [
  rootOf(HISTORY_TABLES[table]),
  ...HISTORY_TABLES[table].flatMap(elementsOf),
]

interface Packing {
  /** Left to the library where there is none: a dictionary where that is smaller, else plain. */
  readonly encoding?: Encoding
  readonly gzip?: ZlibOptions
}

/** Short repetitions cost more than they save. */
const FEW_REPEATS: ZlibOptions = { strategy: constants.Z_FILTERED, level: 9 }
/** Random digits: their lengths apart from them, and no search for what repeats, which would cost bytes and time. */
const DIGITS: Packing = {
  encoding: 'DELTA_LENGTH_BYTE_ARRAY',
  gzip: { strategy: constants.Z_RLE },
}
const UUID: Packing = { ...DIGITS, gzip: FEW_REPEATS }

/**
 * How columns are packed, where it is smaller than the rule of their kind: measured a column at a time, by each encoding
 * that engines read. BYTE_STREAM_SPLIT would save 5 bytes of metrics, and Spark's vectorized reader does not know it.
 */
const PACKINGS: Readonly<Record<string, Packing>> = {
  // part-hashes.ts reads this one.
  'reports.hash': DIGITS,
  'reports.transaction_uuid': UUID,
  'reports.catalog_uuid': UUID,
  // Each version is as long as the one before and begins like it; often it is a time.
  'reports.configuration_version': { encoding: 'DELTA_BYTE_ARRAY' },
  // Sorted by resource, so that reports repeat far apart and their times jump.
  'events.report': { encoding: 'RLE_DICTIONARY', gzip: FEW_REPEATS },
  'events.producer_timestamp': { encoding: 'PLAIN' },
  'events.run_start_time': { encoding: 'PLAIN' },
  'events.run_end_time': { encoding: 'PLAIN' },
  'events.report_receive_time': { encoding: 'PLAIN' },
  'events.old_value': { gzip: FEW_REPEATS },
  'events.new_value': { gzip: FEW_REPEATS },
  'events.message': { gzip: FEW_REPEATS },
  'logs.report': { encoding: 'DELTA_LENGTH_BYTE_ARRAY', gzip: FEW_REPEATS },
  'logs.producer_timestamp': { encoding: 'PLAIN' },
  'logs.message': { gzip: FEW_REPEATS },
  'metrics.report': DIGITS,
  'metrics.key': { encoding: 'RLE_DICTIONARY' },
  'metrics.value': { encoding: 'PLAIN', gzip: { level: 9, memLevel: 9 } },
}

const TIMES: ReadonlySet<HistoryKind> = new Set(['milliseconds', 'nanoseconds'])
/** Columns whose least and greatest value rule out no row group: each costs some 30 bytes of footer a group. */
const UNORDERED: ReadonlySet<string> = new Set([
  ...['hash', 'report', 'transaction_uuid', 'catalog_uuid', 'code_id', 'job_id', 'number'],
  ...['message', 'source', 'file', 'line', 'time_form', 'property', 'name', 'producer'],
  ...['agent_version', 'report_format', 'type', 'cached_catalog_status', 'configuration_version'],
  ...['log_count', 'metric_count'],
])
const isOrdered = ({ name, kind }: HistoryColumn): boolean =>
  kind !== 'json' && kind !== 'strings' && kind !== 'numbers' && !UNORDERED.has(name)

/** Names longer than this are cut in statistics; certnames of a site often begin alike. */
const LONGEST_STATISTIC = 64

/** What a file of the history holds, for its footer. */
interface Written {
  readonly path: string
  readonly table: HistoryTable
  readonly rows: number
  readonly groups: RowGroup[]
  /** The checksums of the row groups. */
  readonly digests: readonly string[]
  /** Beside the version of the history. */
  readonly pairs?: readonly KeyValue[]
}

/** Writes the footer of a file, which the magic bytes follow, and then its checksums. */
export const writeFooter = (
  { writeMetadata }: typeof library,
  writer: Parameters<(typeof library)['writeMetadata']>[0],
  { path, table, rows, groups, digests, pairs = [] }: Written,
): void =>
  writeMetadata(
    writer,
    {
      version: 2,
      created_by: 'report-query-service',
      schema: schemaOf(table),
      num_rows: BigInt(rows),
      row_groups: groups,
      metadata_length: 0,
      key_value_metadata: [
        { key: 'report-query-service.history', value: String(HISTORY_VERSION) },
        ...pairs,
        ...ownPairs(path, digests),
      ],
    },
    LONGEST_STATISTIC,
  )

/** A leaf of the schema: how it is written, the place of its column in a row, and its values from those of the column. */
export interface Leaf {
  readonly encoder: ColumnEncoder
  readonly place: number
  readonly pageOf: (values: readonly HistoryValue[]) => PageData
}

/** The leaves of a table, in the order of its schema. */
export const leavesOf = (table: HistoryTable): Leaf[] => {
  const columns = HISTORY_TABLES[table]
  return columns.flatMap((column, place): Leaf[] => {
    const [own, ...below] = elementsOf(column)
    const path = [rootOf(columns), own!]
    const encoder = (path: readonly SchemaElement[]) =>
      encoderOf(`${table}.${path.at(-1)!.name}`, column, path)
    switch (column.kind) {
      case 'strings': {
        const pageOf = (values: readonly HistoryValue[]) =>
          pageOfLists(column, values as readonly (readonly string[] | null)[])
        return [{ encoder: encoder([...path, ...below]), place, pageOf }]
      }
      case 'numbers':
        return (['keys', 'values'] as const).map((side, index) => ({
          encoder: encoder([...path, below[0]!, below[1 + index]!]),
          place,
          pageOf: (values: readonly HistoryValue[]) =>
            pageOfLists(
              column,
              (values as readonly (NumberMap | null)[]).map((map) => map && map[side]),
            ),
        }))
      default:
        return [{ encoder: encoder(path), place, pageOf: (values) => pageOfValues(column, values) }]
    }
  })
}

function encoderOf(
  name: string,
  column: HistoryColumn,
  path: readonly SchemaElement[],
): ColumnEncoder {
  const { encoding, gzip = {} }: Packing = PACKINGS[name] ?? {
    ...(TIMES.has(column.kind) && { encoding: 'DELTA_BINARY_PACKED' }),
  }
  return {
    columnName: path
      .slice(1)
      .map(({ name }) => name)
      .join('.'),
    element: path.at(-1)!,
    schemaPath: [...path],
    codec: 'GZIP',
    compressors: { GZIP: (plain) => packPage(plain, gzip) },
    stats: isOrdered(column),
    statisticsTruncateLength: LONGEST_STATISTIC,
    // A page a row group, which is small enough.
    pageSize: 0,
    columnIndex: false,
    offsetIndex: false,
    ...(encoding !== undefined && { encoding }),
  }
}

/** Numbers that JavaScript holds as such, and Parquet in 64 bits. */
const IN_64_BITS: ReadonlySet<HistoryKind> = new Set(['integer', 'milliseconds'])

function pageOfValues(
  { kind, required }: HistoryColumn,
  values: readonly HistoryValue[],
): PageData {
  const wide = IN_64_BITS.has(kind)
  return {
    values: wide
      ? values.map((value) => (typeof value === 'number' ? BigInt(value) : value))
      : [...values],
    definitionLevels: required ? [] : values.map((value) => (value === null ? 0 : 1)),
    repetitionLevels: [],
    maxDefinitionLevel: required ? 0 : 1,
  }
}

/** Lists by Dremel's levels: which items begin a row, and where a row has none. */
function pageOfLists(
  { required }: HistoryColumn,
  lists: readonly (readonly (string | number)[] | null)[],
): PageData {
  const empty = required ? 0 : 1
  const [values, definitionLevels, repetitionLevels]: [unknown[], number[], number[]] = [[], [], []]
  for (const list of lists) {
    if (list === null || list.length === 0) {
      values.push(undefined)
      definitionLevels.push(list === null ? 0 : empty)
      repetitionLevels.push(0)
      continue
    }
    for (let index = 0; index < list.length; index++) {
      values.push(list[index])
      definitionLevels.push(empty + 1)
      repetitionLevels.push(index === 0 ? 0 : 1)
    }
  }
  return { values, definitionLevels, repetitionLevels, maxDefinitionLevel: empty + 1 }
}
