/** Writes the pages of a write-ahead log into its database file. Source: sqlite.org/fileformat2.html, section 4. */

import type { FileHandle } from 'node:fs/promises'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

type Checksum = readonly [first: number, second: number]

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
  const header = await readExactly(log, HEADER_BYTES, 0)
  if (header === null || (header.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return
  const bigEndian = (header.readUInt32BE(0) & 1) === 1
  const pageBytes = header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  let sum = checksum(header.subarray(0, 24), bigEndian, [0, 0])
  if (!isSum(header, 24, sum)) return
  for (let at = HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
    const frame = await readExactly(log, FRAME_HEADER_BYTES + pageBytes, at)
    if (frame === null || !frame.subarray(8, 16).equals(salts)) return
    const content = frame.subarray(FRAME_HEADER_BYTES)
    sum = checksum(content, bigEndian, checksum(frame.subarray(0, 8), bigEndian, sum))
    if (!isSum(frame, 16, sum)) return
    yield { page: frame.readUInt32BE(0), pages: frame.readUInt32BE(4), content }
  }
}

async function readExactly(file: FileHandle, bytes: number, at: number): Promise<Buffer | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
  return bytesRead === bytes ? buffer : null
}

const isSum = (buffer: Buffer, at: number, [first, second]: Checksum): boolean =>
  buffer.readUInt32BE(at) === first && buffer.readUInt32BE(at + 4) === second

function checksum(bytes: Buffer, bigEndian: boolean, [first, second]: Checksum): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, !bigEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, !bigEndian) + first) >>> 0
  }
  return [first, second]
}
