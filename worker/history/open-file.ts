/**
 * Opens files of the history. Every reader comes here, so that a file that is missing, empty, cut, overwritten or another
 * table's is named by its path. Files have a checksum of themselves: SHA-256 of all bytes, where its own digits are zeros.
 */

import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { FIRST_VERSION, HISTORY_TABLES, type HistoryTable } from '../schema/history-tables.ts'
import { readPath, type HistoryReader } from './bucket.ts'

/** Why a file can't be used: it isn't there, isn't as it was written, or object storage did not give it this time. */
export type Flaw = 'missing' | 'damaged' | 'not given'

const SENTENCES: Readonly<Record<Flaw, string>> = {
  missing: 'is missing',
  damaged: 'is damaged',
  'not given': "can't be read",
}

/** A file of the history that can't be read as it was written. */
export class DamagedPart extends Error {
  override readonly name = 'DamagedPart'
  constructor(
    readonly path: string,
    cause: unknown,
    readonly flaw: Flaw = 'damaged',
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`${path} ${SENTENCES[flaw]}${reason === '' ? '' : `: ${reason}`}`, { cause })
  }
}

/** @throws DamagedPart, where reading a file throws anything: its bytes may lead anywhere */
export function readOrDamaged<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof DamagedPart ? error : new DamagedPart(path, error)
  }
}

/** How a file that can't be read is mended. */
export function remedyOfFile({ path, flaw }: DamagedPart): string {
  if (flaw === 'not given') return 'The next run reads it again.'
  const place = readPath(path)
  if (place === null || place.span === 'month')
    return 'Put the file back from a backup. Without one, its rows are lost.'
  const commit = path.replace(/^[a-z]+/, 'reports')
  return `Put the file back from a backup. Without one, and only if the database still has the reports of the day, delete ${commit}: they are archived again.`
}

/** Bytes from object storage; null where the file is there no more. @throws DamagedPart */
export async function readBytes(
  bucket: HistoryReader,
  path: string,
  range?: { readonly offset: number; readonly length: number },
): Promise<Uint8Array | null> {
  try {
    const object = await bucket.get(path, range && { range })
    return object && new Uint8Array(await object.arrayBuffer())
  } catch (error) {
    throw new DamagedPart(path, error, 'not given')
  }
}

const MAGIC = 'PAR1'
const TAIL_BYTES = 8
const CHECKSUM_KEY = 'report-query-service.sha256'
const NO_CHECKSUM = '0'.repeat(64)
const TABLES_KEY = 'report-query-service.tables'

/** The pair of a footer that {@link sealed} writes the checksum into. */
export const CHECKSUM_PAIR = { key: CHECKSUM_KEY, value: NO_CHECKSUM }
/** The pair of a footer of `reports` that names the tables with which its part was written. */
export const tablesPair = (tables: readonly HistoryTable[]) => ({
  key: TABLES_KEY,
  value: tables.join(),
})

/** A file that is as it was written. */
export interface OpenFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly footer: Footer
  /** False for files of release 0.2 and earlier: their pages have a checksum each. */
  readonly hasChecksum: boolean
}

/** @returns null where the file is there no more @throws DamagedPart */
export async function openFileIfThere(
  bucket: HistoryReader,
  path: string,
): Promise<OpenFile | null> {
  const bytes = await readBytes(bucket, path)
  return bytes && openBytes(path, bytes)
}

/** @throws DamagedPart */
export async function openFile(bucket: HistoryReader, path: string): Promise<OpenFile> {
  const file = await openFileIfThere(bucket, path)
  if (file === null) throw new DamagedPart(path, '', 'missing')
  return file
}

/** @param path names the table @throws DamagedPart */
export const openBytes = (path: string, bytes: Uint8Array): OpenFile =>
  readOrDamaged(path, () => {
    requireParquet(bytes)
    const hasChecksum = requireChecksum(bytes)
    const footer = readFileFooter(bytes)
    requireTable(path, footer.names)
    return { path, bytes, footer, hasChecksum }
  })

/** @throws Error for bytes that don't begin and end as a Parquet file */
export function requireParquet(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new Error('it is empty')
  const ends = [bytes.subarray(0, MAGIC.length), bytes.subarray(-MAGIC.length)]
  if (bytes.length < TAIL_BYTES || !ends.every((end) => utf8Text(end) === MAGIC))
    throw new Error('it does not begin and end as a Parquet file does')
}

