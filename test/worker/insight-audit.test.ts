/** `/insight/v1`: two reports compared, metrics over runs, what was changed, and search. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, request, textOf } from './client.ts'
import { errorLine, HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, event, resource, type Payload } from './reports.ts'

const counted = (name: string, value: number): Payload => ({ category: 'resources', name, value })
const metrics = (total: number, packages: number): Payload[] => [
  counted('changed', 100 * packages),
  counted('total', 100 * total),
  { category: 'time', name: 'total', value: total },
  { category: 'time', name: 'package', value: packages },
]
const nginx = (parts: Payload): Payload =>
  resource({ resource_type: 'Package', resource_title: 'nginx', events: [event(parts)] })
let hashes: string[] = []

beforeAll(async () => {
  const motd = resource()
  await storeInTime(
    ...runsOf('web-1', '-', 3 * HALF_HOUR, { metrics: metrics(1, 1) }),
    ...runsOf('web-1', 'C', 2 * HALF_HOUR, {
      resources: [motd, nginx({}), resource({ resource_title: '/etc/issue' })],
      metrics: [...metrics(4, 2.1), counted('skipped', 2190.5)],
      logs: [errorLine('same', { level: 'notice' }), errorLine('gone', { level: 'notice' })],
      configuration_version: 'prod-1a9b000',
    }),
    ...runsOf('web-1', 'F', HALF_HOUR, { metrics: metrics(2, 1) }),
    ...runsOf('web-1', 'F', 0, {
      resources: [
        motd,
        nginx({ status: 'failure', message: 'no' }),
        resource({ resource_title: '/etc/hosts' }),
      ],
      metrics: [...metrics(30, 24), counted('failed', 2190.25)],
      logs: [errorLine('same', { level: 'notice', time: at(1) }), errorLine('new')],
      configuration_version: 'prod-3f2c1ab',
    }),
    ...runsOf('db-1', 'D', 0),
    ...runsOf('db-2', 'c', 0),
  )
  const reports = await ask('/query/v4/reports', {
    query: ['extract', ['hash'], ['=', 'certname', 'web-1']],
    order_by: [{ field: 'producer_timestamp' }],
  })
  hashes = reports.map(({ hash }: { hash: string }) => hash)
})

describe('a diff', () => {
  it('with the last good run shows the differences only', async () => {
    const diff = await ask(`/insight/v1/reports/${hashes[3]}/diff`)
    expect([diff.from.hash, diff.to.hash]).toEqual([hashes[1], hashes[3]])
    expect(diff.head).toEqual([
      { field: 'status', from: 'changed', to: 'failed' },
      { field: 'state', from: 'changed', to: 'failed' },
      { field: 'code_version', from: '1a9b000', to: '3f2c1ab' },
      { field: 'configuration_version', from: 'prod-1a9b000', to: 'prod-3f2c1ab' },
    ])
    const titles = (events: { resource_title: string }[]) => events.map((one) => one.resource_title)
    expect(diff.events.equal).toBe(1)
    expect(titles(diff.events.added)).toEqual(['/etc/hosts'])
    expect(titles(diff.events.removed)).toEqual(['/etc/issue'])
    expect(diff.events.changed).toMatchObject([
      { from: { status: 'success' }, to: { status: 'failure', message: 'no' } },
    ])
    // Seconds first, the greatest change ahead.
    expect(diff.metrics).toEqual([
      { category: 'time', name: 'total', from: 4, to: 30 },
      { category: 'time', name: 'package', from: 2.1, to: 24 },
      { category: 'resources', name: 'total', from: 400, to: 3000 },
      { category: 'resources', name: 'skipped', from: 2190.5, to: null },
      { category: 'resources', name: 'failed', from: null, to: 2190.25 },
      { category: 'resources', name: 'changed', from: 210, to: 2400 },
    ])
    expect(diff.logs.added).toMatchObject([{ message: 'new', index: 1 }])
    expect(diff.logs.removed).toMatchObject([{ message: 'gone', index: 1 }])
  })

  it.each<[against: string, from: number]>([
    ['previous', 2],
    ['good', 1],
  ])('with the %s one', async (against, from) => {
    const diff = await ask(`/insight/v1/reports/${hashes[3]}/diff`, { against })
    expect(diff.from.hash).toBe(hashes[from])
  })

  it('with any other, and with none', async () => {
    const diff = await ask(`/insight/v1/reports/${hashes[3]}/diff`, { against: hashes[0]! })
    expect(diff.from.hash).toBe(hashes[0])
    const none = await request(`/insight/v1/reports/${hashes[0]}/diff`)
    expect([none.status, await none.json()]).toEqual([
      404,
      { error: `No information is known about report that is good before ${hashes[0]}` },
    ])
  })
})

it('metrics of a node come over its runs, with their median', async () => {
  const series = await ask('/insight/v1/nodes/web-1/series', { metric: 'time.total,time.none' })
  expect(series.available).toEqual([
    ...['changed', 'failed', 'skipped', 'total'].map((name) => `resources.${name}`),
    ...['time.package', 'time.total'],
  ])
  expect(series.runs.map(({ report }: { report: string }) => report)).toEqual(hashes)
  expect(series.series).toEqual([
    { metric: 'time.total', values: [1, 4, 2, 30], median: 3, p95: expect.closeTo(26.1) },
    { metric: 'time.none', values: [null, null, null, null], median: null, p95: null },
  ])
})

describe('changes', () => {
  it.each<[parameters: Record<string, string>, rows: number]>([
    [{}, 9],
    [{ kind: 'intentional' }, 5],
    [{ kind: 'corrective' }, 1],
    [{ kind: 'noop' }, 1],
    [{ kind: 'failure' }, 2],
    [{ resource: 'Package[nginx]' }, 2],
    [{ resource: 'Package' }, 2],
    [{ resource: '/etc/motd' }, 5],
    [{ class: 'Motd', certname: 'web-1' }, 7],
    [{ file: '/code/manifests/motd.pp', kind: 'corrective' }, 1],
    [{ file: '/elsewhere' }, 0],
    [{ since: '40m', certname: 'web-1' }, 4],
    [{ environment: 'production', kind: 'noop' }, 1],
  ])('of %j are what their query finds', async (parameters, rows) => {
    const changes = await ask('/insight/v1/changes', parameters)
    const v4 = await ask('/query/v4', { query: changes.query })
    const bare = (found: Record<string, unknown>[]) =>
      found
        .map((one) =>
          [
            one['certname'],
            one['resource_title'],
            one['status'],
            one['report'],
            one['timestamp'],
          ].join(' '),
        )
        .sort()
    expect(changes.items).toHaveLength(rows)
    expect(bare(changes.items)).toEqual(bare(v4))
  })

  it('come page by page, newest first', async () => {
    const all = (await ask('/insight/v1/changes')).items
    const paged: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await ask('/insight/v1/changes', { limit: '2', ...(cursor ? { cursor } : {}) })
      paged.push(...page.items)
      cursor = page.next
    }
    expect(paged).toEqual(all)
  })
})

describe('all changes', () => {
  /** So that they take more than the 500 that are read at a time. */
  const MANY = 1100
  beforeAll(async () => {
    const events = Array.from({ length: MANY }, (_, n) => event({ property: `p${n}` }))
    await storeInTime(...runsOf('many', 'C', 0, { resources: [resource({ events })] }))
  })

  const table = async (path: string, accept: string): Promise<[type: string | null, string]> => {
    const response = await request(path, { headers: { accept } })
    return [response.headers.get('content-type'), await textOf(response)]
  }
  const everyItem = async (path: string): Promise<unknown[]> => {
    const all: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await ask(path, { limit: '500', ...(cursor ? { cursor } : {}) })
      all.push(...page.items)
      cursor = page.next
    }
    return all
  }
  const CSV = 'text/csv;charset=utf-8;header=present'
  const NDJSON = 'application/x-ndjson;charset=utf-8'

  it.each([
    ['by Accept', '/insight/v1/changes', 'application/x-ndjson'],
    ['by suffix', '/insight/v1/changes.ndjson', '*/*'],
  ])('are a line of JSON each, %s', async (_, path, accept) => {
    const [type, text] = await table(path, accept)
    const rows = text.trimEnd().split('\n')
    expect(type).toBe(NDJSON)
    expect(rows.map((row) => JSON.parse(row))).toEqual(await everyItem('/insight/v1/changes'))
    expect(rows.length).toBeGreaterThan(MANY)
  })

  it.each([
    ['by Accept', '/insight/v1/changes?certname=web-1', 'text/csv'],
    ['by suffix', '/insight/v1/changes.csv?certname=web-1', '*/*'],
  ])('are a line of CSV each, %s', async (_, path, accept) => {
    const [type, text] = await table(path, accept)
    const [head, ...lines] = text.trimEnd().split('\r\n')
    const { items } = await ask('/insight/v1/changes', { certname: 'web-1' })
    expect([type, head]).toEqual([CSV, Object.keys(items[0]).join(',')])
    expect(lines.map((line) => line.split(',').at(-2))).toEqual(
      items.map(({ report }: { report: string }) => report),
    )
  })

  it('are one array of JSON by suffix, and a page of them without', async () => {
    const parameters = { certname: 'web-1' }
    const { items } = await ask('/insight/v1/changes', parameters)
    expect(await ask('/insight/v1/changes.json', parameters)).toEqual(items)
  })

  it('come as they are read: a round trip to begin with', async () => {
    const response = await request('/insight/v1/changes.ndjson')
    expect(costOf(response).roundTrips).toBe(1)
    await response.body!.cancel()
  })

  it.each([
    ['limit=2', 2],
    ['limit=500&kind=intentional&certname=many', 500],
    ['certname=nobody', 0],
  ])('are no more than are asked for: %s', async (search, rows) => {
    const [, text] = await table(`/insight/v1/changes.csv?${search}`, '*/*')
    const [head, ...lines] = text.trimEnd().split('\r\n')
    expect([head?.split(',')[0], lines.length]).toEqual(['status', rows])
  })

  it('continue from a cursor like pages', async () => {
    const { next } = await ask('/insight/v1/changes', { limit: '500' })
    const [, text] = await table(`/insight/v1/changes.ndjson?cursor=${next}`, '*/*')
    const all = await everyItem('/insight/v1/changes')
    expect(text.trimEnd().split('\n')).toHaveLength(all.length - 500)
  })

  it.each([
    ['/insight/v1/changes.csv?kind=al', 400, "kind can't be 'al'"],
    ['/insight/v1/changes.csv?cursor=x', 400, 'cursor'],
    ['/insight/v1/changes.xml', 404, 'Not Found'],
    ['/insight/v1/fleet.csv', 404, 'Not Found'],
  ])('%s is %i', async (path, status, sentence) => {
    const response = await request(path)
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(sentence),
    ])
  })
})

describe('search', () => {
  it.each<[text: string, hits: string[]]>([
    ['WEB', ['node web-1']],
    ['nginx', ["cause Could not find package 'nginx'", 'resource Package[nginx]']],
    ['package', ["cause Could not find package 'nginx'", 'resource Package[nginx]']],
    ['motd', ['class Motd', 'resource File[/etc/motd]', 'file /code/manifests/motd.pp']],
    ['nothing like it', []],
  ])('for %j', async (text, hits) => {
    const found = await ask('/insight/v1/search', { q: text })
    expect(
      found.hits.map(({ group, label }: Record<string, string>) => `${group} ${label}`),
    ).toEqual(hits)
  })

  it('finds a report by the beginning of its hash', async () => {
    const { hits } = await ask('/insight/v1/search', { q: hashes[0]!.slice(0, 9) })
    expect(hits).toEqual([{ group: 'report', id: hashes[0], label: 'web-1', exact: false }])
  })
})

it.each(['changes', 'search?q=web', 'nodes/web-1/series'])(
  '%s takes one round trip',
  async (path) => {
    const { roundTrips, statements } = costOf(await request(`/insight/v1/${path}`))
    expect(roundTrips).toBe(1)
    expect(statements).toBeLessThanOrEqual(6)
  },
)
