/**
 * Opens files of the history. Every reader comes here, so that a file that is missing, empty, cut, overwritten or another
 * file is named by its path. Files say their own path and have three checksums, all SHA-256: of each row group and of the footer, which
 * readers of ranges ask, and of all bytes. Digits of a checksum are zeros where it is computed.
 */

import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { ColumnChunk, FileMetaData, KeyValue, RowGroup } from 'hyparquet'
import { parquetMetadata } from 'hyparquet'
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
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')
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
  if (flaw === 'not given')
    return 'The next run reads it again. If that fails too, see who may read the file, or how the bucket is.'
  const place = readPath(path)
  if (place === null || place.span === 'month')
    return 'Put the file back from a backup. Without one, its rows are lost.'
  const commit = path.replace(/^[a-z]+/, 'reports')
  return `Put the file back from a backup. Without one, and only if the database still has all reports of the day with their events and logs, delete ${commit}: they are archived again.`
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
const OWN = 'report-query-service.'
const PATH_KEY = `${OWN}path`
const GROUPS_KEY = `${OWN}groups`
const FOOTER_KEY = `${OWN}footer`
const FILE_KEY = `${OWN}sha256`
const TABLES_KEY = `${OWN}tables`
const NO_CHECKSUM = '0'.repeat(64)
/** Digits of a row group's checksum. */
const GROUP_DIGITS = 16

/** The pair of a footer of `reports` that names the tables with which its part was written. */
export const tablesPair = (tables: readonly HistoryTable[]): KeyValue => ({
  key: TABLES_KEY,
  value: tables.join(),
})

/** The pairs by which a file is known as what was written. {@link sealed} writes the checksums. @param digests of its row groups */
export const ownPairs = (path: string, digests: readonly string[]): KeyValue[] => [
  { key: PATH_KEY, value: path },
  { key: GROUPS_KEY, value: digests.join() },
  { key: FOOTER_KEY, value: NO_CHECKSUM },
  { key: FILE_KEY, value: NO_CHECKSUM },
]

/** The checksum of a row group. @param pieces its bytes */
export function groupDigest(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex').slice(0, GROUP_DIGITS)
}

/** A file that is as it was written. */
export interface OpenFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly metadata: FileMetaData
  readonly rows: number
  /** The tables that the part of a day's `reports` was written with; none for other files. */
  readonly tables: readonly HistoryTable[]
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

/** @throws DamagedPart */
export const openBytes = (path: string, bytes: Uint8Array): OpenFile =>
  readOrDamaged(path, () => {
    requireParquet(bytes)
    requireChecksum(bytes)
    const metadata = readOwnFooter(path, bytes)
    const tables = pairOf(metadata, TABLES_KEY)?.split(',') ?? []
    return {
      path,
      bytes,
      metadata,
      rows: Number(metadata.num_rows),
      tables: tables as HistoryTable[],
    }
  })

/** Texts in the bytes of a column, or of its statistics. */
export const TEXT_PARSER = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8Text(bytes),
}
/** Numbers and texts stay as Parquet has them, so that a footer can be written again. */
export const PARSERS = {
  ...TEXT_PARSER,
  timestampFromMilliseconds: (milliseconds: bigint) => milliseconds,
  timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds,
}

/**
 * The footer of a file.
 *
 * @param end the file, or the end of it that has the footer
 * @throws Error for a footer that isn't as it was written, or is of another file
 */
export function readOwnFooter(path: string, end: Uint8Array): FileMetaData {
  const place = placeOf(FOOTER_KEY, end)
  if (digestOfFooter(end, place) !== digitsAt(end, place))
    throw new Error("its footer isn't as it was written")
  const metadata = parquetMetadata(end, { parsers: PARSERS })
  requireTable(path, new Set(metadata.schema.map(({ name }) => name)))
  const own = pairOf(metadata, PATH_KEY)
  if (own !== path) throw new Error(`it was written as ${own}`)
  return metadata
}

/** What a footer says of itself under a key. */
export const pairOf = (
  { key_value_metadata: pairs = [] }: FileMetaData,
  key: string,
): string | undefined => pairs.find((pair) => pair.key === key)?.value

