/** Puts a backup in the place of the database of a data folder. */

import { copyFile, chmod, chown, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../options.ts'
import { takeFolder } from '../preconditions.ts'
import { BESIDE, databaseFile } from './database-file.ts'

export interface RestoredBackup {
  readonly bytes: number
  /** The folder that the earlier database was moved to; null if there was none. */
  readonly earlier: string | null
}

/**
 * Replaces the database. The folder holds a whole database at every moment: the earlier or the restored one.
 *
 * @param now names the folder of the earlier database
 * @throws StartError if the file is no backup, or if a service uses the folder
 */
export async function restoreDatabase(
  file: string,
  data: string,
  now: Date,
): Promise<RestoredBackup> {
  await requireBackup(file)
  await takeFolder(data)
  const database = databaseFile(data)
  const folder = dirname(database)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${database}.restored`
  try {
    await copyFile(file, draft)
    await chmod(draft, 0o600)
    await synced(draft)
    const earlier = existsSync(database) ? await setAside(database, data, now) : null
    await rename(draft, database)
    await synced(folder)
    await giveTo(data, [folder, database, ...(earlier === null ? [] : [earlier])])
    return { bytes: (await stat(database)).size, earlier }
  } finally {
    await rm(draft, { force: true })
  }
}

/** Keeps the earlier database with its log, which SQLite would otherwise apply to the restored one. */
async function setAside(database: string, data: string, now: Date): Promise<string> {
  const folder = join(data, `before-restore-${now.toISOString().replaceAll(/[:.]/g, '-')}`)
  await mkdir(folder, { mode: 0o700 })
  await link(database, join(folder, basename(database)))
  for (const suffix of BESIDE)
    if (existsSync(database + suffix))
      await rename(database + suffix, join(folder, basename(database) + suffix))
  return folder
}

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What root has made belongs to the user of the service, who owns the data folder. */
async function giveTo(data: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(data)
  for (const path of paths) await chown(path, uid, gid)
}

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/** Source of the header: sqlite.org/fileformat2.html, section 1.3. */
async function requireBackup(file: string): Promise<void> {
  const content = await readHeader(file)
  if (content.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StartError(`${file} is no backup: it is no SQLite database.`, 2)
  // 1 stands for 65,536.
  const pageBytes = content.readUInt16BE(16) === 1 ? 65_536 : content.readUInt16BE(16)
  const bytes = content.readUInt32BE(28) * pageBytes
  const { size } = await stat(file)
  if (size < bytes) throw new StartError(`${file} is cut off: it has ${size} bytes of ${bytes}.`, 2)
  if (existsSync(`${file}-wal`))
    throw new StartError(
      `${file} is no backup but a database with its log beside it. Make a backup of its data folder: npm run backup`,
      2,
    )
}

async function readHeader(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return bytesRead === HEADER_BYTES ? buffer : Buffer.alloc(HEADER_BYTES)
  } finally {
    await handle.close()
  }
}
