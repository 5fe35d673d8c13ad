/** Where a history is: in a folder, or behind a service that has it in a folder or a bucket. */

import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readPath } from '../../worker/history/bucket.ts'
import { giveToOwner } from '../../worker/local/owner.ts'
import { wholePaths } from '../../worker/local/whole-history.ts'
import { certificateTrouble } from '../../worker/local/certificate-trouble.ts'
import { HistoryError } from './history-error.ts'

export interface HistoryStore {
  /** As the user named it. */
  readonly name: string
  /** Paths of all files. While a month is compacted, some hold the rows of others. */
  readonly list: () => Promise<readonly string[]>
  /** Paths of files that hold each row once. */
  readonly listWhole: () => Promise<readonly string[]>
  /** Null where there is no such file. */
  readonly read: (path: string) => Promise<Uint8Array | null>
  readonly replace: (path: string, bytes: Uint8Array) => Promise<void>
  readonly remove: (path: string) => Promise<void>
}

/** The files of paths, in the order of their times. @throws HistoryError if there are none */
export function placesOf({ name }: Pick<HistoryStore, 'name'>, paths: readonly string[]) {
  const places = paths
    .flatMap((path) => readPath(path) ?? [])
    .toSorted((one, other) => one.day - other.day || one.part - other.part)
  if (places.length === 0) throw new HistoryError(`${name} holds no history.`)
  return places
}

const listFolder = (folder: string): Promise<string[]> =>
  readdir(folder, { recursive: true }).catch(() => [])

export const folderStore = (folder: string): HistoryStore => ({
  name: folder,
  list: () => listFolder(folder),
  listWhole: () => wholePaths(folder),
  read: (path) =>
    readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    }),
  replace: (path, bytes) => replaceFile(join(folder, path), bytes),
  remove: (path) => rm(join(folder, path)),
})

/** Writes a file whole: under another name, synced, and then named. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.partial`
  const handle = await open(draft, 'w')
  await handle.writeFile(bytes)
  await handle.sync()
  await handle.close()
  await giveToOwner(dirname(path), [draft])
  await rename(draft, path)
  const parent = await open(dirname(path), 'r')
  await parent.sync()
  await parent.close()
}

/** The history of a running service. @param token with the scope admin */
export function serviceStore(url: string, token: string | undefined): HistoryStore {
  const ask = async (method: string, path: string, body?: Uint8Array<ArrayBuffer>) => {
    const address = `${url.replace(/\/+$/, '')}/admin/v1/history/${path}`
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(address, { method, headers, body: body ?? null }).catch(
      (error: Error) => {
        const cause = error.cause instanceof Error ? error.cause.message : error.message
        throw new HistoryError(`${url}: ${certificateTrouble(error) ?? cause}`)
      },
    )
    if (response.ok || (response.status === 404 && method === 'GET')) return response
    throw new HistoryError(`${method} ${address}: ${response.status} ${await response.text()}`)
  }
  type Files = readonly { readonly path: string }[]
  const lists = async (): Promise<{ files: Files; duplicates: Files }> => {
    const response = await ask('GET', '')
    if (!response.ok) throw new HistoryError(`${url} has no history.`)
    return response.json()
  }
  return {
    name: url,
    async list() {
      const { files, duplicates } = await lists()
      return [...files, ...duplicates].map(({ path }) => path)
    },
    listWhole: async () => (await lists()).files.map(({ path }) => path),
    async read(path) {
      const response = await ask('GET', path)
      return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
    },
    async replace(path, bytes) {
      await ask('PUT', path, new Uint8Array(bytes))
    },
    async remove(path) {
      await ask('delete', path)
    },
  }
}
