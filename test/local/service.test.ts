/** The service as programs of this repository start it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probeOf } from '../../bench/probe.ts'
import type { ServiceOptions } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (more: Partial<ServiceOptions> = {}) =>
  startLocalService({}, { data: folder, ...more })

it('starts, runs housekeeping, stops, and starts again with the same data', async () => {
  for (const time of ['first', 'second']) {
    const service = await start()
    try {
      await service.tick()
      const response = await fetch(`${service.url}/admin/v1/retention`)
      expect([time, response.status]).toEqual([time, 200])
      await response.text()
    } finally {
      await service.stop()
    }
  }
})

it('offers the database probe if the option is set', async () => {
  const service = await start({ probed: true })
  try {
    const [answer] = await probeOf(service)([
      { sql: 'SELECT ?1 AS text, hex(?2) AS bytes', params: ['x', new Uint8Array([1, 255])] },
    ])
    expect(answer!.results).toEqual([{ text: 'x', bytes: '01FF' }])
  } finally {
    await service.stop()
  }
})
