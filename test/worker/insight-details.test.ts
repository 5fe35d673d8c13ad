/** `/insight/v1`: one cause, one node, reports and one report. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, request } from './client.ts'
import { errorLine, HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, event, resource } from './reports.ts'

const broken = resource({
  resource_type: 'Package',
  resource_title: 'nginx',
  events: [event({ status: 'failure', message: "Could not find package 'nginx'" })],
})
const failing = {
  status: 'failed',
  resources: [broken, resource({ skipped: true, resource_title: '/etc/nginx' })],
  logs: [errorLine('oh', { level: 'notice' }), errorLine("Could not find package 'nginx'")],
}
/** What an event tells both as one of a report's insight and as one of the query API's. */
const FIELDS_OF_BOTH = [
  'resource_type',
  'resource_title',
  'status',
  'message',
  'containment_path',
  'containing_class',
  'file',
  'line',
  'old_value',
]
const hashes: Record<string, string> = {}

beforeAll(async () => {
  await storeInTime(
    ...runsOf('web-1', '-C-', 2 * HALF_HOUR, { configuration_version: 'prod-1a9b000' }),
    ...runsOf('web-1', '--', 0, { ...failing, configuration_version: 'prod-3f2c1ab' }),
    ...runsOf('web-2', '--', 0, { ...failing, configuration_version: 'prod-3f2c1ab' }),
    ...runsOf('web-3', '--', HALF_HOUR, failing),
    ...runsOf('web-3', '-', 0),
    ...runsOf('app-1', '-e', 0, { environment: 'staging' }),
  )
  const reports = await ask('/query/v4/reports', {
    query: ['extract', ['hash', 'certname', 'producer_timestamp'], ['~', 'certname', '.']],
  })
  for (const { hash, certname, producer_timestamp: time } of reports) {
    hashes[`${certname} ${(Date.parse(time) - Date.parse(at(0))) / HALF_HOUR}`] = hash
  }
})

const web1 = (runs: number): string => hashes[`web-1 ${runs}`]!

describe('one cause', () => {
  it('has its affected nodes, its start, and the configuration version at its start', async () => {
    const { items } = await ask('/insight/v1/causes')
    const cause = await ask(`/insight/v1/causes/${items[0].cause}`, { since: '2h' })
    expect(cause).toMatchObject({
      cause: items[0].cause,
      reason: "Could not find package 'nginx'",
      nodes: 3,
      reports: 6,
      events: 6,
      first_seen: at(-2 * HALF_HOUR),
      last_seen: at(0),
      new: true,
      derived: false,
      sample: "Could not find package 'nginx'",
      environments: [{ environment: 'production', nodes: 3 }],
      // Of web-2, no run before it is stored.
      began_with: null,
      resources: [
        { resource: 'Package[nginx]', file: '/code/manifests/motd.pp', line: 7, events: 6 },
      ],
    })
    expect(cause.hours.map(({ reports }: { reports: number }) => reports)).toEqual([0, 4, 2])
    expect(
      cause.affected.map((node: Record<string, unknown>) => [
        node['certname'],
        node['reports'],
        node['still'],
        node['report'],
      ]),
    ).toEqual([
      ['web-2', 2, true, hashes['web-2 0']],
      ['web-1', 2, true, hashes['web-1 0']],
      ['web-3', 2, false, hashes['web-3 -1']],
    ])
  })

  it('that nobody knows is not found', async () => {
    expect((await request('/insight/v1/causes/0123456789abcdef')).status).toBe(404)
  })
})

describe('one node', () => {
  it('has the start and the cause of its failure, and its last good run', async () => {
    const node = await ask('/insight/v1/nodes/web-1')
    expect(node).toMatchObject({
      certname: 'web-1',
      run: { state: 'failed', noop: false, derived: false },
      failing: { since: at(-HALF_HOUR), report: web1(-1), runs: 2 },
      last_good: at(-2 * HALF_HOUR),
      last_good_report: web1(-2),
      code_version: '3f2c1ab',
      causes: [
        {
          reason: "Could not find package 'nginx'",
          event: 0,
          log: null,
          resource: 'Package[nginx]',
        },
      ],
    })
    expect(node.runs.map(({ hash }: { hash: string }) => hash)).toEqual(
      [-4, -3, -2, -1, 0].map(web1),
    )
  })

  it('that is fine fails for no reason', async () => {
    expect(await ask('/insight/v1/nodes/web-3')).toMatchObject({ failing: null, causes: [] })
  })

  it('whose error is in its log only has its source', async () => {
    expect((await ask('/insight/v1/nodes/app-1')).causes).toMatchObject([
      {
        derived: true,
        event: null,
        log: 0,
        file: '/code/web.pp',
        line: 12,
        sample: 'Syntax error at end of input (file: /code/web.pp, line: 12)',
      },
    ])
  })

  it('that nobody knows is not found', async () => {
    expect((await request('/insight/v1/nodes/web-99')).status).toBe(404)
  })
})

