/** What a backup says of itself: clocks may be wrong, so backups of a folder are numbered in the order in which they were made. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'backup.json'

export interface BackupNote {
  /** Greater than the numbers of all backups that were in the folder before. */
  readonly number: number
  readonly made: Date
}

export const writeBackupNote = (folder: string, { number, made }: BackupNote): Promise<void> =>
  writeFile(join(folder, FILE), `${JSON.stringify({ number, made })}\n`, {
    mode: 0o600,
    flush: true,
  })

/** Null for a backup that has none. */
export async function readBackupNote(folder: string): Promise<BackupNote | null> {
  try {
    const { number, made } = JSON.parse(await readFile(join(folder, FILE), 'utf8')) as {
      readonly number: number
      readonly made: string
    }
    return { number, made: new Date(made) }
  } catch {
    return null
  }
}
