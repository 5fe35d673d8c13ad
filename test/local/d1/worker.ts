/** A Worker that tries one thing on its D1 binding, the one that its path names; or on the binding beside the database. */

import { DatabaseObject } from '../../../worker/local/workers/database.ts'
import { bindingTo } from '../../../worker/local/workers/object-binding.ts'
import { wholeBinding } from './whole-binding.ts'
import { TRIES } from './tries.ts'

interface Env {
  readonly DB: D1Database
  /** Not in Miniflare. */
  readonly OBJECTS: DurableObjectNamespace
}

const BESIDE = '/beside/'

/** What workerd's own configuration and Miniflare both take as the service's default entrypoint. */
const worker = {
  fetch({ url }: Request, { DB, OBJECTS }: Env): Promise<Response> {
    const { pathname } = new URL(url)
    if (!pathname.startsWith(BESIDE)) return tried(pathname.slice(1), DB)
    // An object of its own, since each try makes its tables.
    return OBJECTS.get(OBJECTS.idFromName('beside')).fetch(url)
  },
}

class TriedObject extends DatabaseObject {
  override fetch({ url }: Request): Promise<Response> {
    return tried(new URL(url).pathname.slice(BESIDE.length), wholeBinding(bindingTo(this)))
  }
}

async function tried(path: string, db: D1Database): Promise<Response> {
  try {
    return Response.json({ settled: tagged(await TRIES[decodeURIComponent(path)]!(db)) })
  } catch (error) {
    return Response.json({ failed: String(error) })
  }
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

export { TriedObject as DatabaseObject }
/** The configuration names it; nothing is asked of it here. */
export const assets = worker
export { worker as default }
