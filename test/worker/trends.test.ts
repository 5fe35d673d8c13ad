/** `/insight/v1/trends`: failure rates and run times over days, and what reading them costs. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, costOf, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { copyLatest } from './copies.ts'
import { page } from './page.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, event, NOON, resource, type Payload } from './reports.ts'

const DAY = 86_400_000
const timed = (seconds: number): Payload => ({
  metrics: [
    { category: 'time', name: 'total', value: 2 * seconds },
    { category: 'time', name: 'config_retrieval', value: seconds },
    { category: 'time', name: 'package', value: seconds },
    { category: 'time', name: 'file', value: seconds / 4 },
  ],
})
const failing = (...names: string[]): Payload => ({
  status: 'failed',
  resources: names.map((name) =>
    resource({
      resource_title: `/etc/${name}`,
      containment_path: ['Stage[main]', name, `File[/etc/${name}]`],
      events: [
        event({ status: 'failure', message: `no ${name}` }),
        event({ status: 'failure', message: `no ${name} again`, property: 'mode' }),
      ],
    }),
  ),
})
const service = closed({ TOKENS: tokenLine('lab', 'read', 'environment=lab') })
const OLD = 3000

beforeAll(async () => {
  await storeInTime(
    ...runsOf('old', '-', 60 * DAY, { ...timed(1), environment: 'production' }),
    ...runsOf('web-1', '-', 2 * DAY, { ...timed(1), environment: 'production' }),
    ...runsOf('web-1', 'F', DAY, { ...failing('Motd'), ...timed(3), environment: 'production' }),
    ...runsOf('web-2', 'F', DAY, { ...failing('Motd', 'Hosts'), environment: 'production' }),
    ...runsOf('lab-1', 'e', HALF_HOUR, {
      environment: 'lab',
      start_time: at(-HALF_HOUR - 900_000),
    }),
    ...runsOf('web-1', '-', 0, { ...timed(5), environment: 'production' }),
  )
  await copyLatest({ r: 'old' }, OLD, { id: 'r.id - 1024 * copy.value * 60000' })
  await env.DB.exec(
    'insert or ignore into open_hours (hour) select distinct (id >> 10) / 3600000 from reports',
  )
  await closeHours(Database.primary(env.DB), NOON + DAY)
})

describe('/insight/v1/trends', () => {
  it('counts runs and failed runs by day and environment', async () => {
    const trends = await ask('/insight/v1/trends', { since: '4d' })
    expect(trends).toMatchObject({ bucket_hours: 24, runs: 5, failed: 3 })
    expect(trends.since).toBe(at(-4 * DAY).replace('T12', 'T00'))
    const perDay = (name: string) =>
      trends.buckets.map((bucket: Record<string, number>) => bucket[name])
    expect([perDay('runs'), perDay('failed')]).toEqual([
      [0, 0, 1, 2, 2],
      [0, 0, 0, 2, 1],
    ])
    expect(trends.environments).toMatchObject([
      { environment: 'production', runs: 4, failed: 2 },
      { environment: 'lab', runs: 1, failed: 1 },
    ])
  })

  it('counts a run once for each class in which it failed', async () => {
    const { classes } = await ask('/insight/v1/trends', { since: '4d' })
    expect(classes).toEqual([
      { containing_class: 'Motd', failed: 2, nodes: 2, rate: 0.4, buckets: [0, 0, 0, 2, 0] },
      { containing_class: 'Hosts', failed: 1, nodes: 1, rate: 0.2, buckets: [0, 0, 0, 1, 0] },
      { containing_class: 'no class', failed: 1, nodes: 1, rate: 0.2, buckets: [0, 0, 0, 0, 1] },
    ])
  })

  it('has a table of resource types in the console only where runs report their times', async () => {
    const headings = async (environment: string): Promise<string[]> =>
      (await page(`/console/trends?since=3d&env=${environment}`)).texts('h2')
    expect(await headings('production')).toContain('Time by resource type')
    expect(await headings('lab')).not.toContain('Time by resource type')
  })

  it('is drawn from the first run on, and by hour where two days hold all of them', async () => {
    const bars = async (search: string): Promise<number> =>
      (await page(`/console/trends?${search}`)).html.split('class="hit"').length - 1
    // Seven days, of which runs are on the last three.
    expect(await bars('since=7d&env=production')).toBe(3)
    // The only run of lab was half an hour before noon.
    expect(await bars('since=7d&env=lab')).toBe(1)
    expect(await bars('env=lab')).toBe(2)
  })

  it('tells how long runs took, by resource type too, without the phases of a run', async () => {
    const { buckets, types } = await ask('/insight/v1/trends', { since: '4d' })
    expect(buckets.at(-2)).toMatchObject({ sampled: 2, p50: 9.5, p95: 9.5 })
    expect(buckets.at(-1)).toMatchObject({ sampled: 2, p50: 9.5, p95: 899.5 })
    expect(types).toMatchObject({ sampled: 5, timed: 3 })
    expect(types.types).toMatchObject([
      {
        type: 'package',
        runs: 3,
        p50: 3,
        p95: 5,
        max: 5,
        share: 0.8,
        medians: [null, null, 1, 3, 5],
      },
      { type: 'file', runs: 3, p50: 0.75, share: 0.2 },
    ])
  })

  it('takes one round trip with five statements, and reads no run out of the span', async () => {
    const response = await request('/insight/v1/trends?since=4d')
    const { roundTrips, statements, rowsRead } = costOf(response)
    expect([roundTrips, statements]).toEqual([1, 5])
    // Thirteen slices of five days, twice, are searched even where they are empty.
    expect(rowsRead).toBeLessThan(800)
  })

  it.each(['90d', '10000d'])('samples a span of %s instead of reading it', async (since) => {
    const response = await request(`/insight/v1/trends?since=${since}`)
    const trends = await response.json<{ runs: number; buckets: { sampled: number }[] }>()
    expect(trends.buckets.length).toBeLessThanOrEqual(48)
    expect(trends.runs).toBe(OLD + 6)
    for (const { sampled } of trends.buckets) expect(sampled).toBeLessThanOrEqual(13 * 24)
  })

  it('shows a restricted token the runs of its environment only', async () => {
    const response = await service.request('/insight/v1/trends?since=4d', {
      headers: { 'x-authentication': 'lab' },
    })
    expect(await response.json()).toMatchObject({
      runs: 1,
      failed: 1,
      environments: [{ environment: 'lab' }],
      classes: [{ containing_class: 'no class' }],
      types: { sampled: 1, types: [] },
      groups: { count: 0, groups: [] },
    })
  })
})

describe('/insight/v1/slow', () => {
  it('takes one round trip with four statements, and reads few rows for each run of the span', async () => {
    const response = await request('/insight/v1/slow?since=4d')
    const { roundTrips, statements, rowsRead } = costOf(response)
    expect([roundTrips, statements]).toEqual([1, 4])
    expect(rowsRead).toBeLessThanOrEqual(5 * 10)
  })
})

it.each([0, 1])('a type alone that took %i s has as much of the time of all', async (seconds) => {
  const environment = `seconds-${seconds}`
  const metrics = [{ category: 'time', name: 'file', value: seconds }]
  await storeInTime(...runsOf(environment, '-', 0, { environment, metrics }))
  const { types } = await ask('/insight/v1/trends', { since: '4d', environment })
  expect(types.types).toMatchObject([{ type: 'file', max: seconds, share: seconds }])
})
