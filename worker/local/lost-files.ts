/**
 * Watches the files of the database while the runtime has them open: a file that is removed keeps taking reports, which are
 * lost with the process. Where the system gives access to open files (Linux), a removed file is written back from them.
 */

import { existsSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databaseFile, synced } from './backup/database-file.ts'

/** A file of the database that is not at its place. */
interface LostFile {
  readonly path: string
  /** Removed: no name leads to it any more. Moved: it has another. Replaced: another file has its name. */
  readonly how: 'removed' | 'moved' | 'replaced'
  /** Number of the file that has its name; null for none. */
  readonly inode: number | null
  /** Whether it has no name any more. */
  readonly isGone: boolean
  /** Where its content can be read, for as long as the runtime has it open. */
  readonly open: string
}

const REMOVED = ' (deleted)'

/** The database and its log. SQLite makes the third file, an index of the log, again. */
const filesOf = (data: string): readonly string[] => {
  const database = databaseFile(data)
  return [database, `${database}-wal`]
}

/** Where a file of that name belongs; undefined for another's. */
function placeOf(target: string, data: string): string | undefined {
  const name = target.endsWith(REMOVED) ? target.slice(0, -REMOVED.length) : target
  return filesOf(data).find((one) => one.endsWith(name.slice(name.lastIndexOf('/'))))
}

/**
 * The files of the database that the runtime has open elsewhere than at their place.
 *
 * @param pid of the runtime
 * @param seen by device and number, the place at which a file was seen before: its name may be any now
 * @returns none where the system does not say what is open
 */
async function lostFiles(
  pid: number,
  data: string,
  seen: Map<string, string>,
): Promise<readonly LostFile[]> {
  const folder = `/proc/${pid}/fd`
  const numbers = await readdir(folder).catch(() => [])
  const lost = new Map<string, LostFile>()
  for (const number of numbers) {
    const descriptor = join(folder, number)
    const target = await readlink(descriptor).catch(() => '')
    const found = await stat(descriptor).catch(() => null)
    if (found === null || !target.startsWith('/')) continue
    const key = `${found.dev}:${found.ino}`
    const path = placeOf(target, data) ?? seen.get(key)
    if (path === undefined) continue
    const there = await stat(path).catch(() => null)
    if (there?.ino === found.ino && there.dev === found.dev) {
      seen.set(key, path)
      continue
    }
    const isGone = found.nlink === 0
    const how = there !== null ? 'replaced' : isGone ? 'removed' : 'moved'
    lost.set(path, { path, how, inode: there?.ino ?? null, isGone, open: descriptor })
  }
  return [...lost.values()]
}

/** Bytes at the start of a database of one page that has no table: its type of page, no free block and no cell. */
const NO_TABLE = Buffer.from([0x0d, 0, 0, 0, 0])
const FIRST_PAGE_AT = 100
const LARGEST_PAGE = 65_536

/** 0 where there is none. */
const sizeOf = async (file: string): Promise<number> =>
  (await stat(file).catch(() => null))?.size ?? 0

/**
 * Whether the file at that place holds nothing: a reader that starts where the database was removed makes an empty one, with an
 * empty log.
 */
async function isBlank(path: string, data: string): Promise<boolean> {
  const [database, log] = filesOf(data) as [string, string]
  const size = await sizeOf(path)
  if (size === 0) return true
  if (path === log || size > LARGEST_PAGE || (await sizeOf(log)) > 0) return false
  const content = await readFile(database)
  return content.subarray(FIRST_PAGE_AT, FIRST_PAGE_AT + NO_TABLE.length).equals(NO_TABLE)
}

/** What was found, in a sentence. */
function lostSentence(lost: readonly LostFile[]): string {
  const [{ path, how }] = lost as [LostFile]
  const what = `The file ${path} of the database was ${how} while the service has it open.`
  return how === 'removed'
    ? `${what} The service writes it back and starts its runtime again.`
    : `${what} Until it is back no report is stored, and the status is 'error'.`
}

/** Writes removed files back, to be called while writes are held. @returns the number of each file, by its path */
async function writeBack(
  lost: readonly LostFile[],
  data: string,
): Promise<readonly (readonly [path: string, inode: number])[]> {
  const written: [path: string, inode: number][] = []
  for (const { path, open: source } of lost) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.rescued`
    await copyFile(source, draft)
    const handle = await open(draft, 'r+')
    try {
      await handle.chmod(0o600)
      await handle.sync()
      written.push([path, (await handle.stat()).ino])
    } finally {
      await handle.close()
    }
    // A file that another process has put there meanwhile stays.
    if (await isBlank(path, data)) await rename(draft, path)
    else await rm(draft)
    await synced(dirname(path))
  }
  return written
}

/** How long writes are held, unless the runtime ends before. */
export const HOLD_MS = 60_000

interface Rescue {
  /** Folder of the database. */
  readonly data: string
  /** Of the runtime; null while there is none. */
  readonly pid: () => number | null
  readonly holdWrites: () => Promise<unknown>
  /** Ends all that have the files open, and starts it on the files that are there now. */
  readonly startAgain: () => void
  /** Called with a sentence about files that are written back. */
  readonly onRescue: (sentence: string) => void
  /** Called after files were written, perhaps into a new folder. */
  readonly onWritten: () => Promise<void>
}

/**
 * A function to call now and then: it writes removed files back, and ends the runtime once they stay, to be started on them.
 * What removed them may still be removing.
 *
 * @returns what is wrong with files that were not removed, in a sentence; null if nothing is
 */
export function rescuer({
  data,
  pid: pidNow,
  holdWrites,
  startAgain,
  onRescue,
  onWritten,
}: Rescue) {
  /** Numbers of the files that were written back. */
  const rescued = new Map<string, number>()
  let seen = { pid: -1, places: new Map<string, string>() }
  return async (): Promise<string | null> => {
    const pid = pidNow()
    if (pid !== null && pid !== seen.pid) seen = { pid, places: new Map() }
    const lost = pid === null ? [] : await lostFiles(pid, data, seen.places)
    if (pid === null || lost.length === 0) return null
    const removed: LostFile[] = []
    const others: LostFile[] = []
    for (const file of lost) {
      if (file.inode !== null && rescued.get(file.path) === file.inode) continue
      const isFree = file.inode === null || (await isBlank(file.path, data))
      ;(file.isGone && isFree ? removed : others).push(file)
    }
    // Of a folder that was moved, its own sentence says enough.
    if (others.length > 0) return existsSync(data) ? lostSentence(others) : null
    // What is written now would go into the removed file only.
    await holdWrites()
    if (removed.length > 0) {
      if (rescued.size === 0)
        onRescue(lostSentence(removed.map((file) => ({ ...file, how: 'removed' }))))
      for (const [path, inode] of await writeBack(removed, data)) rescued.set(path, inode)
      await onWritten()
      return null
    }
    rescued.clear()
    if (pidNow() === pid) startAgain()
    return null
  }
}
