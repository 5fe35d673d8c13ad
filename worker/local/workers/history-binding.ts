/** Gives the Worker the history's folder as if it were an R2 bucket: the binding asks the launcher, which has the files. */

import type { HistoryBucket } from '../../history/bucket.ts'

interface Bindings {
  readonly folder: Fetcher
}

const urlOf = (key: string): string => `http://history/${key}`

/** @throws Error with the launcher's sentence */
async function requireOk(response: Response): Promise<void> {
  if (!response.ok) throw new Error(await response.text())
}

const makeBinding = ({ folder }: Bindings): HistoryBucket => ({
  async put(key, bytes, options) {
    const isNew = options?.onlyIf?.etagDoesNotMatch === '*'
    const headers = isNew ? { 'if-none-match': '*' } : {}
    const response = await folder.fetch(urlOf(key), { method: 'PUT', body: bytes, headers })
    if (response.status === 412) return null
    await requireOk(response)
    return {}
  },
  async get(key, options) {
    const { range } = options ?? {}
    const headers = range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }
    const response = await folder.fetch(urlOf(key), headers ? { headers } : {})
    if (response.status === 404) return null
    await requireOk(response)
    return {
      size: Number(response.headers.get('x-size')),
      body: response.body!,
      arrayBuffer: () => response.arrayBuffer(),
    }
  },
  async list({ prefix }) {
    const response = await folder.fetch(urlOf(`?${new URLSearchParams({ prefix })}`))
    await requireOk(response)
    return { objects: await response.json(), truncated: false }
  },
  async delete(keys) {
    for (const key of keys) await requireOk(await folder.fetch(urlOf(key), { method: 'delete' }))
  },
})

export default makeBinding
