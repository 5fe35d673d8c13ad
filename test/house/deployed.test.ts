/** The deployed Worker: its size, as an isolate that starts has to read it first, its modules, and what wrangler.toml says of it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/cron.ts'
import { bundleWorker, MAIN_MODULE } from '../../tools/build/bundle.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Gzipped: what an isolate reads when it starts. Cloudflare takes 3 MB on the free plan; users feel the start. */
const MOST_STARTED = 150 * 1024
/** Gzipped: all that is deployed, far below Cloudflare's limit, since no isolate starts with all of it. */
const MOST_DEPLOYED = 400 * 1024

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
    'issuer-sign-in',
    'parquet-library',
    'rare-endpoints',
    'rare-pages', // /console
    'routes', // /console
    'routes', // /insight
    'triggers',
  ])
})

describe('wrangler.toml', () => {
  const lines = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8').split('\n')

  it('has the same cron triggers as the Worker', () => {
    const line = lines.find((one) => one.startsWith('crons = '))
    expect(JSON.parse(line?.slice('crons = '.length) ?? '[]')).toEqual([
      HOUSEKEEPING_CRON,
      NOTIFY_CRON,
    ])
  })

  it('deploys what the build made, with the maps that name our files and lines in stack traces', () => {
    expect(lines).toContain(`main = "dist/worker/${MAIN_MODULE}"`)
    expect(lines).toContain('no_bundle = true')
    expect(lines).toContain('upload_source_maps = true')
    expect(worker.text).toMatch(new RegExp(`^//# sourceMappingURL=${MAIN_MODULE}\\.map$`, 'm'))
    const map = JSON.parse(worker.others.get(`${MAIN_MODULE}.map`) ?? '{}') as {
      sources?: string[]
    }
    expect(map.sources).toContain('../../worker/index.ts')
  })
})
