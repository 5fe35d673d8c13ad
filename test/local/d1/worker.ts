/** A Worker that tries one thing on its D1 binding, the one that its path names. */

import { TRIES } from './tries.ts'

interface Env {
  readonly DB: D1Database
}

/** What workerd's own configuration and Miniflare both take as the service's default entrypoint. */
const worker = {
  async fetch({ url }: Request, { DB }: Env): Promise<Response> {
    const name = decodeURIComponent(new URL(url).pathname.slice(1))
    try {
      return Response.json({ settled: tagged(await TRIES[name]!(DB)) })
    } catch (error) {
      return Response.json({ failed: String(error) })
    }
  },
}

/** Tells apart what JSON does not. */
function tagged(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return { buffer: [...new Uint8Array(value)] }
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) }
  if (value === undefined) return { kind: 'undefined' }
  if (Array.isArray(value)) return value.map(tagged)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, tagged(one)]))
}

export { DatabaseObject } from '../../../worker/local/workers/database.ts'
/** The configuration names it; nothing is asked of it here. */
export const assets = worker
export { worker as default }
