/** Pages are bounded by bytes: long values are read some at a time, and an answer holds few of them, however many it has. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probeOf } from '../../../bench/probe.ts'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../../local/local-service.ts'
import { at, event, report, resource } from '../../worker/reports.ts'
import { buildIn, Isolate } from './isolate.ts'

const REPORTS = 40
const EVENTS = 20
/** Characters of a value: all of them are 72 MB. */
const LENGTH = 90_000
/** The heap of the isolate. The code itself takes some 20 MB. */
const HEAP_MB = 64

let folder = ''
let service: Service
let isolate: Isolate
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'))
  const program = await buildIn(folder, 'test/proofs/isolate/service.ts')
  service = await startLocalService({}, { probed: true })
  const settings = { ACCESS: 'open', LOG_REQUESTS: 'off' }
  isolate = Isolate.start(program, { settings }, probeOf(service), HEAP_MB)
  for (let n = 0; n < REPORTS; n++) {
    const payload = report({
      certname: 'web1',
      producer_timestamp: at(n * 1000),
      transaction_uuid: null,
      status: 'changed',
      resources: Array.from({ length: EVENTS }, (_, index) =>
        resource({
          resource_title: `/etc/${index}`,
          events: [event({ message: `${n} ${index} `.padEnd(LENGTH, 'x') })],
        }),
      ),
    })
    const { status } = await isolate.request({
      method: 'POST',
      path: '/pdb/cmd/v1?command=store_report&version=8&certname=web1',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    })
    expect(status).toBe(200)
  }
})
afterAll(async () => {
  await isolate.end()
  await service.stop()
  await rm(folder, { recursive: true })
})

it.each(['events', 'reports'])('all %s with long values are answered whole', async (entity) => {
  const request = { path: `/pdb/query/v4/${entity}`, keeps: false }
  const { status, body } = await isolate.request(request)
  expect([status, Number(body) > REPORTS * EVENTS * LENGTH]).toEqual([200, true])
})

it('three readers of them at a time are, too', async () => {
  const request = { path: '/pdb/query/v4/events', keeps: false }
  const answers = await Promise.all([1, 2, 3].map(() => isolate.request(request)))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
})
