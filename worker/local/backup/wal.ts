/** Reads a write-ahead log, and writes its pages into the file of its database. Source: sqlite.org/fileformat2.html, section 4. */

import type { FileHandle } from 'node:fs/promises'

export const LOG_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

export type Checksum = readonly [first: number, second: number]

/** The beginning of a log. */
interface LogHeader {
  readonly isBigEndian: boolean
  readonly pageBytes: number
  /** What frames of this log have, and frames that are left from an earlier one don't. */
  readonly salts: Buffer
  readonly sum: Checksum
}

interface Frame {
  readonly page: number
  /** Pages of the database after the transaction that ends with this frame; 0 if none ends here. */
  readonly pages: number
  readonly content: Buffer
}

/**
 * Applies all complete transactions of the log.
 *
 * @param log the log, whose last transaction may be cut off
 * @param database the file; no other process may write it meanwhile
 * @returns how many pages were written
 */
export async function applyLog(log: FileHandle, database: FileHandle): Promise<number> {
  let written = 0
  let transaction: Frame[] = []
  for await (const frame of framesOf(log)) {
    transaction.push(frame)
    if (frame.pages === 0) continue
    const { length } = frame.content
    for (const { page, content } of transaction)
      await database.write(content, 0, length, (page - 1) * length)
    await database.truncate(frame.pages * length)
    written += transaction.length
    transaction = []
  }
  return written
}

/** Frames up to the first that is incomplete or belongs to another log. */
async function* framesOf(log: FileHandle): AsyncGenerator<Frame> {
  const header = await readLogHeader(log)
  if (header === null) return
  let { sum } = header
  for (let number = 1; ; number++) {
    const frame = await readFrame(log, header, number)
    if (frame === null || !saltsOf(frame).equals(header.salts)) return
    sum = sumAfter(frame, header, sum)
    if (!isSum(frame, 16, sum)) return
    const content = frame.subarray(FRAME_HEADER_BYTES)
    yield { page: frame.readUInt32BE(0), pages: pagesAfter(frame), content }
  }
}

/** Null where SQLite takes the log for an empty one. */
export async function readLogHeader(log: FileHandle): Promise<LogHeader | null> {
  const header = await readExactly(log, LOG_HEADER_BYTES, 0)
  if (header === null || (header.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return null
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1
  const sum = checksum(header.subarray(0, 24), isBigEndian, [0, 0])
  if (!isSum(header, 24, sum)) return null
  return { isBigEndian, pageBytes: header.readUInt32BE(8), salts: header.subarray(16, 24), sum }
}

/** A frame with its header, counted from 1; null after the last whole one. */
export const readFrame = (
  log: FileHandle,
  { pageBytes }: Pick<LogHeader, 'pageBytes'>,
  number: number,
): Promise<Buffer | null> => {
  const bytes = FRAME_HEADER_BYTES + pageBytes
  return readExactly(log, bytes, LOG_HEADER_BYTES + (number - 1) * bytes)
}

export const saltsOf = (frame: Buffer): Buffer => frame.subarray(8, 16)
/** Pages of the database after the transaction that ends with this frame; 0 if none ends here. */
export const pagesAfter = (frame: Buffer): number => frame.readUInt32BE(4)
/** The checksum that a frame has itself. */
export const ownSum = (frame: Buffer): Checksum => [frame.readUInt32BE(16), frame.readUInt32BE(20)]

/** The checksum that a frame should have. @param before checksum of the frame before, or of the log's header */
export const sumAfter = (
  frame: Buffer,
  { isBigEndian }: Pick<LogHeader, 'isBigEndian'>,
  before: Checksum,
): Checksum =>
  checksum(
    frame.subarray(FRAME_HEADER_BYTES),
    isBigEndian,
    checksum(frame.subarray(0, 8), isBigEndian, before),
  )

async function readExactly(file: FileHandle, bytes: number, at: number): Promise<Buffer | null> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at)
  return bytesRead === bytes ? buffer : null
}

/** Whether the checksum at a place of a header or a frame is this one. */
export const isSum = (buffer: Buffer, at: number, [first, second]: Checksum): boolean =>
  buffer.readUInt32BE(at) === first && buffer.readUInt32BE(at + 4) === second

/** @param bytes a multiple of 8 */
export function checksum(bytes: Buffer, isBigEndian: boolean, [first, second]: Checksum): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0
  }
  return [first, second]
}
