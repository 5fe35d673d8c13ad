/** A backup in a folder that the service itself keeps would be taken for files of the history, or be in the database's way. */

import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { StartError } from '../../worker/local/command-line.ts'
import { HISTORY_NAME } from './backup-set.ts'
import { databaseFile } from '../../worker/local/backup/database-file.ts'

/** @param path of a backup to be made @throws StartError (2) */
export async function requireElsewhere(data: string, path: string): Promise<void> {
  const place = await realPlace(path)
  for (const folder of [join(data, HISTORY_NAME), dirname(databaseFile(data))]) {
    const way = relative(await realPlace(folder), place)
    if (way !== '..' && !way.startsWith('../'))
      throw new StartError(`${path} is within ${folder}. Choose a folder outside.`, 2)
  }
}

/** Where a path leads that may not exist yet. */
async function realPlace(path: string): Promise<string> {
  const known = await realpath(path).catch(() => null)
  if (known !== null || dirname(path) === path) return known ?? path
  return resolve(await realPlace(dirname(path)), relative(dirname(path), path))
}
