/** The preconditions of a start: a free address and a folder of our own. Each failure has its message. */

import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { shellWord, typed } from './commands.mjs'
import { lockFolder } from './folder-lock.ts'
import { writeFailure } from './health.ts'
import { StartError } from './command-line.ts'
import { releaseReserve } from './reserve.ts'
import { databaseFile } from './backup/database-file.ts'
import { lastBackupPathOf } from './backup/last-backup.ts'
import { NOTE_FILE } from './backup/log-note.ts'

/** @throws StartError (3) if the service can't listen on the address */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  if (failure) throw new StartError(listenSentence(failure, host, port), 3)
}

/** Why the service can't listen on an address, and what to do. */
export function listenSentence(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Choose another: ${typed('start', `--port ${port === 65_535 ? 8787 : port + 1}`)}`
  if (code === 'EACCES') return `Port ${port} may not be used by this user. Choose one above 1023.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} isn't an address of this machine. Choose one that is: ${typed('start', '--host ADDR')}`
  return `Can't listen on ${host}:${port} (${code ?? message}).`
}

/**
 * Locks the folder for this process, so that no second service writes the same database, and gives it the modes that keep
 * other users out.
 *
 * @throws StartError (4) if it can't be written or another service holds the lock
 */
export async function takeFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await access(folder, constants.W_OK)
    await requireOwnFiles(folder)
    const owner = await lockFolder(folder).catch(async (error: NodeJS.ErrnoException) => {
      const isFull = REMEDIES[error.code ?? ''] === ROOM
      if (!isFull || !(await releaseReserve(folder))) throw error
      return lockFolder(folder)
    })
    if (owner !== null)
      throw new StartError(
        `The database in ${folder} is in use by another service (process ${owner}). Stop it, or choose another folder with --data.`,
        4,
      )
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(folderSentence((error as NodeJS.ErrnoException).code ?? '', folder), 4)
  }
}

const ANOTHER = `Choose another: ${typed('start', '--data DIR')}`
const ROOM = 'Make room, then start the service again.'
const REMEDIES: Readonly<Record<string, string>> = { ENOSPC: ROOM, EDQUOT: ROOM }

/** Why the folder can't be used, and what to do. @param code of the error */
export const folderSentence = (code: string, folder: string): string =>
  `${writeFailure(code, folder) ?? `The folder ${folder} can't be written to (${code}).`} ${REMEDIES[code] ?? ANOTHER}`

/** What this user can't do to a file of another, and what to do. */
async function foreignFile(
  user: number | undefined,
  deed: string,
  path: string,
  folder: string,
): Promise<StartError> {
  const { uid: owner } = await stat(path)
  return new StartError(
    `User ${user} can't ${deed} ${path}, which belongs to user ${owner}. Start the service as that user, or give the files away: chown -R ${user} ${shellWord(folder)}`,
    4,
  )
}

/** Keeps other users from reading reports and secrets. @throws StartError (4) if this user can't write a file of the database */
async function requireOwnFiles(folder: string): Promise<void> {
  const uid = process.getuid?.()
  const { uid: owner } = await stat(folder)
  if (uid === owner) await chmod(folder, 0o700)
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' || error.path === undefined) throw error
      throw await foreignFile(uid, 'read the folder', error.path, folder)
    },
  )
  // The notes, too: one that can't be read is as none, and what it guards is lost without a word.
  for (const file of files.filter((one) => /\.(sqlite(-wal|-shm)?|json)$/.test(one.name))) {
    const path = join(file.parentPath, file.name)
    try {
      if (uid === (await stat(path)).uid) await chmod(path, 0o600)
      await access(path, constants.R_OK | constants.W_OK)
    } catch (error) {
      // A service that runs makes and removes files meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw await foreignFile(uid, 'write the file', path, folder)
    }
  }
}

/** Like mkdir -p. Node's own recursive mkdir never returns where the kernel allows no folders, such as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(folder) === folder || existsSync(dirname(folder))) throw error
    await makeFolder(dirname(folder))
    await mkdir(folder)
  }
}

/** Copies that the service and its commands keep. */
const COPY = /^before-/

/**
 * A data folder that has lost its database is no place for a new one: reports would be missing, and nothing would say so.
 *
 * @throws StartError (5) where the folder has files of a database, and not the database
 */
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
