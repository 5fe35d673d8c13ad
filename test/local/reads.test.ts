/** Reads write nothing, so that they wait for no disk. (`npm run bench:host` counts the syncs themselves.) */

import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { report } from '../worker/reports.ts'

let folder = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reads-'))
  service = await startLocalService({}, { data: folder })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The database and its log. The file beside them (-shm) is memory that processes share. */
async function written(): Promise<string> {
  const object = join(folder, 'miniflare-D1DatabaseObject')
  const hash = createHash('sha256')
  for (const name of (await readdir(object)).sort())
    if (/\.sqlite(-wal)?$/.test(name)) hash.update(name).update(await readFile(join(object, name)))
  return hash.digest('hex')
}

async function store(certname: string): Promise<void> {
  const query = `command=store_report&version=8&certname=${certname}`
  const response = await fetch(`${service.url}/pdb/cmd/v1?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report({ certname })),
  })
  expect(response.status).toBe(200)
}

it('150 queries do not write to the database; a report does', async () => {
  await store('web1')
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
  await store('web2')
  expect(await written()).not.toBe(before)
})