/** @throws Error for the schema of another table. @param names of the elements of the schema */
export function requireTable(path: string, names: ReadonlySet<string>): void {
  const { table } = readPath(path)!
  const missing = HISTORY_TABLES[table].find(
    ({ id, name }) => id <= FIRST_VERSION[table] && !names.has(name),
  )
  if (missing !== undefined)
    throw new Error(`it has no column ${missing.name}, so it isn't a file of ${table}`)
}

/** Where the digits of a file's checksum begin; null where it has none. */
function placeOfChecksum(bytes: Uint8Array): number | null {
  const start = footerStart(bytes)
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start)
  const at = footer.lastIndexOf(CHECKSUM_KEY)
  // After the key, a byte for the field and one for the length.
  return at < 0 ? null : start + at + CHECKSUM_KEY.length + 2
}

const checksumOf = (bytes: Uint8Array, place: number): string =>
  createHash('sha256')
    .update(bytes.subarray(0, place))
    .update(NO_CHECKSUM)
    .update(bytes.subarray(place + NO_CHECKSUM.length))
    .digest('hex')

/** @returns whether it has a checksum @throws Error where it is of other bytes */
function requireChecksum(bytes: Uint8Array): boolean {
  const place = placeOfChecksum(bytes)
  if (place === null) return false
  const written = utf8Text(bytes.subarray(place, place + NO_CHECKSUM.length))
  if (checksumOf(bytes, place) !== written)
    throw new Error('its bytes are not those that were written')
  return true
}

/** Writes the checksum of a finished file into it. */
export function sealed(bytes: Uint8Array): Uint8Array {
  const place = placeOfChecksum(bytes)!
  bytes.set(new TextEncoder().encode(checksumOf(bytes, place)), place)
  return bytes
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const utf8Text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

function footerStart(file: Uint8Array): number {
  const end = file.length - TAIL_BYTES
  const length = viewOf(file).getUint32(end, true)
  if (length > end) throw new Error('it is cut off')
  return end - length
}

/** A chunk of a column: its place, and its least and greatest text. */
export interface Chunk {
  readonly offset: number
  readonly length: number
  readonly first: string
  readonly last: string
}

export interface Footer {
  readonly rows: number
  /** Of each row group, the chunk of each column. */
  readonly groups: readonly (readonly Chunk[])[]
  readonly names: ReadonlySet<string>
  /** The tables that the part of a file of `reports` was written with; null for release 0.2 and earlier, and for months. */
  readonly tables: readonly HistoryTable[] | null
}

/** A struct of Thrift: fields by `field_` and their number in parquet.thrift. */
type Struct = { readonly [field: `field_${number}`]: unknown }

/** Numbers of fields in parquet.thrift: FileMetaData, SchemaElement, RowGroup, KeyValue. */
function readFileFooter(file: Uint8Array): Footer {
  const reader = { view: viewOf(file), offset: footerStart(file) }
  const footer = deserializeTCompactProtocol(reader) as unknown as {
    field_2: { field_4: Uint8Array }[]
    field_3: bigint
    field_4: { field_1: Struct[] }[]
    field_5?: { field_1: Uint8Array; field_2?: Uint8Array }[]
  }
  const tables = footer.field_5?.find(({ field_1: key }) => utf8Text(key) === TABLES_KEY)
  return {
    rows: Number(footer.field_3),
    groups: footer.field_4.map(({ field_1: columns }) => columns.map(chunkOf)),
    names: new Set(footer.field_2.map(({ field_4: name }) => utf8Text(name))),
    tables: tables ? (utf8Text(tables.field_2).split(',') as HistoryTable[]) : null,
  }
}

/** Numbers of fields: ColumnChunk, ColumnMetaData, Statistics. */
function chunkOf(column: Struct): Chunk {
  const data = column.field_3 as {
    field_7: bigint
    field_9: bigint
    field_11?: bigint
    field_12?: { field_5?: Uint8Array; field_6?: Uint8Array }
  }
  return {
    offset: Number(data.field_11 ?? data.field_9),
    length: Number(data.field_7),
    first: utf8Text(data.field_12?.field_6),
    last: utf8Text(data.field_12?.field_5),
  }
}
