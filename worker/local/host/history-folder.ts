/** Serves the history's folder to the runtime, on a socket of its own: the launcher writes files as a disk keeps them. */

import { createReadStream, type Stats } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readPath } from '../../history/bucket.ts'
import { isCompactionPath } from '../../history/compaction.ts'

/** Listens on the socket until it is closed. */
export function serveHistory(folder: string, socket: string): Promise<Server> {
  const server = createServer((request, response) => {
    // The runtime would send the next file, seconds later, on a connection that is being closed for idleness.
    response.setHeader('connection', 'close')
    answer(folder, request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end(`${join(folder, pathOf(request))}: ${error.message}`)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => resolve(server))
  })
}

const isHistoryPath = (path: string): boolean => readPath(path) !== null || isCompactionPath(path)

const pathOf = ({ url = '/' }: IncomingMessage): string =>
  decodeURIComponent(new URL(url, 'http://history').pathname.slice(1))

async function answer(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://history')
  const path = pathOf(request)
  if (path === '') {
    const objects = await list(folder, searchParams.get('prefix') ?? '')
    response.end(JSON.stringify(objects))
    return
  }
  // Only files of the history have paths, so that no other can be reached.
  if (!isHistoryPath(path)) {
    response.writeHead(404).end()
    return
  }
  const file = join(folder, path)
  switch (request.method?.toLowerCase()) {
    case 'put':
      response.writeHead((await put(file, request)) ? 200 : 412).end()
      return
    case 'delete':
      await rm(file, { force: true })
      // The folder of a day goes with its last file.
      await rmdir(dirname(file)).catch(() => undefined)
      response.end()
      return
    default:
      await send(file, request.headers.range, response)
  }
}

/**
 * Writes a file whole: under another name, synced, and then named.
 *
 * @returns false where it is there and must not be
 */
async function put(file: string, request: IncomingMessage): Promise<boolean> {
  await makeFolder(dirname(file))
  const draft = `${file}.partial`
  const handle = await open(draft, 'w', FILE_MODE)
  try {
    for await (const piece of request) await handle.write(piece as Buffer)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    if (request.headers['if-none-match'] === '*') {
      await link(draft, file)
      await rm(draft)
    } else {
      await rename(draft, file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await rm(draft)
    return false
  }
  await syncFolder(dirname(file))
  return true
}

/** Only the user of the service reads reports, also where the folder is copied to. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Like mkdir -p, and each new name survives a power cut: its folder is synced. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const RANGE = /^bytes=(\d+)-(\d+)$/

async function send(
  file: string,
  range: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const found = await statOf(file)
  if (found === null) {
    response.writeHead(404).end()
    return
  }
  if (found.size === 0) {
    // No range is of an empty file, and a stream of it can't begin.
    response.writeHead(200, { 'x-size': 0, 'content-length': 0 }).end()
    return
  }
  const [, from = '0', to = String(found.size - 1)] = RANGE.exec(range ?? '') ?? []
  const [start, end] = [Number(from), Math.min(Number(to), found.size - 1)]
  response.writeHead(range === undefined ? 200 : 206, {
    'x-size': found.size,
    'content-length': end - start + 1,
  })
  await pipeline(createReadStream(file, { start, end }), response)
}

async function statOf(file: string): Promise<Stats | null> {
  try {
    return await stat(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The files below a prefix, in the order of their paths. */
async function list(folder: string, prefix: string): Promise<{ key: string; size: number }[]> {
  const below = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : ''
  const names = await readdir(join(folder, below), { recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  const keys = names.map((name) => join(below, name)).filter((key) => key.startsWith(prefix))
  const files: { key: string; size: number }[] = []
  for (const key of keys.toSorted()) {
    if (!isHistoryPath(key)) continue
    const found = await statOf(join(folder, key))
    if (found !== null) files.push({ key, size: found.size })
  }
  return files
}
