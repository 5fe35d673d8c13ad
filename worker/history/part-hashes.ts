/**
 * Reads a file of `reports` as far as archiving needs it: the span of certnames, and the hashes. Only files that
 * parquet.ts wrote: hashes are a required column whose texts stand behind
 * their lengths, all 40, so that a few lines read them.
 */

import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { invariant } from '../lib/invariant.ts'
import { isHashText } from '../sql/encoding.ts'
import { HISTORY_TABLE_NAMES } from '../schema/history-tables.ts'
import { filePath, type HistoryBucket } from './bucket.ts'

/** What a part holds. */
export interface PartSummary {
  readonly reports: number
  /** The first and the last certname, as far as statistics go. */
  readonly first: string
  readonly last: string
}

/** A struct of Thrift: fields by `field_` and their number in parquet.thrift. */
type Struct = { readonly [field: `field_${number}`]: unknown }

interface Chunk {
  readonly offset: number
  readonly length: number
  readonly first: string
  readonly last: string
}

/** Numbers of fields in parquet.thrift: FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, Statistics, PageHeader. */
interface Footer {
  readonly rows: number
  /** Of each row group, the chunk of each column. */
  readonly groups: readonly (readonly Chunk[])[]
}

const TAIL_BYTES = 8
const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

function readFooter(file: Uint8Array): Footer {
  const view = viewOf(file)
  const length = view.getUint32(file.length - TAIL_BYTES, true)
  const start = file.length - TAIL_BYTES - length
  const footer = deserializeTCompactProtocol({ view, offset: start }) as unknown as {
    field_3: bigint
    field_4: { field_1: Struct[] }[]
  }
  return {
    rows: Number(footer.field_3),
    groups: footer.field_4.map(({ field_1: columns }) => columns.map(chunkOf)),
  }
}

const MAGIC = 'PAR1'

/**
 * How many rows a Parquet file has.
 *
 * @throws Error for other bytes
 */
export function countParquetRows(file: Uint8Array): number {
  const isParquet = [file.subarray(0, MAGIC.length), file.subarray(-MAGIC.length)].every(
    (bytes) => textOf(bytes) === MAGIC,
  )
  if (!isParquet) throw new Error('The bytes are no Parquet file.')
  return readFooter(file).rows
}

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
    first: textOf(data.field_12?.field_6),
    last: textOf(data.field_12?.field_5),
  }
}

const HASH_LENGTH = 40
const HASH = 0
const CERTNAME = 1

/** A page of a chunk: its header, and its bytes as they are packed. */
interface PackedPage {
  readonly values: number | undefined
  readonly isPacked: boolean
  /** Bytes of the levels before the packed values. */
  readonly levels: number
  readonly bytes: Uint8Array
}

/** Numbers of fields: PageHeader, and DataPageHeaderV2 in its field 8. */
function* pagesOf(file: Uint8Array, { offset, length }: Chunk): Generator<PackedPage> {
  const reader = { view: viewOf(file), offset }
  while (reader.offset < offset + length) {
    const header = deserializeTCompactProtocol(reader) as unknown as {
      field_3: number
      field_8?: { field_1: number; field_5?: number; field_6?: number; field_7?: boolean }
    }
    invariant(header.field_3 >= 0, 'a page has a length')
    const data = header.field_8
    yield {
      values: data?.field_1,
      isPacked: data?.field_7 !== false,
      levels: (data?.field_5 ?? 0) + (data?.field_6 ?? 0),
      bytes: file.subarray(reader.offset, reader.offset + header.field_3),
    }
    reader.offset += header.field_3
  }
}