describe('reports', () => {
  const rows = async (parameters: Record<string, unknown>): Promise<string[]> =>
    (await ask('/insight/v1/reports', parameters)).items.map((row: { hash: string }) => row.hash)

  it.each<[parameters: Record<string, string>, query: unknown]>([
    [{}, ['>', 'end_time', at(-24 * 3_600_000)]],
    [{ state: 'failed', environment: 'production' }, ['=', 'status', 'failed']],
    [{ certname: 'web-3' }, ['=', 'certname', 'web-3']],
    [{ state: 'changed', certname: 'web-1' }, ['=', 'status', 'changed']],
    [{ since: at(-HALF_HOUR) }, ['>=', 'producer_timestamp', at(-HALF_HOUR)]],
  ])('chosen by %j are those of v4', async (parameters, query) => {
    const v4 = await ask('/query/v4/reports', {
      query: ['extract', ['hash'], query],
      order_by: [{ field: 'producer_timestamp', order: 'desc' }],
    })
    expect((await rows(parameters)).sort()).toEqual(
      v4.map(({ hash }: { hash: string }) => hash).sort(),
    )
  })

  it('come page by page, newest first', async () => {
    const all = await rows({})
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await ask('/insight/v1/reports', { limit: '3', ...(cursor ? { cursor } : {}) })
      paged.push(...page.items.map(({ hash }: { hash: string }) => hash))
      cursor = page.next
    }
    expect(paged).toEqual(all)
  })
})

describe('one report', () => {
  it('has its events, logs, metrics and neighbouring reports', async () => {
    const report = await ask(`/insight/v1/reports/${web1(-1)}`)
    const [v4] = await ask('/query/v4/reports', { query: ['=', 'hash', web1(-1)] })
    expect(report).toMatchObject({
      hash: web1(-1),
      certname: 'web-1',
      state: 'failed',
      is_latest: false,
      seconds: 9.5,
      failures: 1,
      skips: 1,
      transaction_uuid: v4.transaction_uuid,
      catalog_uuid: v4.catalog_uuid,
      receive_time: v4.receive_time,
      producer: v4.producer,
      previous: { hash: web1(-2), state: 'unchanged', time: at(-2 * HALF_HOUR) },
      next: { hash: web1(0), state: 'failed' },
      last_good: { hash: web1(-2) },
      causes: [{ reason: "Could not find package 'nginx'", event: 0 }],
    })
    expect(report.logs).toEqual(v4.logs.data)
    expect(report.metrics).toEqual(v4.metrics.data)
    const bare = (rows: Record<string, unknown>[]) =>
      rows.map((row) => JSON.stringify(FIELDS_OF_BOTH.map((name) => row[name]))).sort()
    expect(bare(report.report_events)).toEqual(bare(v4.resource_events.data))
  })

  it('that nobody knows is not found', async () => {
    expect((await request(`/insight/v1/reports/${'0'.repeat(40)}`)).status).toBe(404)
  })
})

describe('each takes one round trip', () => {
  it.each(['nodes/web-1', 'reports', 'reports?state=failed', 'causes'])('%s', async (path) => {
    const { roundTrips, statements } = costOf(await request(`/insight/v1/${path}`))
    expect(roundTrips).toBe(1)
    expect(statements).toBeLessThanOrEqual(6)
  })
  it('a report and a cause', async () => {
    const { items } = await ask('/insight/v1/causes')
    for (const [path, most] of [
      [`reports/${web1(0)}`, 6],
      [`causes/${items[0].cause}`, 5],
    ]) {
      const { roundTrips, statements } = costOf(await request(`/insight/v1/${path}`))
      expect([roundTrips, statements]).toEqual([1, most])
    }
  })
})
