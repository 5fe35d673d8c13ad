/**
 * Bounds the log of the database (WAL). SQLite begins it again only at a moment when no process reads: readers without a
 * pause would let it grow without end.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { readLogIndex } from './backup/log-index.ts'
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from './backup/wal.ts'
import type { ReaderPool } from './host/reader-pool.ts'
import { repeatedly } from './repeatedly.ts'

/** Bytes from which a moment without readers is made. */
const SOUGHT_BYTES = 32 * 1024 * 1024
/** Bytes from which readers at work are ended for it. */
const FORCED_BYTES = 256 * 1024 * 1024
/** How long readers wait for such a moment at SOUGHT_BYTES; with the square of the size, they wait longer. */
const SHORTEST_WAIT_MS = 50
/** How long they wait after readers were ended, or while writes are held. */
const LONGEST_WAIT_MS = 2000

/** Bytes of the log that are in use; 0 where there is none. @param database path of its file */
export async function logBytes(database: string): Promise<number> {
  const { frames, pageBytes } = (await readLogIndex(database)) ?? { frames: 0, pageBytes: 0 }
  return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes)
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
export const watchLog = ({ database, pool, renew, everyMs }: LogOptions): (() => Promise<void>) =>
  repeatedly(everyMs, async (signal) => {
    const bytes = await logBytes(database).catch(() => 0)
    if (bytes <= SOUGHT_BYTES || signal.aborted) return
    const isForced = bytes > FORCED_BYTES
    if (isForced) pool.endAll()
    const patienceMs = isForced ? LONGEST_WAIT_MS : SHORTEST_WAIT_MS * (bytes / SOUGHT_BYTES) ** 2
    await pool.whenQuiet(patienceMs, () =>
      Promise.race([renew().catch(() => undefined), sleep(LONGEST_WAIT_MS, null, { ref: false })]),
    )
  })
