/** Hooks say nothing of acknowledged causes, and tell of them when they come back. */

import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'
import { ask, request } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { event, NOON, resource, type Payload } from './reports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let delivered: string[] = []

beforeAll(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
    const { data } = JSON.parse(init!.body as string) as { data: { items: { certname: string }[] } }
    delivered.push(...data.items.map(({ certname }) => certname))
    return Promise.resolve(new Response(null, { status: 200 }))
  })
})
beforeEach(() => void (delivered = []))

/** What the hook tells so many ms after noon, sorted. */
async function deliveredAt(after: number): Promise<string[]> {
  delivered = []
  vi.setSystemTime(NOON + after)
  await worker.scheduled(
    { scheduledTime: NOON + after, cron: NOTIFY_CRON, noRetry: () => undefined },
    env,
  )
  return delivered.sort()
}

let count = 0
/** A hook for a fleet of its own, with causes that only it has. */
async function hooked(transition = 'failed') {
  const name = `muted${String.fromCharCode(97 + ++count)}`
  const runs = (node: string, letters: string, ago: number, what = 'broken'): Payload[] =>
    runsOf(`${name}-${node}`, letters, ago).map((run) =>
      run['status'] === 'failed'
        ? {
            ...run,
            resources: [
              resource({
                events: [event({ status: 'failure', message: `The ${name} is ${what}` })],
              }),
            ],
          }
        : run,
    )
  vi.setSystemTime(NOON - 12 * HOUR)
  const hook = { transition, filter: `certname ~ "^${name}-"`, url: 'https://hooks.example.com/x' }
  await request(`/admin/v1/hooks/${name}`, { method: 'PUT', body: JSON.stringify(hook) })
  return {
    name,
    fails: (node: string, letters: string, ago: number, what?: string) =>
      storeInTime(...runs(node, letters, ago, what)),
    acknowledge: async (until: string) => {
      vi.setSystemTime(NOON + MINUTE)
      const { items } = await ask('/insight/v1/causes')
      const { cause } = items.find(
        ({ reason }: { reason: string }) => reason === `The ${name} is broken`,
      )
      const init = { method: 'PUT', body: JSON.stringify({ note: 'mine', until }) }
      const path = `/insight/v1/causes/${cause}/acknowledgement`
      expect((await request(path, init)).status).toBe(204)
    },
    drop: () => request(`/admin/v1/hooks/${name}`, { method: 'DELETE' }),
  }
}

describe('while a cause is acknowledged', () => {
  it('nothing is told of a node that fails by it alone, but of one that fails otherwise', async () => {
    const { name, fails, acknowledge, drop } = await hooked()
    await fails('a', '-F', 0)
    expect(await deliveredAt(2 * MINUTE)).toEqual([`${name}-a`])
    await acknowledge('4h')
    await fails('b', '-F', -5 * MINUTE)
    expect(await deliveredAt(7 * MINUTE)).toEqual([])
    // The node failed before, though by what nobody was to be told of.
    await fails('b', 'F', -10 * MINUTE, 'gone')
    await fails('c', '-F', -10 * MINUTE, 'gone')
    expect(await deliveredAt(12 * MINUTE)).toEqual([`${name}-b`, `${name}-c`])
    await drop()
  })

  it('a recovery is told, since the failure was', async () => {
    const { name, fails, acknowledge, drop } = await hooked('recovered')
    await fails('a', '-F', 0)
    await acknowledge('4h')
    await fails('a', '-', -5 * MINUTE)
    expect(await deliveredAt(7 * MINUTE)).toEqual([`${name}-a`])
    await drop()
  })
})

describe('a cause that comes back is told of once, with all nodes that fail by it', () => {
  it('when its time is over', async () => {
    const { name, fails, acknowledge, drop } = await hooked()
    await fails('a', '-F', 0)
    expect(await deliveredAt(2 * MINUTE)).toEqual([`${name}-a`])
    await acknowledge('1h')
    await fails('b', '-F', -5 * MINUTE)
    expect(await deliveredAt(7 * MINUTE)).toEqual([])
    expect(await deliveredAt(65 * MINUTE)).toEqual([`${name}-a`, `${name}-b`])
    expect(await deliveredAt(70 * MINUTE)).toEqual([])
    await drop()
  })

  it('when it has grown, and it stays back when it shrinks', async () => {
    const { name, fails, acknowledge, drop } = await hooked()
    await fails('a', '-F', 0)
    expect(await deliveredAt(2 * MINUTE)).toEqual([`${name}-a`])
    await acknowledge('4h')
    for (const node of ['b', 'c', 'd']) await fails(node, '-F', -5 * MINUTE)
    expect(await deliveredAt(7 * MINUTE)).toEqual(
      ['a', 'b', 'c', 'd'].map((node) => `${name}-${node}`),
    )
    for (const node of ['b', 'c', 'd']) await fails(node, '-', -10 * MINUTE)
    expect(await deliveredAt(12 * MINUTE)).toEqual([])
    await fails('e', '-F', -15 * MINUTE)
    expect(await deliveredAt(17 * MINUTE)).toEqual([`${name}-e`])
    await drop()
  })
})
