/**
 * A folder that the first release of `npm start` wrote is opened as it is. That release ran in Miniflare;
 * it stored sixteen runs of `npm run bench:generate -- --nodes 4 --runs 4 --seed 7` and a failed one,
 * answered the queries, and its runtime was killed.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { upgradeSentence } from '../../worker/local/upgrade.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { writeReleaseData } from './release-data.ts'
import { wrongIn } from '../soundness.ts'

const answered = JSON.parse(
  gunzipSync(await readFile(join(ROOT, 'test/fixtures/miniflare-answers.json.gz'))).toString(),
) as Record<string, unknown[]>

let folder = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'older-data-'))
  await writeReleaseData(ROOT, folder, '0.1.0')
  service = await startLocalService(
    // The reports are of a fixed time, long ago.
    { REPORT_TTL: '0', NODE_TTL: '0' },
    { data: folder, probed: true },
  )
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const readable = Object.keys(answered).map((path) => [decodeURIComponent(path), path] as const)

/** No catalogs were sent: nodes answer the environment of their latest report there, which was null in earlier releases. */
const asAnsweredNow = (row: unknown): unknown => {
  const node = row as Readonly<Record<string, unknown>>
  return 'catalog_environment' in node
    ? { ...node, catalog_environment: node['report_environment'] }
    : row
}

it.each(readable)('%s is answered as before', async (_, path) => {
  const response = await fetch(service.url + path)
  expect(answered[path]!.length).toBeGreaterThan(0)
  expect(await response.json()).toEqual(answered[path]!.map(asAnsweredNow))
})

it('a database of an earlier release is sound, and accepts reports', async () => {
  const payload = JSON.parse(
    await readFile(join(ROOT, 'test/fixtures/failed-run.json'), 'utf8'),
  ) as { certname: string }
  const query = `command=store_report&version=8&certname=${payload.certname}`
  const response = await fetch(`${service.url}/pdb/cmd/v1?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...payload, configuration_version: 'of this release' }),
  })
  expect(response.status).toBe(200)
  await service.tick()
  const all = async (sql: string) => (await service.probe([{ sql, params: [] }]))[0]!
  expect(await wrongIn({ prepare: (sql: string) => ({ all: () => all(sql) }) })).toEqual({})
})

it.each([
  [['0007_one.sql'], 'migration 0007_one.sql'],
  [['0007_one.sql', '0008_two.sql'], 'migrations 0007_one.sql, 0008_two.sql'],
])('an upgrade names what it did: %j', (missing, named) => {
  expect(upgradeSentence(missing, 'copy.sqlite', 'data')).toContain(`by the ${named}. To go back`)
})
