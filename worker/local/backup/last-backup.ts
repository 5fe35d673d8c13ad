/** When the last good backup of a data folder was made: noted by the command that makes them, for the service's metrics. */

import { readNoteFile, writeNoteFile } from '../note-file.ts'

const FILE = 'last-backup.json'

interface BackupNote {
  readonly path: string
  readonly made: string
}

const noteOf = (data: string): Promise<BackupNote | null> => readNoteFile<BackupNote>(data, FILE)

/** Notes a backup that was verified. */
export const noteBackup = (data: string, path: string, made: Date): Promise<void> =>
  writeNoteFile(data, FILE, { path, made: made.toISOString() })

/** @returns when, in ms; null where none was noted */
export async function lastBackupOf(data: string): Promise<number | null> {
  const time = Date.parse((await noteOf(data))?.made ?? '')
  return Number.isNaN(time) ? null : time
}

/** @returns where; null where none was noted */
export const lastBackupPathOf = async (data: string): Promise<string | null> =>
  (await noteOf(data))?.path ?? null
