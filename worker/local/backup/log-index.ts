/** Reads the index of the log (`-shm`), which SQLite writes at each commit, after the log. Source: sqlite.org/walformat.html, 2.1. */

import { open } from 'node:fs/promises'
import { endianness } from 'node:os'
import { checksum } from './wal.ts'

/** How far a log goes. */
export interface LogExtent {
  /** Salts of its frames, in hexadecimal digits. */
  readonly salts: string
  /** Frames that were committed. */
  readonly frames: number
  /** Frames, from the first on, whose pages the file of the database has. */
  readonly copied: number
}

const HEADER_BYTES = 48
/** SQLite writes the second copy first. */
const COPIES = [0, HEADER_BYTES]
const COPIED_AT = 2 * HEADER_BYTES
const PAGE_BYTES_AT = 14
const FRAMES_AT = 16
const SALTS_AT = 32
const SUM_AT = 40
const isBigEndian = endianness() === 'BE'

/** @param database path of its file @returns null where there is no index, or none that was written to its end */
export async function readLogIndex(
  database: string,
): Promise<(LogExtent & { readonly pageBytes: number }) | null> {
  const index = await open(`${database}-shm`, 'r').catch(() => null)
  if (index === null) return null
  try {
    const bytes = Buffer.alloc(COPIED_AT + 4)
    const { bytesRead } = await index.read(bytes, 0, bytes.length, 0)
    if (bytesRead < bytes.length) return null
    const numberAt = (at: number): number =>
      isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const start = COPIES.find((copy) => {
      const [first, second] = checksum(bytes.subarray(copy, copy + SUM_AT), isBigEndian, [0, 0])
      const isWritten = bytes.subarray(copy, copy + SUM_AT).some((byte) => byte !== 0)
      return (
        isWritten && numberAt(copy + SUM_AT) === first && numberAt(copy + SUM_AT + 4) === second
      )
    })
    if (start === undefined) return null
    const frames = numberAt(start + FRAMES_AT)
    return {
      salts: bytes.toString('hex', start + SALTS_AT, start + SALTS_AT + 8),
      frames,
      copied: Math.min(frames, numberAt(COPIED_AT)),
      pageBytes: bytes[isBigEndian ? 'readUInt16BE' : 'readUInt16LE'](start + PAGE_BYTES_AT),
    }
  } finally {
    await index.close()
  }
}
