/**
 * The launcher's note of how far the log of the database goes: without it, a log that is removed together with its index
 * while the service is stopped leaves no trace.
 */

import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFile } from './database-file.ts'
import { repeatedly } from '../repeatedly.ts'
import { readLogIndex, type LogExtent } from './log-index.ts'

/** File in the data folder. */
export const NOTE_FILE = 'log-note.json'
/** The note is overwritten in its place: a file system then writes nothing at once, and needs no room for it. */
const NOTE_BYTES = 128
const NO_LOG: LogExtent = { salts: '', frames: 0, copied: 0 }

/** The note, and when it was written, in ms; null where there is none, or one that a power cut has left half written. */
export async function readNote(
  data: string,
): Promise<(LogExtent & { readonly noted: number }) | null> {
  const path = join(data, NOTE_FILE)
  try {
    const { salts, frames, copied } = JSON.parse(await readFile(path, 'utf8')) as LogExtent
    return { salts, frames, copied, noted: (await stat(path)).mtimeMs }
  } catch {
    return null
  }
}

async function writeNote(data: string, extent: LogExtent): Promise<void> {
  const path = join(data, NOTE_FILE)
  const bytes = Buffer.from(`${JSON.stringify(extent)}\n`.padStart(NOTE_BYTES))
  const file = await open(path, 'r+').catch(() => open(path, 'w', 0o600))
  try {
    await file.write(bytes)
  } finally {
    await file.close()
  }
}

/** Notes how far the log goes, now and every `everyMs`, where that has changed. @returns a function that ends the watch */
export function watchLogNote(data: string, everyMs: number): () => Promise<void> {
  let noted = ''
  return repeatedly(everyMs, async (signal) => {
    const extent = await readLogIndex(databaseFile(data)).catch(() => null)
    const text = JSON.stringify(extent)
    if (extent === null || text === noted || signal.aborted) return
    // A note that can't be written is older than the log, and then says less.
    await writeNote(data, extent).then(
      () => (noted = text),
      () => undefined,
    )
  })
}

/** To be called once no process has the database open: SQLite removes the log and its index with the last one. */
export const noteEnd = async (data: string): Promise<void> =>
  writeNote(data, (await readLogIndex(databaseFile(data))) ?? NO_LOG).catch(() => undefined)
