/** Watches whether reports can be stored: while a service runs, a disk can fill up, a file system turn read-only, or a folder disappear. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { repeatedly } from './repeatedly.ts'
import { makeReserve } from './reserve.ts'

/** About as many bytes as a report needs. */
const SAMPLE = Buffer.alloc(64 * 1024)

/** Why reports can't be stored. */
export interface StorageProblem {
  readonly sentence: string
  /** Whether the service must refuse them, as the runtime would take them into files that are gone. */
  readonly refuses: boolean
}

/**
 * Tries to write into the folder, and looks after the files of the database, with pauses of so many ms.
 *
 * @param lookAfterFiles says what is wrong with them; null if nothing is
 * @param changed called with a problem when there is a new one, and with null when reports can be stored again
 * @returns a function that stops it, and resolves when nothing is written any more
 */
export function watchFolder(
  folder: string,
  everyMs: number,
  lookAfterFiles: () => Promise<string | null>,
  changed: (problem: StorageProblem | null) => void,
): () => Promise<void> {
  let last: StorageProblem | null = null
  const lookOnce = async (): Promise<StorageProblem | null> => {
    const ofFiles = await lookAfterFiles().catch((error: Error) => error.message)
    return ofFiles === null ? problemOf(folder) : { sentence: ofFiles, refuses: true }
  }
  return repeatedly(everyMs, async (signal) => {
    let problem = await lookOnce()
    // A folder that was removed after its files were looked at is written back by the second look.
    if (problem?.refuses === true) problem = await lookOnce()
    if (!signal.aborted && problem?.sentence !== last?.sentence) changed((last = problem))
  })
}

/** Why nothing can be written into a folder; null if writing works. */
async function problemOf(folder: string): Promise<StorageProblem | null> {
  let sample: string | null = null
  try {
    sample = await mkdtemp(join(folder, 'probe-'))
    await writeFile(join(sample, 'sample'), SAMPLE)
    await makeReserve(folder)
    return null
  } catch (error) {
    const refuses = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { sentence: sentenceOf(error as NodeJS.ErrnoException, folder), refuses }
  } finally {
    if (sample !== null) await rm(sample, { recursive: true, force: true }).catch(() => undefined)
  }
}

const REASONS: Readonly<Record<string, (folder: string) => string>> = {
  ENOSPC: (folder) => `The disk that holds ${folder} is full.`,
  EDQUOT: (folder) => `The quota of the disk that holds ${folder} is used up.`,
  EROFS: (folder) => `${folder} is on a file system that is read-only.`,
  EACCES: (folder) => `The user ${userInfo().username} may not write into ${folder}.`,
  ENOENT: (folder) => `The folder ${folder} is gone.`,
  EMFILE: () =>
    'The service has as many connections and files open as its limit (ulimit -n) allows.',
}

/** Why a write into the folder failed, by the error's code; null for a code that is rare. */
export const writeFailure = (code: string, folder: string): string | null =>
  REASONS[code]?.(folder) ?? null

/** The message for a failed write while the service runs. */
export function sentenceOf({ code = '', message }: NodeJS.ErrnoException, folder: string): string {
  const reason = writeFailure(code, folder) ?? `${folder} can't be written to (${code || message}).`
  return `${reason} Until that is fixed no report is stored, and the status is 'error'.`
}
