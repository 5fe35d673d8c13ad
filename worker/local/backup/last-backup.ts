/** When the last good backup of a data folder was made: noted by the command that makes them, for the service's metrics. */

import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { giveToOwner } from '../owner.ts'

const FILE = 'last-backup.json'

/** Notes a backup that was verified. */
export async function noteBackup(data: string, path: string, made: Date): Promise<void> {
  const draft = join(data, `${FILE}.partial`)
  await writeFile(draft, `${JSON.stringify({ path, made: made.toISOString() })}\n`, { mode: 0o600 })
  await giveToOwner(data, [draft])
  await rename(draft, join(data, FILE))
}

/** @returns when, in ms; null where none was noted */
export async function lastBackupOf(data: string): Promise<number | null> {
  const time = Date.parse((await noteOf(data))?.made ?? '')
  return Number.isNaN(time) ? null : time
}

/** @returns where; null where none was noted */
export const lastBackupPathOf = async (data: string): Promise<string | null> =>
  (await noteOf(data))?.path ?? null

interface BackupNote {
  readonly path: string
  readonly made: string
}

async function noteOf(data: string): Promise<BackupNote | null> {
  try {
    return JSON.parse(await readFile(join(data, FILE), 'utf8')) as BackupNote
  } catch {
    // No backup yet, or a note that a power cut has left half written.
    return null
  }
}