/** Reads all bytes of a part's files. @returns its reports @throws DamagedPart */
export async function requireReadable(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<number> {
  const { length } = await readHashes(bucket, day, part)
  for (const table of HISTORY_TABLE_NAMES)
    await requireReadableFile(bucket, filePath(table, day, part))
  return length
}

/** Reads all bytes of a file, whose pages have checksums. @returns its rows, 0 where there is none @throws DamagedPart */
export async function requireReadableFile(bucket: HistoryBucket, path: string): Promise<number> {
  const object = await bucket.get(path)
  if (object === null) return 0
  const file = new Uint8Array(await object.arrayBuffer())
  return readOrDamaged(path, () => {
    const { rows, groups } = readFooter(file)
    for (const chunk of groups.flat())
      for (const { isPacked, levels, bytes } of pagesOf(file, chunk))
        if (isPacked) gunzipSync(bytes.subarray(levels))
    return rows
  })
}

/** The texts of a chunk's hashes, a page at a time: each is a header, and compressed: lengths, then the texts. */
function* textsOf(file: Uint8Array, chunk: Chunk): Generator<Uint8Array> {
  for (const { values, isPacked, bytes } of pagesOf(file, chunk)) {
    invariant(values !== undefined, 'a chunk of hashes has data pages only')
    const plain = isPacked ? gunzipSync(bytes) : bytes
    yield plain.subarray(plain.length - values * HASH_LENGTH)
  }
}

function* hashesOf(file: Uint8Array, chunk: Chunk): Generator<string> {
  for (const texts of textsOf(file, chunk)) {
    for (let at = 0; at < texts.length; at += HASH_LENGTH)
      yield textOf(texts.subarray(at, at + HASH_LENGTH))
  }
}

/** A file of `reports` that is not as parquet.ts wrote it. */
export class DamagedPart extends Error {
  override readonly name = 'DamagedPart'
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(`${path} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** @throws DamagedPart, where reading a file throws anything: its bytes may lead anywhere */
export function readOrDamaged<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new DamagedPart(path, error)
  }
}

/** A file of `reports`, whole: about 90 bytes per report. */
async function readPart(bucket: HistoryBucket, path: string): Promise<Uint8Array> {
  const object = await bucket.get(path)
  invariant(object, `${path} is listed`)
  return new Uint8Array(await object.arrayBuffer())
}

/** Reads what a part holds that the database does not know. @throws DamagedPart */
export async function readSummary(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<PartSummary> {
  const path = filePath('reports', day, part)
  const file = await readPart(bucket, path)
  return readOrDamaged(path, () => {
    const { rows, groups } = readFooter(file)
    return {
      reports: rows,
      first: groups[0]?.[CERTNAME]?.first ?? '',
      last: groups.at(-1)?.[CERTNAME]?.last ?? '',
    }
  })
}

/** Reads the hashes of a part. @throws DamagedPart */
export async function readHashes(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<string[]> {
  const path = filePath('reports', day, part)
  const file = await readPart(bucket, path)
  return readOrDamaged(path, () => {
    const { rows, groups } = readFooter(file)
    const hashes = groups.flatMap((chunks) => [...hashesOf(file, chunks[HASH]!)])
    invariant(hashes.length === rows && hashes.every(isHashText), `it has ${rows} hashes`)
    return hashes
  })
}

/** Whether a file of `reports` has a report. False for a file that is there no more. @throws DamagedPart */
export async function holdsHash(
  bucket: HistoryBucket,
  path: string,
  hash: string,
): Promise<boolean> {
  const object = await bucket.get(path)
  if (object === null) return false
  const file = new Uint8Array(await object.arrayBuffer())
  return readOrDamaged(path, () =>
    readFooter(file).groups.some((chunks) =>
      [...textsOf(file, chunks[HASH]!)].some((texts) => isAmong(hash, texts)),
    ),
  )
}

/**
 * Which of these hashes a file of `reports` holds. Of a large file no more is in memory than its bytes and one page.
 *
 * @returns none where the file is there no more @throws DamagedPart
 */
export async function heldHashes(
  bucket: HistoryBucket,
  path: string,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(hashes)
  const held = new Set<string>()
  const object = await bucket.get(path)
  if (object === null) return held
  const file = new Uint8Array(await object.arrayBuffer())
  return readOrDamaged(path, () => {
    for (const chunks of readFooter(file).groups)
      for (const hash of hashesOf(file, chunks[HASH]!)) if (wanted.has(hash)) held.add(hash)
    return held
  })
}

function isAmong(hash: string, texts: Uint8Array): boolean {
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
  for (let at = all.indexOf(hash); at >= 0; at = all.indexOf(hash, at + 1))
    if (at % HASH_LENGTH === 0) return true
  return false
}
