/** A folder behind the methods of a bucket. */

import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HistoryBucket } from '../../worker/history/bucket.ts'

type Get = HistoryBucket['get']
type Found = NonNullable<Awaited<ReturnType<Get>>>

/** Null where the error says that there is no such file. */
function unlessAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

async function read(path: string, range: NonNullable<Parameters<Get>[1]>['range']) {
  if (range === undefined) return readFile(path)
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(range.length)
    const { bytesRead } = await file.read(bytes, 0, range.length, range.offset)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

export const folderBucket = (folder: string): HistoryBucket => ({
  async put(key, bytes, options) {
    const path = join(folder, key)
    await mkdir(dirname(path), { recursive: true })
    const isNew = options?.onlyIf !== undefined
    try {
      await writeFile(path, bytes, { flag: isNew ? 'wx' : 'w' })
      return {}
    } catch (error) {
      if (isNew && (error as NodeJS.ErrnoException).code === 'EEXIST') return null
      throw error
    }
  },
  async get(key, options) {
    const bytes = await read(join(folder, key), options?.range).catch(unlessAbsent)
    return bytes && ({ arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer) } as Found)
  },
  async list({ prefix }) {
    const below = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const names =
      (await readdir(join(folder, below), { recursive: true }).catch(unlessAbsent)) ?? []
    const objects: { key: string; size: number }[] = []
    for (const name of names.toSorted()) {
      const key = below + name
      const found = key.startsWith(prefix) && (await stat(join(folder, key)).catch(unlessAbsent))
      if (found && found.isFile()) objects.push({ key, size: found.size })
    }
    return { objects, truncated: false }
  },
  async delete(keys) {
    for (const key of keys) await rm(join(folder, key), { force: true })
  },
})
