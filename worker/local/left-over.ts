/** A data folder that has lost its database is no place for a new one: reports would be missing, and nothing would say so. */

import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFile } from './backup/database-file.ts'
import { lastBackupPathOf } from './backup/last-backup.ts'
import { NOTE_FILE } from './backup/log-note.ts'
import { typed } from './commands.mjs'
import { StartError } from './command-line.ts'

/** Copies that the service and its commands keep. */
const COPY = /^before-/

/** @throws StartError (5) where the folder has files of a database, and not the database */
export async function requireNothingLeft(data: string): Promise<void> {
  const database = databaseFile(data)
  if (existsSync(database)) return
  const names = await readdir(data)
  const copies = names.filter((name) => COPY.test(name))
  const log = await stat(`${database}-wal`).catch(() => null)
  const history = await readdir(join(data, 'history'), { recursive: true }).catch(() => [])
  const backup = await lastBackupPathOf(data)
  const left = [
    ...((log?.size ?? 0) > 0 ? [`the log ${database}-wal`] : []),
    ...(history.some((name) => name.endsWith('.parquet')) ? ['a history'] : []),
    ...copies,
    ...(backup === null ? [] : [`a note of the backup ${backup}`]),
    ...(names.includes(NOTE_FILE) ? [NOTE_FILE] : []),
  ]
  if (left.length === 0) return
  throw new StartError(
    `The database ${database} is gone. The folder still has ${left.join(', ')}. Put it back, or restore a backup: ${typed('restore', `${backup ?? 'PATH'} --data ${data}`)}. For an empty database, choose another folder, or move the rest away.`,
    5,
  )
}
