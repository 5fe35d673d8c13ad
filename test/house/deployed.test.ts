/** Bounds the size of the deployed Worker: an isolate that starts has to read all of it first. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleWorker, MAIN_MODULE } from '../../worker/local/bundle.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Gzipped: what an isolate reads when it starts. Cloudflare takes 3 MB on the free plan; users feel the start. */
const MOST_STARTED = 150 * 1024
/** Gzipped: all that is deployed, far below Cloudflare's limit, since no isolate starts with all of it. */
const MOST_DEPLOYED = 384 * 1024

const worker = await bundleWorker(ROOT)
const modules = new Map(
  [[MAIN_MODULE, worker.text] as const, ...worker.others].filter(([name]) => name.endsWith('.mjs')),
)

function bytesOf(names: Iterable<string>): number {
  const sizes = [...names].map((name) => gzipSync(modules.get(name)!, { level: 9 }).length)
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

it(`the modules that an isolate starts with have at most ${MOST_STARTED} bytes, gzipped`, () => {
  const listed = worker.folders.map(([folder, bytes]) => `${folder}: ${bytes}`).join('\n')
  const bytes = bytesOf(worker.started)
  expect(bytes, `Bytes by folder, minified:\n${listed}\n`).toBeLessThanOrEqual(MOST_STARTED)
})

it(`all modules together have at most ${MOST_DEPLOYED} bytes, gzipped`, () => {
  expect(bytesOf(modules.keys())).toBeLessThanOrEqual(MOST_DEPLOYED)
})

it.each([
  ['worker/console', 'pages'],
  ['worker/housekeeping', 'what a trigger does'],
  ['worker/notify', 'hooks'],
  ['worker/integrity', 'the check of the database'],
  ['node_modules/hyparquet-writer', 'the writer of the history'],
])('no isolate starts with %s: %s', (folder) => {
  expect(worker.folders.map(([name]) => name)).not.toContain(folder)
})

it('the modules that are loaded when a request or housekeeping first needs them', () => {
  const texts = [...modules.values()]
  const loaded = [...modules.keys()].filter((name) =>
    texts.some((text) => text.includes(`import("./${name}")`)),
  )
  expect(loaded.map((name) => name.replace(/-\w+\.mjs$/, '')).sort()).toEqual([
    'answer', // POST /mcp
    'parquet-library',
    'rare-endpoints',
    'rare-pages', // /console
    'routes', // /console
    'routes', // /insight
    'triggers',
  ])
})
