/** The file of the database in a data folder, and sentences about files that can't be read or written. */

import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../command-line.ts'

/** The folder and file of workerd's object: they derive from the key and name in `host/configuration.ts`. */
const FOLDER = 'miniflare-D1DatabaseObject'
const FILE = '6988ad65622f0b50e0a9128910d87250055bdf609ce958d290050ea843356733.sqlite'

/** Where the database of a data folder is, or would be. */
export const databaseFile = (data: string): string => join(data, FOLDER, FILE)

/** The database of the folder. @throws StartError (4) if it holds none that this user can read */
export async function databaseIn(data: string): Promise<string> {
  const file = databaseFile(data)
  const names: readonly string[] = await readdir(join(data, FOLDER)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') throw new StartError(fileSentence(error, data), 4)
      return []
    },
  )
  if (!names.includes(FILE))
    throw new StartError(`${data} holds no database of the report query service.`, 4)
  return file
}

/** Makes sure that the names in a folder, or the content of a file, survive a power cut. */
export async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `This user may not read or write ${path}.`,
  EPERM: (path) => `This user may not change ${path}.`,
  EROFS: (path) => `${path} is on a file system that is read-only.`,
  ENOENT: (path) => `There is no ${path}, or no folder for it.`,
  EISDIR: (path) => `${path} is a folder.`,
  ENOTDIR: (path) => `A part of ${path} isn't a folder.`,
  ENOSPC: (path) => `There is no room on the disk for ${path}.`,
  EDQUOT: (path) => `There is no room within the quota for ${path}.`,
}

/** What the system refused, and about which file. @param path the file where the error names none */
export function fileSentence(error: NodeJS.ErrnoException & { dest?: string }, path = ''): string {
  const { code = '', message } = error
  return REASONS[code]?.(error.dest ?? error.path ?? path) ?? message
}
