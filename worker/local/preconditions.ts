/** The preconditions of a start: a free address and a folder of our own. Each failure has its message. */

import { existsSync, readFileSync, rmSync } from 'node:fs'
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './options.ts'

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
    return `Port ${port} is in use by another program. Choose another: npm start -- --port ${port === 65_535 ? 8787 : port + 1}`
  if (code === 'EACCES') return `Port ${port} may not be used by this user. Choose one above 1023.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine. Choose one that is: npm start -- --host ADDR`
  return `Can't listen on ${host}:${port} (${code ?? message}).`
}

/**
 * Locks the folder for this process, so that no second service writes the same database. The lock is
 * released when the process exits, except after SIGKILL.
 *
 * @throws StartError (4) if it can't be written or another service holds the lock
 */
export async function takeFolder(folder: string): Promise<void> {
  const lock = join(folder, 'service.pid')
  // Registered before the lock exists, since the process may end right after taking it.
  process.once('exit', () => releaseLock(lock))
  try {
    await makeFolder(folder)
    await access(folder, constants.W_OK)
    await requireOwnFiles(folder)
    const owner = await takeLock(lock)
    if (owner !== null) {
      throw new StartError(
        `The database in ${folder} is in use by another service (process ${owner}). Stop it, or choose another folder with --data. If that process no longer runs, remove ${lock}.`,
        4,
      )
    }
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(
      `The folder ${folder} can't be written to (${code}). Choose another: npm start -- --data DIR`,
      4,
    )
  }
}

/** Keeps other users from reading reports and secrets. @throws StartError (4) if this user can't write a database file */
async function requireOwnFiles(folder: string): Promise<void> {
  const uid = process.getuid?.()
  const { uid: owner } = await stat(folder)
  if (uid === owner) await chmod(folder, 0o700)
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const file of files.filter((one) => /\.sqlite(-wal|-shm)?$/.test(one.name))) {
    const path = join(file.parentPath, file.name)
    try {
      await access(path, constants.R_OK | constants.W_OK)
    } catch {
      const { uid: other } = await stat(path)
      throw new StartError(
        `User ${uid} can't write the database file ${path}, which belongs to user ${other}. Start the service as that user, or give the files away: chown -R ${uid} ${folder}`,
        4,
      )
    }
    if (uid === (await stat(path)).uid) await chmod(path, 0o600)
  }
}

/** Removes the lock if this process holds it. */
function releaseLock(lock: string): void {
  if (existsSync(lock) && readFileSync(lock, 'utf8') === String(process.pid)) rmSync(lock)
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

/**
 * Takes the lock. To take over the lock of a killed service, a process must hold a second lock, so that
 * two processes can't both take it over.
 *
 * @returns the living process that holds the lock, or null if this process holds it now
 */
async function takeLock(lock: string): Promise<number | null> {
  const takeover = `${lock}.takeover`
  for (;;) {
    if (await made(() => makeLock(lock))) return null
    const owner = await ownerOf(lock)
    if (owner !== null) return owner
    if (await made(() => makeLock(takeover))) {
      try {
        const winner = await ownerOf(lock)
        if (winner === null) await writeFile(lock, String(process.pid))
        return winner
      } finally {
        await rm(takeover, { force: true })
      }
    }
    // The other process is about to take the lock, or has died.
    if ((await ownerOf(takeover)) === null) await rm(takeover, { recursive: true, force: true })
    else await sleep(50)
  }
}

/** Creates the lock with its owner in it: a lock that is empty for a moment would look abandoned. */
async function makeLock(lock: string): Promise<void> {
  const draft = `${lock}.${process.pid}`
  await writeFile(draft, String(process.pid))
  try {
    await link(draft, lock)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Creates something. @returns false if it exists */
async function made(make: () => Promise<unknown>): Promise<boolean> {
  try {
    await make()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The living process that holds the lock; null if there is none, as after a kill. */
async function ownerOf(lock: string): Promise<number | null> {
  const owner = Number(await readFile(lock, 'utf8').catch(() => ''))
  if (!Number.isInteger(owner) || owner <= 0 || owner === process.pid) return null
  try {
    process.kill(owner, 0)
    return owner
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? owner : null
  }
}
