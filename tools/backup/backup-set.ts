/**
 * A folder of backups: each a folder with the database and the files of the history, which are second names of the same
 * files where the file system allows that. A backup is there once it has been verified, and replaces none before.
 */

import {
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { dateOf, monthOf, readPath } from '../../worker/history/bucket.ts'
import { DamagedPart } from '../../worker/history/open-file.ts'
import { countParquetRows } from '../../worker/history/part-hashes.ts'
import { StartError } from '../../worker/local/command-line.ts'
import { wholePaths } from '../../worker/local/whole-history.ts'
import { readBackupNote, writeBackupNote, type BackupNote } from './backup-note.ts'
import { copyDatabase, type Copied } from '../../worker/local/backup/copy.ts'
import { synced } from '../../worker/local/backup/database-file.ts'
import { writeHistoryList } from '../../worker/local/backup/history-list.ts'
import { requireWhole } from '../../worker/local/backup/require-whole.ts'

const DATABASE_NAME = 'database.sqlite'
export const HISTORY_NAME = 'history'

/** The name of a backup is when it was made: `2026-11-24T00-38-00Z`. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
const nameOf = (time: Date): string =>
  time
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
const timeOf = (name: string): Date =>
  new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, 'T$1:$2:$3Z'))

export interface Backup extends BackupNote {
  readonly path: string
}

/** The backups of a folder in the order of their numbers, which earlier releases did not give. */
async function backupsIn(folder: string): Promise<readonly Backup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const backups = names
    .filter((name) => NAME.test(name))
    .toSorted()
    .map(async (name): Promise<Backup> => {
      const path = join(folder, name)
      return { path, number: 0, made: timeOf(name), ...(await readBackupNote(path)) }
    })
  return (await Promise.all(backups)).toSorted((one, other) => one.number - other.number)
}

export interface MadeBackup extends Copied {
  readonly path: string
  readonly files: number
  /** Backups that were removed because there are newer ones. */
  readonly removed: number
}

/**
 * Makes a backup of a data folder, verifies it, and then removes the ones that were made first.
 *
 * @param root folder of the project @param keep how many backups stay
 * @throws StartError if the database is damaged; then all backups stay as they are
 */
