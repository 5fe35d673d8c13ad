/** Puts a backup in the place of the database of a data folder. */

import { copyFile, chmod, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { typed } from '../../worker/local/commands.mjs'
import { unlockFolder } from '../../worker/local/folder-lock.ts'
import { StartError } from '../../worker/local/command-line.ts'
import { readMigrations } from '../../worker/local/migrations.ts'
import { takeFolder } from '../../worker/local/preconditions.ts'
import { giveToOwner } from '../../worker/local/owner.ts'
import {
  databaseOfBackup,
  HISTORY_NAME,
  restoreHistory,
  type RestoredHistory,
} from './backup-set.ts'
import { databaseFile, synced } from '../../worker/local/backup/database-file.ts'
import { forgetLostLog, lossInWords } from '../../worker/local/lost-log.ts'
import { expectedLog, lossOf } from '../../worker/local/backup/log-loss.ts'
import { requireWhole } from '../../worker/local/backup/require-whole.ts'
import { applyLog } from '../../worker/local/backup/wal.ts'

export interface RestorePlan {
  /** The database of the backup. */
  readonly file: string
  /** The folder of its history; null where the backup has none. */
  readonly history: string | null
  readonly bytes: number
  readonly reports: number | null
  /** The last migration that made it. */
  readonly release: string
  /** The folder that the earlier database moves to; null where there is none. */
  readonly earlier: string | null
  /** Whether only the log of an earlier database is there. */
  readonly isLogOnly: boolean
  /** What the log of the earlier database has lost, in words; null for nothing. */
  readonly lost: string | null
}

/**
 * What a restore would do. Changes nothing.
 *
 * @param root folder of the project @param now names the folder of the earlier database
 * @throws StartError if the backup is damaged, cut off, or no backup of this service
 */
export async function planRestore(
  root: string,
  path: string,
  data: string,
  now: Date,
): Promise<RestorePlan> {
  const { file, history } = await databaseOfBackup(path)
  await requireWholeFile(file)
  const { reports, migrations } = await requireWhole(root, file, file)
  const known = new Set((await readMigrations(join(root, 'migrations'))).map(({ name }) => name))
  const future = migrations!.find((name) => !known.has(name))
  if (future !== undefined)
    throw new StartError(
      `${file} was made by a later release: this one lacks its migration ${future}.`,
      2,
    )
  const hasDatabase = existsSync(databaseFile(data))
  const isLogOnly = !hasDatabase && existsSync(`${databaseFile(data)}-wal`)
  const folder = join(data, `before-restore-${now.toISOString().replaceAll(/[:.]/g, '-')}`)
  return {
    file,
    history,
    bytes: (await stat(file)).size,
    reports,
    release: migrations!.at(-1) ?? 'none',
    earlier: isLogOnly || hasDatabase ? folder : null,
    isLogOnly,
    lost: hasDatabase ? await lossInWords(data) : null,
  }
}

/**
 * Replaces the database. The folder holds a whole database at every moment: the earlier one gets the pages of its log first,
 * then a second name, and the restored one takes its name in one step.
 *
 * @returns what became of the history
 * @throws StartError if a service uses the folder
 */
export async function restoreDatabase(
  { file, history, earlier }: RestorePlan,
  data: string,
): Promise<RestoredHistory> {
  await takeFolder(data)
  const database = databaseFile(data)
  const folder = dirname(database)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${database}.restored`
  try {
    await copyFile(file, draft)
    await chmod(draft, 0o600)
    await synced(draft)
    // First: where it fails, the database is as it was, and files of the history do no harm beside it.
    const own = join(data, HISTORY_NAME)
    const done = history === null ? { files: 0, lacking: [] } : await restoreHistory(history, own)
    if (earlier !== null) await keepEarlier(data, earlier)
    await rename(draft, database)
    await forgetLostLog(data)
    await synced(folder)
    const restored = done.files === 0 ? [] : ['.', ...(await readdir(own, { recursive: true }))]
    await giveToOwner(data, [
      ...[folder, database, ...(earlier === null ? [] : [earlier])],
      ...restored.map((path) => join(own, path)),
    ])
    return done
  } finally {
    await rm(draft, { force: true })
    unlockFolder(data)
  }
}

/**
 * Leaves no log beside the database, which SQLite would apply to the restored one. A whole log is merged into the earlier
 * database; a damaged one is kept as it is.
 */
async function keepEarlier(data: string, folder: string): Promise<void> {
  const database = databaseFile(data)
  const log = `${database}-wal`
  await mkdir(folder, { mode: 0o700 })
  const hasDatabase = existsSync(database)
  const isWhole = hasDatabase && (await lossOf(await expectedLog(data), log)) === null
  if (isWhole && existsSync(log)) {
    await mergeLog(database)
    await rm(log)
  }
  if (hasDatabase) await link(database, join(folder, basename(database)))
  if (existsSync(log)) await rename(log, join(folder, basename(log)))
  await rm(`${database}-shm`, { force: true })
  await synced(dirname(database))
  await synced(folder)
}

/** As SQLite's own checkpoint: a power cut in the middle leaves the log, which is applied again. */
async function mergeLog(database: string): Promise<void> {
  const log = await open(`${database}-wal`, 'r')
  try {
    const pages = await open(database, 'r+')
    try {
      await applyLog(log, pages)
      await pages.sync()
    } finally {
      await pages.close()
    }
  } finally {
    await log.close()
  }
}

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/** Source of the header: sqlite.org/fileformat2.html, section 1.3. */
async function requireWholeFile(file: string): Promise<void> {
  const content = await readHeader(file)
  if (content.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StartError(`${file} isn't a backup: it isn't an SQLite database.`, 2)
  // 1 means 65,536.
  const pageBytes = content.readUInt16BE(16) === 1 ? 65_536 : content.readUInt16BE(16)
  const bytes = content.readUInt32BE(28) * pageBytes
  const { size } = await stat(file)
  if (size < bytes) throw new StartError(`${file} is cut off: it has ${size} bytes of ${bytes}.`, 2)
  if (existsSync(`${file}-wal`))
    throw new StartError(
      `${file} isn't a backup but a database with its log beside it. Make a backup of its data folder: ${typed('backup')}`,
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
