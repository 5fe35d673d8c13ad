/**
 * Looks at the log of the database before a start, as SQLite drops what it can't read without a word, and remembers what
 * was lost for the metrics and `check-database`.
 */

import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LostLog } from '../integrity/checked-page.ts'
import { formatTimestamp } from '../lib/time.ts'
import { databaseFile } from './backup/database-file.ts'
import { expectedLog, lossOf, type LogLoss } from './backup/log-loss.ts'
import { readNoteFile, writeNoteFile } from './note-file.ts'

const FILE = 'lost-log.json'
/** A runtime of a launcher that was killed may still be ending. */
const AGAIN_MS = 500

const look = async (data: string): Promise<LogLoss | null> =>
  lossOf(await expectedLog(data), `${databaseFile(data)}-wal`)

/**
 * To be called while no process has the database open.
 *
 * @param onTrouble called with a sentence about a log that is damaged or gone
 */
export async function lookAtLog(
  data: string,
  onTrouble: (sentence: string) => void,
): Promise<void> {
  if (!existsSync(databaseFile(data)) || (await look(data)) === null) return
  await sleep(AGAIN_MS)
  const loss = await look(data)
  if (loss === null) return
  const log = `${databaseFile(data)}-wal`
  if (loss.isStale) {
    await rename(log, `${log}.damaged`)
    await rm(`${databaseFile(data)}-shm`, { force: true })
  }
  if (loss.lost === 0)
    return onTrouble(
      `The log of the database was damaged while the service was stopped. Nothing is lost: the database has all of its pages. The log is now ${log}.damaged.`,
    )
  const file = join(data, FILE)
  const { where, remedy } = wordsOf(loss)
  const lost: LostLog = {
    found: Date.now(),
    where,
    remedy: `${remedy} Remove ${file} when you have read this.`,
  }
  onTrouble(`Lost: ${where}. The log was damaged or removed. ${remedy}`)
  // A disk that is full must not keep the service from starting.
  await writeNoteFile(data, FILE, lost).catch(() => undefined)
}

/** What the log of a data folder's database has lost; null where all is there. To be called while no process has it open. */
export async function lossInWords(data: string): Promise<string | null> {
  const loss = await look(data)
  return loss === null || loss.lost === 0 ? null : wordsOf(loss).where
}

/** What a log has lost, in words. */
function wordsOf({ lost, frames, since }: LogLoss) {
  const minute = formatTimestamp(since).slice(0, 16)
  return {
    where: `${lost} of the ${frames} pages in the log of the database, with reports that were stored after ${minute}Z`,
    remedy: "A backup made later may have these reports. Their senders don't send them again.",
  }
}

/** What was lost, as the data folder remembers it until its file is removed or a backup is restored. */
export const readLostLog = (data: string): Promise<LostLog | null> =>
  readNoteFile<LostLog>(data, FILE)

/** Of an earlier database. */
export const forgetLostLog = (data: string): Promise<void> => rm(join(data, FILE), { force: true })
