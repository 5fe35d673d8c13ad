/** A cause's stretches of days: the same after retention has deleted their runs, for readers of whole environments. */

import { env } from 'cloudflare:workers'
import { createScheduledController } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { wrongIn } from '../soundness.ts'
import { ask, request, store } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { page } from './page.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'

const MIDNIGHT = NOON + 12 * HOUR
const NOW = MIDNIGHT + 12 * DAY + 10 * HOUR
const iso = (time: number): string => new Date(time).toISOString()

interface Failure {
  readonly certname: string
  readonly environment: string
  readonly time: number
}
/** Days with failures: 0 to 2 in production, 4 in both, 5 in staging, 10 and 12 in production. */
const FAILURES: readonly Failure[] = [
  ['production', 0, 22, ['a', 'b', 'c']],
  ['production', 1, 5, ['a']],
  ['production', 2, 0, ['a', 'b']],
  ['production', 4, 7, ['a']],
  ['staging', 4, 9, ['d', 'e']],
  ['staging', 5, 9, ['d']],
  ['production', 10, 3, ['a', 'c']],
  ['production', 12, 8, ['b']],
].flatMap(([environment, day, hour, names]) =>
  (names as string[]).flatMap((name, index) =>
    [0, 20, 65].map((minutes) => ({
      certname: `${name}.example.com`,
      environment: environment as string,
      time: MIDNIGHT + Number(day) * DAY + Number(hour) * HOUR + (minutes + index) * 60_000,
    })),
  ),
)
const run = ({ certname, environment, time }: Failure, failed: boolean): Payload => ({
  ...report({
    ...{ certname, environment, status: failed ? 'failed' : 'unchanged' },
    ...{ start_time: iso(time), end_time: iso(time), producer_timestamp: iso(time) },
    resources: failed
      ? [resource({ events: [event({ status: 'failure', message: 'E: no mirror' })] })]
      : [],
  }),
})

/** What the page has to say, by hand: runs of consecutive days, and most nodes of an hour. */
const expectedOf = (failures: readonly Failure[]) => {
  const days = [...new Set(failures.map(({ time }) => Math.floor(time / DAY)))].toSorted(
    (a, b) => a - b,
  )
  const begins = days.filter((day) => !days.includes(day - 1))
  return begins.toReversed().map((begin) => {
    let end = begin
    while (days.includes(end + 1)) end++
    const own = failures.filter(({ time }) => time >= begin * DAY && time < (end + 1) * DAY)
    const times = own.map(({ time }) => time)
    return { since: iso(Math.min(...times)), until: iso(Math.max(...times)), runs: own.length }
  })
}

const keepHouse = (settings: Payload = {}): Promise<void> =>
  Promise.resolve(
    worker.scheduled(createScheduledController({ scheduledTime: new Date(NOW) }), {
      ...env,
      ...{ REPORT_TTL: '0', LOGS_AND_METRICS_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' },
      ...settings,
    }),
  )

let cause = ''
const stretches = async (parts: Payload = {}) => {
  const found = await ask(`/insight/v1/causes/${cause}`, parts)
  return {
    since: found.stretches_since,
    all: found.stretches.map(({ since, until, runs }: Payload) => ({ since, until, runs })),
    nodes: found.stretches.map(({ nodes }: Payload) => nodes),
    deleted: found.stretches.map(({ deleted }: Payload) => deleted),
  }
}
const IN_PRODUCTION = FAILURES.filter(({ environment }) => environment === 'production')

beforeAll(async () => {
  for (const failure of FAILURES) {
    vi.setSystemTime(failure.time + 5000)
    await store(run(failure, true))
  }
  vi.setSystemTime(NOW)
  for (const name of ['a', 'c', 'd', 'e'])
    await store(
      run({ certname: `${name}.example.com`, environment: 'production', time: NOW - HOUR }, false),
    )
  cause = (await ask('/insight/v1/causes', { since: '30d' })).items[0].cause
})

describe.sequential('stretches of a cause', () => {
  it('are found in stored runs, in open hours and in counted ones', async () => {
    const open = await stretches()
    expect(open.all).toEqual(expectedOf(FAILURES))
    expect(open).toMatchObject({ since: null, deleted: [0, 0, 0, 0], nodes: [1, 2, 3, 3] })
    await keepHouse()
    expect(await stretches()).toEqual({ ...open, nodes: [1, 2, 2, 3] })
    expect((await stretches({ environment: 'production' })).all).toEqual(expectedOf(IN_PRODUCTION))
  })

  it('stay as they are when retention deletes their runs, in the middle of a day too', async () => {
    const before = await stretches()
    for (const behind of [1, 2, 4.3, 11]) {
      await keepHouse({ REPORT_TTL: `${Math.round((NOW - MIDNIGHT - behind * DAY) / HOUR)}h` })
      expect(await stretches()).toMatchObject({ all: before.all, since: null })
    }
    const after = await stretches()
    expect(after.deleted).toEqual([0, 6, 12, 18])
    expect(after.nodes).toEqual([1, 2, 2, 3])
    const ofProduction = await stretches({ environment: 'production' })
    expect(ofProduction.all).toEqual(expectedOf(IN_PRODUCTION))
    expect(await wrongIn(env.DB)).toEqual({})
  })

  it('are on the page', async () => {
    const { text } = await page(`/console/causes/${cause}`)
    expect(text).toContain('Stretches')
  })

  it('are what is stored, for who sees some nodes, and says since when', async () => {
    const service = closed({
      TOKENS: `${tokenLine('nodes', 'read', 'certname=*.example.com')}\n${tokenLine('lab', 'read', 'environment=production')}`,
    })
    const path = `/insight/v1/causes/${cause}`
    const some = await service.ask('nodes', path)
    expect(some.stretches).toHaveLength(1)
    expect(some.stretches[0]).toMatchObject({ runs: 3, deleted: 0 })
    expect(Date.parse(some.stretches_since)).toBeGreaterThan(MIDNIGHT + 10 * DAY)
    const lab = await service.ask('lab', path)
    expect(lab.stretches.map(({ runs }: Payload) => runs)).toEqual(
      expectedOf(IN_PRODUCTION).map(({ runs }) => runs),
    )
    expect(lab.stretches_since).toBe(null)
  })

  it('go on when a node is deleted, and when a run of a deleted day comes late', async () => {
    const before = await stretches()
    const response = await request('/pdb/admin/v1/cmd', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        command: 'delete',
        version: 1,
        payload: { certname: 'c.example.com' },
      }),
    })
    expect(response.status).toBe(200)
    expect((await stretches()).all).toEqual(before.all)
    const late = { certname: 'b.example.com', environment: 'production', time: MIDNIGHT + 3 * DAY }
    await store(run(late, true))
    const joined = expectedOf([...FAILURES, late])
    expect((await stretches()).all).toEqual(joined)
    await keepHouse({ REPORT_TTL: '24h' })
    expect((await stretches()).all).toEqual(joined)
  })

  it('says from when on they are known, after an upgrade', async () => {
    const day = MIDNIGHT / DAY + 8
    await env.DB.prepare('INSERT INTO kept_since (id, day) VALUES (1, ?1)').bind(day).run()
    expect((await stretches()).since).toBe(iso(day * DAY))
  })
})