/** @param bytes of the row group @throws DamagedPart where they aren't those that were written */
export function requireGroup(
  path: string,
  metadata: FileMetaData,
  group: RowGroup,
  bytes: Uint8Array,
): void {
  const digests = pairOf(metadata, GROUPS_KEY)?.split(',')
  if (digests?.[metadata.row_groups.indexOf(group)] !== groupDigest([bytes]))
    throw new DamagedPart(path, "a row group isn't as it was written")
}

/** @throws Error for bytes that don't begin and end as a Parquet file */
export function requireParquet(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new Error('it is empty')
  const ends = [bytes.subarray(0, MAGIC.length), bytes.subarray(-MAGIC.length)]
  if (bytes.length < TAIL_BYTES || !ends.every((end) => utf8Text(end) === MAGIC))
    throw new Error('it does not begin and end as a Parquet file does')
}

/** @throws Error for the schema of another table. @param names of the elements of the schema */
function requireTable(path: string, names: ReadonlySet<string>): void {
  const { table } = readPath(path)!
  const missing = HISTORY_TABLES[table].find(
    ({ id, name }) => id <= FIRST_VERSION[table] && !names.has(name),
  )
  if (missing !== undefined)
    throw new Error(`it has no column ${missing.name}, so it isn't a file of ${table}`)
}

/** Where the digits of a checksum begin, by its key in the footer. @throws Error where there is none */
function placeOf(key: string, bytes: Uint8Array): number {
  const start = footerStart(bytes)
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start)
  const at = footer.lastIndexOf(key)
  if (at < 0) throw new Error('its footer has no checksum')
  // After the key, a byte for the field and one for the length.
  return start + at + key.length + 2
}

const digitsAt = (bytes: Uint8Array, place: number): string =>
  utf8Text(bytes.subarray(place, place + NO_CHECKSUM.length))

/** SHA-256 of the bytes from a place on, with zeros for the digits at others. @param places in their order */
function digestFrom(bytes: Uint8Array, from: number, places: readonly number[]): string {
  const hash = createHash('sha256')
  let at = from
  for (const place of places) {
    hash.update(bytes.subarray(at, place)).update(NO_CHECKSUM)
    at = place + NO_CHECKSUM.length
  }
  return hash.update(bytes.subarray(at)).digest('hex')
}

/** @param place of its own digits, which those of the file follow */
const digestOfFooter = (bytes: Uint8Array, place: number): string =>
  digestFrom(bytes, footerStart(bytes), [place, placeOf(FILE_KEY, bytes)])

/** @throws Error where its checksum is of other bytes */
function requireChecksum(bytes: Uint8Array): void {
  const place = placeOf(FILE_KEY, bytes)
  if (digestFrom(bytes, 0, [place]) !== digitsAt(bytes, place))
    throw new Error('its bytes are not those that were written')
}

/** Writes the checksums of a finished file into it. */
export function sealed(bytes: Uint8Array): Uint8Array {
  const write = (place: number, digits: string) =>
    bytes.set(new TextEncoder().encode(digits), place)
  const [ofFooter, ofFile] = [placeOf(FOOTER_KEY, bytes), placeOf(FILE_KEY, bytes)]
  write(ofFooter, digestOfFooter(bytes, ofFooter))
  write(ofFile, digestFrom(bytes, 0, [ofFile]))
  return bytes
}

/** A byte order mark is part of a text here. */
const texts = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
export const utf8Text = (bytes: Uint8Array): string => texts.decode(bytes)

/** Where the footer begins. @throws Error where the bytes don't hold it */
function footerStart(bytes: Uint8Array): number {
  const end = bytes.length - TAIL_BYTES
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(end, true)
  if (length > end) throw new Error('it is cut off')
  return end - length
}

/** What a footer says of a column's chunk. */
export type ColumnMetaData = NonNullable<ColumnChunk['meta_data']>

/** Where the bytes of a chunk begin. */
export const startOf = (meta: ColumnMetaData): bigint =>
  meta.dictionary_page_offset ?? meta.data_page_offset
