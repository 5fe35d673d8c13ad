/** The service as programs of this repository start it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { lookFrom, LOOKOUT_MODULE } from '../../bench/lookout.ts'
import { startService, type ServiceOptions } from '../../worker/local/service.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (more: Partial<ServiceOptions> = {}) =>
  startService({
    root: join(import.meta.dirname, '../..'),
    host: '127.0.0.1',
    port: 0,
    data: folder,
    settings: { ACCESS: 'open' },
    ...more,
  })

// Miniflare's way to a binding sleeps until another thread wakes it, and under load woke too early:
// `AssertionError: false == true` at a start (worker/local/keeper.ts).
it('starts, keeps house and starts again without a thread that sleeps', async () => {
  const sleep = vi.spyOn(Atomics, 'wait')
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
  expect(sleep).not.toHaveBeenCalled()
})

it('leaves nothing of its own behind at stderr', async () => {
  const listeners = () =>
    ['error', 'close', 'finish', 'unpipe'].map((name) => process.stderr.listenerCount(name))
  const before = listeners()
  const service = await start({ data: null })
  await service.stop()
  expect(listeners()).toEqual(before)
})

it('leads no request from outside to what stands beside it, which this process reaches', async () => {
  const service = await start({ lookout: LOOKOUT_MODULE })
  try {
    for (const [name, path] of [
      ['keeper', '/tick'],
      ['lookout', '/'],
    ]) {
      const headers = { host: `${name}.internal`, 'mf-route-override': name! }
      const response = await fetch(`${service.url}${path}`, { headers })
      expect([response.status, await response.text()]).toEqual([404, 'Not Found'])
    }
    const [answer] = await lookFrom(service.dispatch)([
      { sql: 'SELECT ?1 AS text, hex(?2) AS bytes', params: ['x', new Uint8Array([1, 255])] },
    ])
    expect(answer!.results).toEqual([{ text: 'x', bytes: '01FF' }])
  } finally {
    await service.stop()
  }
})
