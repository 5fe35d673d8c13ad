/** Copies the database of a data folder into one file. A service may be running on it. */

import { chmod, constants, copyFile, open, readFile, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { socketPath } from '../host/configuration.ts'
import { RUN_FILE } from '../host/run-folder.ts'
import { askUnix } from '../host/unix-request.ts'
import { unlockFolder } from '../folder-lock.ts'
import { StartError } from '../command-line.ts'
import { takeFolder } from '../preconditions.ts'
import { databaseIn, synced } from './database-file.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { expectedLog, lossOf, type ExpectedLog } from './log-loss.ts'
import { applyLog } from './wal.ts'

export interface Copied {
  readonly bytes: number
  /** How long reports had to wait, in ms; null if no service was running. */
  readonly heldMilliseconds: number | null
}

/**
 * Copies the database and its log while writes are held, then merges the two into one file.
 *
 * @param requireWhole refuses a copy, which then gets no name
 * @throws StartError if there is no database, if the file exists, or if the log lacks what was committed to it
 */
export async function copyDatabase(
  data: string,
  file: string,
  requireWhole: (draft: string) => Promise<void> = () => Promise.resolve(),
): Promise<Copied> {
  if (existsSync(file)) throw new StartError(`${file} already exists. Choose another name.`, 2)
  const database = await databaseIn(data)
  const draft = `${file}.partial`
  try {
    const { heldMilliseconds, expected } = await copyHeld(data, database, draft)
    const bytes = await mergeLog(data, draft, expected)
    await requireWhole(draft)
    await rename(draft, file)
    await synced(dirname(file))
    return { bytes, heldMilliseconds }
  } finally {
    for (const path of [draft, `${draft}-wal`]) await rm(path, { force: true })
  }
}

interface HeldCopy extends Pick<Copied, 'heldMilliseconds'> {
  /** How far the copied log should go. */
  readonly expected: ExpectedLog
}

async function copyHeld(data: string, database: string, draft: string): Promise<HeldCopy> {
  const socket = await adminSocketOf(data)
  if (socket === null) await takeFolder(data)
  const begun = performance.now()
  const release =
    socket === null ? () => Promise.resolve(unlockFolder(data)) : await holdWrites(socket)
  let expected: ExpectedLog
  try {
    expected = await expectedLog(data)
    await copyFile(database, draft, constants.COPYFILE_FICLONE)
    if (existsSync(`${database}-wal`)) await copyFile(`${database}-wal`, `${draft}-wal`)
  } finally {
    await release()
  }
  return { heldMilliseconds: socket === null ? null : performance.now() - begun, expected }
}

/** The admin socket of the running service; null if none runs. */
async function adminSocketOf(data: string): Promise<string | null> {
  const runFolder = await readFile(join(data, RUN_FILE), 'utf8').catch(() => null)
  if (runFolder === null) return null
  const socket = socketPath(runFolder, 'admin')
  const alive = await askUnix(socket, { path: '/alive' }).then(
    () => true,
    () => false,
  )
  return alive ? socket : null
}

/** Writes that are held for this long continue by themselves. */
const HOLD_MS = 30_000
const AGAIN_MS = 5000

/** Holds writes, and renews the hold until they are released. */
async function holdWrites(socket: string): Promise<() => Promise<void>> {
  const ask = async (milliseconds: number): Promise<void> => {
    const { status, body } = await askUnix(socket, { path: `/hold?milliseconds=${milliseconds}` })
    if (status !== 200) throw new Error(body.toString())
  }
  await ask(HOLD_MS)
  const timer = setInterval(() => void ask(HOLD_MS).catch(() => undefined), AGAIN_MS)
  return async () => {
    clearInterval(timer)
    await ask(0)
  }
}

/** Merges the copied log into the copied database, and erases what was deleted in it. @returns bytes of the merged file */
async function mergeLog(data: string, draft: string, expected: ExpectedLog): Promise<number> {
  const loss = await lossOf(expected, `${draft}-wal`)
  if (loss !== null && loss.lost > 0)
    throw new StartError(
      `The log of the database in ${data} is damaged or gone: ${loss.lost} of its ${loss.frames} pages can't be read. A backup would lack their reports.`,
      1,
    )
  await chmod(draft, 0o600)
  const database = await open(draft, 'r+')
  try {
    if (loss === null && existsSync(`${draft}-wal`)) {
      const log = await open(`${draft}-wal`, 'r')
      try {
        await applyLog(log, database)
      } finally {
        await log.close()
      }
    }
    eraseDeleted(database.fd)
    await database.sync()
    return (await database.stat()).size
  } finally {
    await database.close()
  }
}
