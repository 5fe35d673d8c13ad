/** The database of a server of one's own answers as Miniflare's D1 does, which is the platform's in a development tool. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfiguration } from '../../worker/local/configuration.ts'
import { configurationText, FILES, socketPath } from '../../worker/local/host/configuration.ts'
import { CONFIGURATION_FILE, startRuntime, type Runtime } from '../../worker/local/host/runtime.ts'
import { askUnix } from '../../worker/local/host/unix-request.ts'
import { hostModules } from '../../worker/local/host-modules.ts'
import { TRIES } from './d1/tries.ts'

const ROOT = join(import.meta.dirname, '../..')
/** One page of SQLite. */
const PAGE = 4096

let runFolder = ''
let ours: Runtime
let theirs: Miniflare
beforeAll(async () => {
  runFolder = await mkdtemp(join(tmpdir(), 'd1-'))
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'd1/worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  })
  const script = outputFiles[0]!.text
  const { compatibilityDate, compatibilityFlags } = await readConfiguration(
    join(ROOT, 'wrangler.toml'),
  )
  const { binding } = await hostModules(ROOT)
  const dataFolder = await mkdtemp(join(runFolder, 'data-'))
  const text = configurationText({
    compatibilityDate,
    compatibilityFlags,
    sockets: ['plain'],
    runFolder,
    dataFolder,
    assetsFolder: dataFolder,
    settings: [],
    trusting: false,
    reachesPrivateNetworks: false,
  })
  await writeFile(join(runFolder, CONFIGURATION_FILE), text)
  await writeFile(join(runFolder, FILES.worker), script)
  await writeFile(join(runFolder, FILES.binding), binding)
  await writeFile(join(runFolder, FILES.migrations), '[]')
  const lines: string[] = []
  ours = await startRuntime({
    root: ROOT,
    runFolder,
    sockets: ['plain'],
    environment: {},
    onLine: (line) => lines.push(line),
  })
  theirs = new Miniflare({
    modules: true,
    script,
    compatibilityDate,
    compatibilityFlags: [...compatibilityFlags],
    d1Databases: ['DB'],
  })
})
afterAll(async () => {
  await Promise.all([ours.stop(0), theirs.dispose()])
  await rm(runFolder, { recursive: true, force: true })
})

it.each(Object.keys(TRIES))('%s', async (name) => {
  const path = `/${encodeURIComponent(name)}`
  const here = await askUnix(socketPath(runFolder, 'plain'), { path })
  const there = await theirs.dispatchFetch(`http://localhost${path}`)
  const [answer, expected] = [JSON.parse(here.body.toString()), await there.json()]
  expect(comparable(answer)).toEqual(comparable(expected))
})

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

it('the runtime is the one that Miniflare brings', () => {
  const versionOf = (from: string): string =>
    (createRequire(from)('workerd/package.json') as { version: string }).version
  const miniflare = createRequire(import.meta.url).resolve('miniflare')
  expect(versionOf(join(ROOT, 'package.json'))).toBe(versionOf(miniflare))
})
