/** Which files of a history's folder hold each row once. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPath } from '../history/bucket.ts'
import { readPending, wholeFiles, type RecordReader } from '../history/compaction.ts'

/** The paths of a folder's files, without those that hold the rows of others while a month is compacted. */
export async function wholePaths(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const reader: RecordReader = {
    list: (prefix) => Promise.resolve(names.filter((name) => name.startsWith(prefix))),
    readText: (path) =>
      readFile(join(folder, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
  }
  const files = names.flatMap((path) => {
    const place = readPath(path)
    return place === null ? [] : [{ ...place, path }]
  })
  return wholeFiles(files, await readPending(reader)).map(({ path }) => path)
}
