/**
 * Reads a file of `reports` as far as archiving needs it: the span of certnames, and the hashes. Only files that
 * parquet.ts wrote: hashes are a required column whose texts stand behind
 * their lengths, all 40, so that a few lines read them.
 */

import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import type { RowGroup } from 'hyparquet'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { invariant } from '../lib/invariant.ts'
import { isHashText } from '../sql/encoding.ts'
import { filePath, type HistoryBucket } from './bucket.ts'
import {
  openBytes,
  openFile,
  openFileIfThere,
  readOrDamaged,
  startOf,
  utf8Text,
  type ColumnMetaData,
  type OpenFile,
} from './open-file.ts'

/** What a part holds. */
export interface PartSummary {
  readonly reports: number
  /** The first and the last certname, as far as statistics go. */
  readonly first: string
  readonly last: string
}

/**
 * How many rows a Parquet file has.
 *
 * @param path names the table
 * @throws DamagedPart for other bytes
 */
export const countParquetRows = (path: string, file: Uint8Array): number =>
  openBytes(path, file).rows

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const HASH_LENGTH = 40
const HASH = 0
const CERTNAME = 1

const chunkOf = ({ columns }: RowGroup, column: number): ColumnMetaData => {
  const chunk = columns[column]?.meta_data
  invariant(chunk !== undefined, 'a row group has all columns')
  return chunk
}

/**
 * The texts of a chunk's hashes, a page at a time: each is a header, and compressed: lengths, then the texts. Numbers of fields:
 * PageHeader, and DataPageHeaderV2 in its field 8.
 */
function* textsOf(file: Uint8Array, chunk: ColumnMetaData): Generator<Uint8Array> {
  const reader = { view: viewOf(file), offset: Number(startOf(chunk)) }
  const end = reader.offset + Number(chunk.total_compressed_size)
  while (reader.offset < end) {
    const { field_3: length, field_8: data } = deserializeTCompactProtocol(reader) as unknown as {
      field_3: number
      field_8?: { field_1: number; field_7?: boolean }
    }
    invariant(length >= 0, 'a page has a length')
    invariant(data !== undefined, 'a chunk of hashes has data pages only')
    const bytes = file.subarray(reader.offset, reader.offset + length)
    const plain = data.field_7 === false ? bytes : gunzipSync(bytes)
    yield plain.subarray(plain.length - data.field_1 * HASH_LENGTH)
    reader.offset += length
  }
}

function* hashesOf(file: Uint8Array, chunk: ColumnMetaData): Generator<string> {
  for (const texts of textsOf(file, chunk)) {
    for (let at = 0; at < texts.length; at += HASH_LENGTH)
      yield utf8Text(texts.subarray(at, at + HASH_LENGTH))
  }
}

/** Reads what a part holds that the database does not know. @throws DamagedPart */
export async function readSummary(
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<PartSummary> {
  const { rows, metadata } = await openFile(bucket, filePath('reports', day, part))
  const statisticsOf = (group: RowGroup | undefined) => group && chunkOf(group, CERTNAME).statistics
  return {
    reports: rows,
    first: String(statisticsOf(metadata.row_groups[0])?.min_value ?? ''),
    last: String(statisticsOf(metadata.row_groups.at(-1))?.max_value ?? ''),
  }
}

/** Reads the hashes of a part. @throws DamagedPart */
export const readHashes = async (
  bucket: HistoryBucket,
  day: number,
  part: number,
): Promise<string[]> => hashesIn(await openFile(bucket, filePath('reports', day, part)))

/** The hashes of a file of `reports`. @throws DamagedPart */
export const hashesIn = ({ path, bytes, rows, metadata }: OpenFile): string[] =>
  readOrDamaged(path, () => {
    const hashes = metadata.row_groups.flatMap((group) => [
      ...hashesOf(bytes, chunkOf(group, HASH)),
    ])
    invariant(hashes.length === rows && hashes.every(isHashText), `it has ${rows} hashes`)
    return hashes
  })

/** Whether a file of `reports` has a report. @throws DamagedPart */
export async function holdsHash(
  bucket: HistoryBucket,
  path: string,
  hash: string,
): Promise<boolean> {
  const { bytes, metadata } = await openFile(bucket, path)
  return readOrDamaged(path, () =>
    metadata.row_groups.some((group) =>
      [...textsOf(bytes, chunkOf(group, HASH))].some((texts) => isAmong(hash, texts)),
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
  const file = await openFileIfThere(bucket, path)
  if (file === null) return held
  return readOrDamaged(path, () => {
    for (const group of file.metadata.row_groups)
      for (const hash of hashesOf(file.bytes, chunkOf(group, HASH)))
        if (wanted.has(hash)) held.add(hash)
    return held
  })
}

function isAmong(hash: string, texts: Uint8Array): boolean {
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
  // No hash is found across two others: that would be a chance of 2^-160.
  return all.includes(hash)
}
