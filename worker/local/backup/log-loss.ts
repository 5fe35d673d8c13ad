/**
 * Finds out whether the log of the database (`-wal`) has all that was committed to it. SQLite reads a log up to its first bad
 * frame, and takes the rest for what a power cut left of a last transaction.
 *
 * Three things say how far a log went: its own frames, as whole transactions after a bad frame were once committed; its
 * index, which a killed process leaves as it is; and the launcher's note.
 */

import { open, stat, type FileHandle } from 'node:fs/promises'
import { endianness } from 'node:os'
import { databaseFile } from './database-file.ts'
import { readLogIndex, type LogExtent } from './log-index.ts'
import { readNote } from './log-note.ts'
import {
  type Checksum,
  isSum,
  ownSum,
  pagesAfter,
  readFrame,
  readLogHeader,
  saltsOf,
  sumAfter,
} from './wal.ts'

/** What a log has lost. */
export interface LogLoss {
  /** Frames that were committed, and that neither the log nor the database has; 0 where the database has them all. */
  readonly lost: number
  /** Frames that the log had, as far as is known. */
  readonly frames: number
  /** Whether the database has later pages than the log, whose earlier ones must not take their place. */
  readonly isStale: boolean
  /** Since when the lost frames were written, at the earliest, in ms. */
  readonly since: number
}

/** How far a log should go, as one witness says. */
interface Witness extends LogExtent {
  /** Whether the database lacks the frames that were not copied, also where the log is gone. */
  readonly isOfDatabase: boolean
}

export interface ExpectedLog {
  readonly witnesses: readonly Witness[]
  /** When the file of the database was last written, in ms: what was committed later is in the log alone. */
  readonly written: number
}

/** To be read before the log, which grows, or while writes are held. */
export async function expectedLog(data: string): Promise<ExpectedLog> {
  const note = await readNote(data)
  const index = await readLogIndex(databaseFile(data))
  const { mtimeMs: written } = await stat(databaseFile(data))
  const witnesses = [
    ...(index === null ? [] : [{ ...index, isOfDatabase: true }]),
    // A database that was written after the note may have got its frames since.
    ...(note === null ? [] : [{ ...note, isOfDatabase: written < note.noted }]),
  ]
  return { witnesses, written }
}

/** Compares a log with what is expected of it. @param log its path; the file may be gone @returns null for a whole log */
export async function lossOf(
  { witnesses, written }: ExpectedLog,
  log: string,
): Promise<LogLoss | null> {
  const { salts, readable, frames: found } = await scanLog(log)
  const same = witnesses.filter((one) => one.salts === salts)
  const frames = Math.max(found, ...same.map((one) => one.frames))
  const copied = Math.max(0, ...same.map((one) => one.copied))
  if (frames > readable) {
    const lost = frames - Math.max(readable, copied)
    return { lost, frames, isStale: copied > readable, since: written }
  }
  const gone = witnesses.find(
    (one) => one.isOfDatabase && one.frames > one.copied && !isSameOrLater(salts, one.salts),
  )
  if (gone === undefined) return null
  return { lost: gone.frames - gone.copied, frames: gone.frames, isStale: false, since: written }
}

/** SQLite adds 1 to the first salt when it begins a log again, once the database has all of it. */
function isSameOrLater(salts: string, than: string): boolean {
  const firstOf = (text: string): number => Number.parseInt(text.slice(0, 8), 16)
  return salts !== '' && (firstOf(salts) - firstOf(than)) >>> 0 < 2 ** 31
}

interface FoundLog {
  /** As a log's index has them; empty for no log. */
  readonly salts: string
  /** Frames that SQLite reads. */
  readonly readable: number
  /** Frames up to the last that was surely committed. */
  readonly frames: number
}

async function scanLog(path: string): Promise<FoundLog> {
  const log = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (log === null) return NO_LOG
  try {
    return await scan(log)
  } finally {
    await log.close()
  }
}

const NO_LOG: FoundLog = { salts: '', readable: 0, frames: 0 }
/** What SQLite writes on this machine, for a log whose own header is damaged. */
const USUAL = { pageBytes: 4096, isBigEndian: endianness() === 'BE' }
/** A power cut may keep the end of a last transaction and lose its beginning; of one before, all is on the disk. */
const CERTAIN_COMMITS = 2

async function scan(log: FileHandle): Promise<FoundLog> {
  const header = await readLogHeader(log)
  const format = header ?? USUAL
  const first = await readFrame(log, format, 1)
  const salts = header?.salts ?? (first === null ? null : saltsOf(first))
  if (salts === null) return NO_LOG
  let [readable, frames, commits] = [0, 0, 0]
  let isWhole = header !== null
  let sum: Checksum | null = header?.sum ?? null
  for (
    let number = 1, frame = first;
    frame !== null;
    frame = await readFrame(log, format, ++number)
  ) {
    const isOfLog = saltsOf(frame).equals(salts)
    const isNext = isOfLog && sum !== null && isSum(frame, 16, sumAfter(frame, format, sum))
    if (!isNext) [isWhole, commits] = [false, 0]
    if (isNext && pagesAfter(frame) !== 0) {
      if (isWhole) readable = number
      else if (++commits >= CERTAIN_COMMITS) frames = number
    }
    sum = isOfLog ? ownSum(frame) : null
  }
  return { salts: salts.toString('hex'), readable, frames: Math.max(readable, frames) }
}