export async function makeBackup(
  root: string,
  data: string,
  folder: string,
  keep: number,
  now: Date,
): Promise<MadeBackup> {
  const path = join(folder, nameOf(now))
  const draft = `${path}.partial`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeDrafts(folder)
  await mkdir(draft, { mode: 0o700 })
  try {
    const copied = await copyDatabase(data, join(draft, DATABASE_NAME), (copy) =>
      requireWhole(root, copy, `The database in ${data}`).then(() => undefined),
    )
    const files = await copyHistory(join(data, HISTORY_NAME), join(draft, HISTORY_NAME))
    const number = 1 + Math.max(0, ...(await backupsIn(folder)).map((one) => one.number))
    await writeBackupNote(draft, { number, made: now })
    await writeHistoryList(join(draft, HISTORY_NAME))
    await synced(draft)
    await rename(draft, path)
    await synced(folder)
    const removed = await removeOldest(folder, keep)
    return { ...copied, path, files, removed }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Drafts of backups that were killed. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (NAME.test(name.replace(/\.partial$/, '')) && name.endsWith('.partial'))
      await rm(join(folder, name), { recursive: true })
}

async function removeOldest(folder: string, keep: number): Promise<number> {
  const oldest = (await backupsIn(folder)).slice(0, -keep)
  for (const { path } of oldest) await rm(path, { recursive: true })
  return oldest.length
}

/** Times that a backup begins again because days were compacted meanwhile, which happens each hour for seconds. */
const MOST_COPIES = 20

/**
 * Gives the files of a history a second name in another folder, which a copy has elsewhere. A file of the history is never
 * changed: a newer one takes its name. Days may be compacted into months meanwhile, so the files are those of one moment.
 *
 * @returns how many files there are
 */
async function copyHistory(from: string, to: string): Promise<number> {
  for (let copies = 1; ; copies++) {
    const paths = await wholePaths(from)
    const missing = await linkAll(from, to, paths)
    const after = new Set(await wholePaths(from))
    if (missing === 0 && paths.every((path) => after.has(path))) {
      const wanted = new Set(paths)
      for (const path of await wholePaths(to)) if (!wanted.has(path)) await rm(join(to, path))
      return paths.length
    }
    if (copies === MOST_COPIES)
      throw new StartError(
        `The history in ${from} changes too often to be backed up. Try again later.`,
        1,
      )
  }
}

/** The file of `reports` commits a part, so it comes last. @returns how many files were there no more */
async function linkAll(from: string, to: string, paths: readonly string[]): Promise<number> {
  let missing = 0
  for (const path of paths.toSorted(reportsLast)) {
    try {
      await linked(join(from, path), join(to, path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      missing++
    }
  }
  return missing
}

export interface RestoredHistory {
  /** Files that were new in the folder. */
  readonly files: number
  /** Months that the backup has more reports of, in files that exclude those of the folder, as `2026-03`. */
  readonly lacking: readonly string[]
}

/**
 * Gives the files of a backup's history that a folder lacks a second name there. A month that one of the two has compacted
 * and the other has by days stays as it is in the folder, since both would hold the same reports.
 */
export async function restoreHistory(from: string, to: string): Promise<RestoredHistory> {
  const keyOf = (path: string): string => {
    const { span, day } = readPath(path)!
    return `${span} ${dateOf(monthOf(day)).slice(0, 7)}`
  }
  const own = await wholePaths(to)
  const there = new Set(own.map(keyOf))
  const isOther = (path: string): boolean => {
    const [span, month] = keyOf(path).split(' ')
    // A compacted month has days beside it that came late.
    const isCompacted = there.has(`month ${month}`)
    return span === 'day' ? isCompacted : !isCompacted && there.has(`day ${month}`)
  }
  let files = 0
  const others: string[] = []
  for (const path of (await wholePaths(from)).toSorted(reportsLast))
    if (isOther(path)) others.push(path)
    else files += Number(await linked(join(from, path), join(to, path)))
  const lacking: string[] = []
  for (const month of new Set(others.map((path) => keyOf(path).split(' ')[1]!))) {
    const ofMonth = (path: string): boolean => keyOf(path).endsWith(month)
    const [inBackup, inFolder] = [
      await countReports(from, others.filter(ofMonth)),
      await countReports(to, own.filter(ofMonth)),
    ]
    if (inBackup > inFolder) lacking.push(month)
  }
  return { files, lacking }
}

/** The reports that can be read from files of a history. */
async function countReports(history: string, paths: readonly string[]): Promise<number> {
  let reports = 0
  for (const path of paths.filter((one) => one.startsWith('reports/'))) {
    try {
      reports += countParquetRows(path, await readFile(join(history, path)))
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error
    }
  }
  return reports
}

const reportsLast = (one: string, other: string): number =>
  Number(one.startsWith('reports/')) - Number(other.startsWith('reports/')) ||
  (one < other ? -1 : 1)

async function linked(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    // Of a symbolic link, the file.
    await link(await realpath(from), to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!NO_LINK.has(code)) throw error
    await copyFile(from, `${to}.partial`)
    await synced(`${to}.partial`)
    await rename(`${to}.partial`, to)
  }
  return true
}

/** Another file system, one without links, or a file of another user. */
const NO_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'])

/** The database of a backup: the file itself, or the one in a backup's folder, or in the newest of a folder of them. */
export async function databaseOfBackup(
  path: string,
): Promise<{ readonly file: string; readonly history: string | null; readonly made: Date }> {
  const found = await stat(path)
  if (!found.isDirectory()) return { file: path, history: null, made: found.mtime }
  const newest = (await backupsIn(path)).at(-1)
  if (newest !== undefined) return databaseOfBackup(newest.path)
  const file = join(path, DATABASE_NAME)
  if (!existsSync(file)) throw new StartError(`${path} holds no backup.`, 2)
  const name = basename(path)
  const note = await readBackupNote(path)
  const made = note?.made ?? (NAME.test(name) ? timeOf(name) : (await stat(file)).mtime)
  return { file, history: join(path, HISTORY_NAME), made }
}
