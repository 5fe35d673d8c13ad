/** The database of a server of one's own answers as Miniflare's D1 does, which is the platform's in a development tool. */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfiguration } from '../../worker/local/configuration.ts'
import { TRIES } from './d1/tries.ts'
import { bundled, startWorker, type WorkerInRuntime } from './worker-in-runtime.ts'

const ROOT = join(import.meta.dirname, '../..')
/** One page of SQLite. */
const PAGE = 4096

let ours: WorkerInRuntime
let theirs: Miniflare
let fresh: Miniflare
beforeAll(async () => {
  const script = await bundled(join(import.meta.dirname, 'd1/worker.ts'))
  ours = await startWorker(script)
  const { compatibilityDate, compatibilityFlags } = await readConfiguration(
    join(ROOT, 'wrangler.toml'),
  )
  const miniflare = (): Miniflare =>
    new Miniflare({
      modules: true,
      script,
      compatibilityDate,
      compatibilityFlags: [...compatibilityFlags],
      d1Databases: ['DB'],
    })
  theirs = miniflare()
  fresh = miniflare()
})
afterAll(() => Promise.all([ours.stop(), theirs.dispose(), fresh.dispose()]))

it.each(Object.keys(TRIES))('%s', async (name) => {
  const path = `/${encodeURIComponent(name)}`
  const here = await ours.ask(path)
  const there = await theirs.dispatchFetch(`http://localhost${path}`)
  const [answer, expected] = [JSON.parse(here), await there.json()]
  expect(comparable(answer)).toEqual(comparable(expected))
})

/** The service calls none of these methods. */
const UNUSED = /^(?:first|raw|exec): /
const used = Object.keys(TRIES).filter((name) => !UNUSED.test(name))

it.each(used)('beside the database: %s', async (name) => {
  const path = encodeURIComponent(name)
  const here = await ours.ask(`/beside/${path}`)
  // Miniflare's own database has the tables of these tries already.
  const there = await fresh.dispatchFetch(`http://localhost/${path}`)
  const [answer, expected] = [JSON.parse(here), await there.json()]
  expect(comparable(answer)).toEqual(withoutUncounted(comparable(expected)))
})

/** What the binding beside the database leaves out, as the service reads none of it. */
const UNCOUNTED = new Set(['served_by', 'changes', 'changed_db', 'last_row_id'])

function withoutUncounted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUncounted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !UNCOUNTED.has(key))
      .map(([key, one]) => [key, withoutUncounted(one)]),
  )
}

/**
 * Without what no two servers have in common: times, names, the page in which Miniflare keeps a bookmark,
 * and in the answer to a read the row that was written last, which may be that bookmark.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const isRead = 'changed_db' in value && value.changed_db === false
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'last_row_id' && isRead ? typeof one : (OWN[key]?.(one) ?? comparable(one)),
    ]),
  )
}

const OWN: Readonly<Record<string, (value: unknown) => unknown>> = {
  duration: (value) => typeof value,
  served_by: (value) => typeof value,
  size_after: (value) => (typeof value === 'number' ? `${value % PAGE} beyond pages` : value),
}

it('the runtime has the version that Miniflare depends on', () => {
  const versionOf = (from: string): string =>
    (createRequire(from)('workerd/package.json') as { version: string }).version
  const miniflare = createRequire(import.meta.url).resolve('miniflare')
  expect(versionOf(join(ROOT, 'package.json'))).toBe(versionOf(miniflare))
})
