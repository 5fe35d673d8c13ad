/** Watches whether reports can be stored: a disk fills up, a file system turns read-only, a folder goes while a service runs. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const EVERY_MS = 5000
/** As much as a report may well need. */
const SAMPLE = Buffer.alloc(64 * 1024)

/**
 * Tries to write into the folder from time to time, as long as this process lives.
 *
 * @param changed told a sentence when that fails for another reason than before, and null when it works again
 */
export function watchFolder(folder: string, changed: (problem: string | null) => void): void {
  let last: string | null = null
  const look = async (): Promise<void> => {
    const problem = await problemOf(folder)
    if (problem !== last) changed((last = problem))
    setTimeout(() => void look(), EVERY_MS).unref()
  }
  void look()
}

/** Why nothing can be written into a folder, in a sentence; null where it can. */
async function problemOf(folder: string): Promise<string | null> {
  let sample: string | null = null
  try {
    sample = await mkdtemp(join(folder, 'probe-'))
    await writeFile(join(sample, 'sample'), SAMPLE)
    return null
  } catch (error) {
    return sentenceOf(error as NodeJS.ErrnoException, folder)
  } finally {
    if (sample !== null) await rm(sample, { recursive: true, force: true }).catch(() => undefined)
  }
}

const REASONS: Readonly<Record<string, (folder: string) => string>> = {
  ENOSPC: (folder) => `The disk that holds ${folder} is full.`,
  EDQUOT: (folder) => `The quota of the disk that holds ${folder} is used up.`,
  EROFS: (folder) => `${folder} is on a file system that has become read-only.`,
  EACCES: (folder) => `The user ${userInfo().username} may not write into ${folder} any more.`,
  ENOENT: (folder) => `The folder ${folder} is gone.`,
}

/** What a failure to write there means, and how it shows. */
export function sentenceOf({ code = '', message }: NodeJS.ErrnoException, folder: string): string {
  const reason = REASONS[code]?.(folder) ?? `${folder} can't be written to (${code || message}).`
  return `${reason} Until that is mended no report is stored, and the status is 'error'.`
}
