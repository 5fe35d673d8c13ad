/**
 * Reads a file of `reports` as far as archiving needs it: the span of certnames, and the hashes. Only files that
 * parquet.ts wrote: hashes are a required column whose texts stand behind
 * their lengths, all 40, so that a few lines read them.
 */

import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { invariant } from '../lib/invariant.ts'
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

/** The texts of a chunk's hashes, a page at a time: each is a header, and compressed: lengths, then the texts. */
function* textsOf(file: Uint8Array, { offset, length }: Chunk): Generator<Uint8Array> {
  const reader = { view: viewOf(file), offset }
  while (reader.offset < offset + length) {
    const header = deserializeTCompactProtocol(reader) as unknown as {
      field_3: number
      /** DataPageHeaderV2: how many values, and whether the page is compressed. */
      field_8?: { field_1: number; field_7?: boolean }
    }
    const page = file.subarray(reader.offset, reader.offset + header.field_3)
    invariant(header.field_8, 'a chunk of hashes has data pages only')
    const plain = header.field_8.field_7 === false ? page : gunzipSync(page)
    yield plain.subarray(plain.length - header.field_8.field_1 * HASH_LENGTH)
    reader.offset += header.field_3
  }
}

function* hashesOf(file: Uint8Array, chunk: Chunk): Generator<string> {
  for (const texts of textsOf(file, chunk)) {
    for (let at = 0; at < texts.length; at += HASH_LENGTH)
      yield textOf(texts.subarray(at, at + HASH_LENGTH))
  }
}

/** A file of `reports`, whole: some 90 bytes a report. */
async function readPart(bucket: HistoryBucket, day: number, part: number): Promise<Uint8Array> {
  const object = await bucket.get(filePath('reports', day, part))
  invariant(object, `${filePath('reports', day, part)} is listed`)
  return new Uint8Array(await object.arrayBuffer())
}

/** Reads what a part holds that the database does not know. */
export async function readSummary(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<PartSummary> {
  const { rows, groups } = readFooter(await readPart(bucket, day, part))
  return {
    reports: rows,
    first: groups[0]?.[CERTNAME]?.first ?? '',
    last: groups.at(-1)?.[CERTNAME]?.last ?? '',
  }
}

/** Reads the hashes of a part. */
export async function readHashes(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<string[]> {
  const file = await readPart(bucket, day, part)
  return readFooter(file).groups.flatMap((chunks) => [...hashesOf(file, chunks[HASH]!)])
}

/** Whether a part has a report. False for a part that is there no more. */
export async function holdsHash(
  bucket: HistoryBucket,
  day: number,
  part: number,
  hash: string,
): Promise<boolean> {
  const object = await bucket.get(filePath('reports', day, part))
  if (object === null) return false
  const file = new Uint8Array(await object.arrayBuffer())
  return readFooter(file).groups.some((chunks) =>
    [...textsOf(file, chunks[HASH]!)].some((texts) => isAmong(hash, texts)),
  )
}

function isAmong(hash: string, texts: Uint8Array): boolean {
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
  for (let at = all.indexOf(hash); at >= 0; at = all.indexOf(hash, at + 1))
    if (at % HASH_LENGTH === 0) return true
  return false
}
