/**
 * The lock of a data folder.
 *
 * Node locks no files, and a process id alone proves nothing: after a reboot another program has it, and two containers on
 * one volume have the same. So the owner listens on a Unix socket in the folder, which the lock names. The kernel
 * closes the socket with the process, however that ends.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOCK = 'service.pid'
/** How long another process may take to take over a lock, which is to write a small file. */
const LONGEST_TAKEOVER_MS = 5000
const PAUSE_MS = 50
/** What a Unix socket's path may take on macOS; Linux allows four more. */
const LONGEST_SOCKET_PATH = 103

/** The content of a lock: a process id, and the socket that its owner listens on, if the file system has sockets. */
interface Owner {
  readonly pid: number
  readonly socket: string | null
}

/** Folder → what ends the lock that this process holds on it. */
const held = new Map<string, () => void>()

/**
 * Takes the lock for as long as this process runs, or until `unlockFolder`.
 *
 * @param folder an existing folder
 * @param patienceMs how long another process may take to take the lock over
 * @returns the process that holds it, or null if this process holds it now
 */
export async function lockFolder(
  folder: string,
  patienceMs = LONGEST_TAKEOVER_MS,
): Promise<number | null> {
  const { socket, server } = await listenIn(folder)
  const content = [process.pid, ...(socket === null ? [] : [socket])].join(' ')
  const end = (): void => release(folder, content, socket)
  // Registered before the lock exists, since the process may end right after taking it.
  process.once('exit', end)
  const endNow = (): void => {
    process.off('exit', end)
    end()
    server.close()
  }
  const owner = await takeLock(folder, content, patienceMs)
  if (owner === null) held.set(folder, endNow)
  else endNow()
  return owner
}

/** Releases the lock that this process holds. */
export function unlockFolder(folder: string): void {
  held.get(folder)?.()
  held.delete(folder)
}

/** Removes the lock if this process holds it. */
function release(folder: string, content: string, socket: string | null): void {
  const lock = join(folder, LOCK)
  if (existsSync(lock) && readFileSync(lock, 'utf8') === content) rmSync(lock)
  if (socket !== null) rmSync(join(folder, socket), { force: true })
}

/**
 * Takes the lock. To take over the lock of a killed service, a process must hold a second lock, so that
 * two processes can't both take it over.
 */
async function takeLock(
  folder: string,
  content: string,
  patienceMs: number,
): Promise<number | null> {
  const lock = join(folder, LOCK)
  const takeover = `${lock}.takeover`
  for (let waited = 0; ; waited += PAUSE_MS) {
    if (await made(() => makeLock(lock, content))) return null
    const owner = await livingOwner(folder, lock)
    if (owner !== null) return owner
    if (await made(() => makeLock(takeover, content))) {
      try {
        const winner = await livingOwner(folder, lock)
        if (winner !== null) return winner
        const { socket } = await ownerIn(lock)
        await writeFile(lock, content)
        if (socket !== null) await rm(join(folder, socket), { force: true })
        return null
      } finally {
        await rm(takeover, { force: true })
      }
    }
    // The other process is about to take the lock, or has died.
    const other = await livingOwner(folder, takeover)
    if (other === null) await rm(takeover, { recursive: true, force: true })
    else if (waited >= patienceMs) return other
    else await sleep(PAUSE_MS)
  }
}

/** Creates the lock with its owner in it: a lock that is empty for a moment would look abandoned. */
async function makeLock(lock: string, content: string): Promise<void> {
  const draft = `${lock}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, content)
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

/** The process that a lock names, with 0 for none. */
async function ownerIn(lock: string): Promise<Owner> {
  const content = await readFile(lock, 'utf8').catch(() => '')
  const [, pid = '0', socket = null] = /^(\d+)(?: (service-[0-9a-f]+\.lock))?$/.exec(content) ?? []
  return { pid: Number(pid), socket }
}

/** The living process that holds a lock; null if there is none, as after a kill. */
async function livingOwner(folder: string, lock: string): Promise<number | null> {
  const { pid, socket } = await ownerIn(lock)
  if (pid === 0) return null
  if (socket !== null) return (await isListening(folder, socket)) ? pid : null
  // A process that has written no socket into its lock is known by its id alone.
  return pid !== process.pid && isAlive(pid) ? pid : null
}

/** Whether there is a process of that id, of whichever user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Listens until this process ends or the server is closed. The socket's name is null if the file system has no sockets. */
async function listenIn(
  folder: string,
): Promise<{ readonly socket: string | null; readonly server: Server }> {
  const name = `service-${randomBytes(6).toString('hex')}.lock`
  const server = createServer((client) => client.destroy()).unref()
  const listens = await withSocketPath(folder, name, async (path) => {
    return new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ path }, () => resolve(true))
    })
  })
  return { socket: listens ? name : null, server }
}

const isListening = (folder: string, name: string): Promise<boolean> =>
  withSocketPath(folder, name, (path) => {
    return new Promise<boolean>((resolve) => {
      const client = connect({ path })
      client.once('connect', () => resolve(true))
      // No process listens, or the socket is gone. Any other error, such as EAGAIN, says that one does.
      client.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
        resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)),
      )
      client.once('connect', () => client.destroy())
    })
  })

/** Gives a path to a socket in the folder that is short enough for the kernel, by a symbolic link if need be. */
async function withSocketPath<Result>(
  folder: string,
  name: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return use(path)
  const short = await mkdtemp(join(tmpdir(), 'rqs-'))
  try {
    await symlink(folder, join(short, 'data'))
    return await use(join(short, 'data', name))
  } finally {
    await rm(short, { recursive: true, force: true })
  }
}
