/**
 * Bounds the log of the database (WAL). SQLite begins it again only at a moment when no process reads: readers without a
 * pause would let it grow without end.
 */

import { open } from 'node:fs/promises'
import { endianness } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReaderPool } from './host/reader-pool.ts'

/** Bytes from which a moment without readers is made. */
const SOUGHT_BYTES = 32 * 1024 * 1024
/** Bytes from which readers at work are ended for it. */
const FORCED_BYTES = 256 * 1024 * 1024
/** How long readers wait for such a moment at SOUGHT_BYTES; with the square of the size, they wait longer. */
const SHORTEST_WAIT_MS = 50
/** How long they wait after readers were ended, or while writes are held. */
const LONGEST_WAIT_MS = 2000

/** Where SQLite keeps the size of a page and the number of frames in the index of a log. Source: sqlite.org/walformat.html, 2.1. */
const PAGE_SIZE_AT = 14
const FRAMES_AT = 16
const HEADER_BYTES = 20
/** Of a frame and of the log. Source: sqlite.org/fileformat2.html, 4.1. */
const FRAME_HEADER_BYTES = 24
const LOG_HEADER_BYTES = 32

/** Bytes of the log that are in use; 0 where there is none. @param database path of its file */
export async function logBytes(database: string): Promise<number> {
  const index = await open(`${database}-shm`, 'r').catch(() => null)
  if (index === null) return 0
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    const { bytesRead } = await index.read(header, 0, HEADER_BYTES, 0)
    if (bytesRead < HEADER_BYTES) return 0
    const isLittle = endianness() === 'LE'
    const page = isLittle ? header.readUInt16LE(PAGE_SIZE_AT) : header.readUInt16BE(PAGE_SIZE_AT)
    const frames = isLittle ? header.readUInt32LE(FRAMES_AT) : header.readUInt32BE(FRAMES_AT)
    return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + page)
  } finally {
    await index.close()
  }
}

export interface LogOptions {
  /** Path of its file. */
  readonly database: string
  readonly pool: ReaderPool
  /** Has the process that writes copy the log into the database and begin it again. */
  readonly renew: () => Promise<unknown>
  /** Between two looks, in ms. */
  readonly everyMs: number
}

/** @returns a function that ends the watch */
export function watchLog({ database, pool, renew, everyMs }: LogOptions): () => void {
  let isOver = false
  let next: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const bytes = await logBytes(database).catch(() => 0)
    if (bytes > SOUGHT_BYTES && !isOver) {
      const isForced = bytes > FORCED_BYTES
      if (isForced) pool.endAll()
      const patienceMs = isForced ? LONGEST_WAIT_MS : SHORTEST_WAIT_MS * (bytes / SOUGHT_BYTES) ** 2
      await pool.whenQuiet(patienceMs, () =>
        Promise.race([
          renew().catch(() => undefined),
          sleep(LONGEST_WAIT_MS, null, { ref: false }),
        ]),
      )
    }
    if (!isOver) next = setTimeout(() => void look(), everyMs).unref()
  }
  void look()
  return () => {
    isOver = true
    clearTimeout(next)
  }
}
