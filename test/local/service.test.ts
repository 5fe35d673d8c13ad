/** The service as programs of this repository start it. */

import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probeOf } from '../../bench/probe.ts'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { sendReport } from './send-report.ts'

let folder = ''
let service: Service
const start = () => startLocalService({}, { data: folder, probed: true })
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'))
  service = await start()
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

it('offers the database probe if the option is set', async () => {
  const [answer] = await probeOf(service)([
    { sql: 'SELECT ?1 AS text, hex(?2) AS bytes', params: ['x', new Uint8Array([1, 255])] },
  ])
  expect(answer!.results).toEqual([{ text: 'x', bytes: '01FF' }])
})

/** A digest of the database and its log. The file beside them (-shm) is memory that processes share. */
async function written(): Promise<string> {
  const object = join(folder, 'miniflare-D1DatabaseObject')
  const hash = createHash('sha256')
  for (const name of (await readdir(object)).sort())
    if (/\.sqlite(-wal)?$/.test(name)) hash.update(name).update(await readFile(join(object, name)))
  return hash.digest('hex')
}

// So that they wait for no disk. (`npm run bench:host` counts the syncs themselves.)
it('150 queries do not write to the database; a report does', async () => {
  expect(await sendReport(service.url, 'web1')).toBe(200)
  const before = await written()
  for (const path of [
    'nodes',
    'reports',
    'events',
    'event-counts?summarize_by=certname',
    'environments',
  ])
    for (let time = 0; time < 30; time++) {
      const response = await fetch(`${service.url}/query/v4/${path}`)
      expect([path, response.status]).toEqual([path, 200])
      await response.text()
    }
  expect(await written()).toBe(before)
  expect(await sendReport(service.url, 'web2')).toBe(200)
  expect(await written()).not.toBe(before)
})

it('runs housekeeping, stops, and starts again with the same data', async () => {
  await service.tick()
  await service.stop()
  service = await start()
  await service.tick()
  const response = await fetch(`${service.url}/query/v4/nodes`)
  const nodes = await response.json<{ certname: string }[]>()
  expect(nodes.map(({ certname }) => certname).sort()).toEqual(['web1', 'web2'])
})
