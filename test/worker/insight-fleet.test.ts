/** `/insight/v1`: the fleet, its nodes and their runs, with numbers that v4 answers too. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, costOf, JSON_TYPE, request, submit } from './client.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, NOON } from './reports.ts'

/** certname, runs, how long ago the last was, environment; and what its latest report came to. */
const FLEET: readonly [
  certname: string,
  runs: string,
  ago: number,
  environment: string,
  state: string,
][] = [
  ['web-1', '--C-FF', 0, 'production', 'failed'],
  ['web-2', '-----F', 0, 'production', 'failed'],
  ['web-3', '----e', 0, 'production', 'failed'],
  ['web-4', '---fN', 0, 'production', 'unchanged'],
  ['db-1', 'FF----', 0, 'production', 'unchanged'],
  ['db-2', '-----D', 0, 'staging', 'corrective'],
  ['db-3', '---', 5 * HALF_HOUR, 'staging', 'unchanged'],
  ['db-4', '--F', 6 * HALF_HOUR, 'staging', 'failed'],
  ['lab-1', 'nnc', 0, 'lab', 'would changed'],
  ['lab-2', 'nnd', 0, 'lab', 'would corrective'],
  ['lab-3', 'nnf', 0, 'lab', 'would failed'],
  ['lab-4', 'ccn', 0, 'lab', 'would unchanged'],
  ['lab-5', '-.C', 0, 'lab', 'changed'],
  ['gone', '--F', 0, 'production', 'inactive'],
]

beforeAll(async () => {
  const payloads = FLEET.flatMap(([certname, runs, ago, environment]) =>
    runsOf(certname, runs, ago, { environment }),
  )
  await storeInTime(...payloads)
  await submit(
    { certname: 'gone', producer_timestamp: at(1000) },
    { command: 'deactivate node', version: 3 },
  )
  await submit(
    { certname: 'silent-born', environment: 'lab', producer_timestamp: at(0) },
    { command: 'replace facts', version: 5 },
  )
})

const named = ({ state, noop }: { state: string; noop: boolean }): string =>
  noop ? `would ${state}` : state
const count = (state: string): number => FLEET.filter((line) => line[4] === state).length

describe('the fleet', () => {
  it('is counted by the state of each active node’s latest report, silent nodes separately', async () => {
    const fleet = await ask('/insight/v1/fleet')
    expect(fleet).toMatchObject({
      as_of: at(0),
      newest: at(0),
      nodes: FLEET.length,
      silent: 2,
      never_reported: 1,
    })
    expect(fleet.states.map((one: never) => named(one))).toEqual(
      ['failed', 'corrective', 'changed', 'unchanged'].flatMap((name) => [name, `would ${name}`]),
    )
    for (const one of fleet.states)
      expect([named(one), one.count]).toEqual([named(one), count(named(one))])
    expect(fleet.states.find((one: never) => named(one) === 'failed').silent).toBe(1)
  })

  it('by environment, that with the most failed nodes first', async () => {
    const { environments } = await ask('/insight/v1/fleet')
    expect(
      environments.map(
        (one: { environment: string; nodes: number; states: { count: number }[] }) => [
          one.environment,
          one.nodes,
          one.states[0]!.count,
        ],
      ),
    ).toEqual([
      ['production', 5, 3],
      ['staging', 3, 1],
      ['lab', 5, 0],
      [null, 1, 0],
    ])
  })

  it.each<[parameters: Record<string, string>, nodes: number, failed: number, silent: number]>([
    [{ environment: 'staging' }, 3, 1, 2],
    [{ environment: 'nowhere' }, 0, 0, 0],
    [{ exclude: '^lab|silent' }, 8, 4, 2],
    [{ filter: 'certname ~ "web"' }, 4, 3, 0],
    [{ filter: '["=", "status", "failed"]' }, 4, 3, 1],
    [{ filter: 'certname in nodes[certname] { latest_report_noop = true }' }, 4, 0, 0],
    [{ silent_after: '4' }, 14, 4, 0],
    [{ environment: 'staging', exclude: 'db-3' }, 2, 1, 1],
  ])('within %j', async (parameters, nodes, failed, silent) => {
    const fleet = await ask('/insight/v1/fleet', parameters)
    expect([fleet.nodes, fleet.states[0].count, fleet.silent]).toEqual([nodes, failed, silent])
  })

  it('agrees with v4 on failed nodes, and adds errors without a failed resource, which v4 lacks', async () => {
    const fleet = await ask('/insight/v1/fleet')
    const [v4] = await ask('/query/v4', {
      query: 'nodes[count()] { latest_report_status = "failed" and latest_report_noop = false }',
    })
    expect(fleet.states[0].count).toBe(v4.count + 1)
  })
})

describe('nodes', () => {
  const names = async (parameters: Record<string, unknown>): Promise<string[]> =>
    (await ask('/insight/v1/nodes', parameters)).items.map(
      (node: { certname: string }) => node.certname,
    )

  it.each<[parameters: Record<string, string>, certnames: string]>([
    [{}, 'db-4 web-1 web-2 web-3 lab-3 db-2 lab-2 lab-5 lab-1 db-3 db-1 web-4 lab-4 silent-born'],
    [{ state: 'failed' }, 'db-4 web-1 web-2 web-3 lab-3'],
    [{ state: 'failed', noop: 'false', silent: 'false' }, 'web-1 web-2 web-3'],
    [{ state: 'changed,corrective' }, 'db-2 lab-2 lab-5 lab-1'],
    [{ noop: 'true' }, 'lab-3 lab-2 lab-1 lab-4'],
    [{ silent: 'true' }, 'db-4 db-3'],
    [{ q: 'B-' }, 'db-4 web-1 web-2 web-3 lab-3 db-2 lab-2 lab-5 lab-1 db-3 db-1 web-4 lab-4'],
    [{ q: 'WEB', sort: 'certname' }, 'web-1 web-2 web-3 web-4'],
    [{ environment: 'staging', sort: 'time' }, 'db-2 db-3 db-4'],
  ])('chosen and sorted by %j', async (parameters, certnames) => {
    expect((await names(parameters)).join(' ')).toBe(certnames)
  })

  it.each(['worst', 'certname', 'time', 'seconds'])(
    'come page by page, sorted by %s',
    async (sort) => {
      const all = await names({ sort })
      const paged: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await ask('/insight/v1/nodes', {
          sort,
          limit: '4',
          ...(cursor ? { cursor } : {}),
        })
        expect(page.total).toBe(14)
        paged.push(...page.items.map((node: { certname: string }) => node.certname))
        cursor = page.next
      }
      expect(paged).toEqual(all)
    },
  )

  it('each with its latest report, its last good one and a strip of its runs', async () => {
    const { items } = await ask('/insight/v1/nodes', { q: 'web-1' })
    const [v4] = await ask('/query/v4/nodes', { query: ['=', 'certname', 'web-1'] })
    expect(items).toEqual([
      {
        certname: 'web-1',
        run: { state: 'failed', noop: false, derived: false, fact_errors: false },
        silent: false,
        clock_off: null,
        environment: 'production',
        time: at(0),
        report: v4.latest_report_hash,
        seconds: 9.5,
        agent_version: '8.10.0',
        code_version: null,
        events: { failures: 1, successes: 0, noops: 0, skips: 0 },
        reason: "Could not find package 'nginx'",
        last_good: at(-2 * HALF_HOUR),
        strip: ['unchanged', 'unchanged', 'changed', 'unchanged', 'failed', 'failed'].map(
          (state, index) => ({
            state,
            noop: false,
            derived: false,
            fact_errors: false,
            time: at((index - 5) * HALF_HOUR),
            seconds: 10,
          }),
        ),
      },
    ])
  })

  it('with strips as long as asked for, newest runs kept', async () => {
    const { items } = await ask('/insight/v1/nodes', { q: 'web-1', runs: '2' })
    expect(items[0].strip.map((run: { time: string }) => run.time)).toEqual([at(-HALF_HOUR), at(0)])
  })
})

describe('the timeline', () => {
  const states = (bucket: { states: { state: string; noop: boolean; count: number }[] }): string =>
    bucket.states
      .map((one: { state: string; noop: boolean; count: number }) => `${named(one)} ${one.count}`)
      .join(', ')

  it('counts runs by hour, whether hours are closed or open', async () => {
    const open = await ask('/insight/v1/timeline', { since: '4h' })
    await closeHours(Database.primary(env.DB), NOON + 24 * 3_600_000)
    const closed = await ask('/insight/v1/timeline', { since: '4h' })
    expect(closed).toEqual(open)
    expect(open.buckets).toHaveLength(5)
    expect(open.buckets.map((bucket: { start: string }) => bucket.start)[0]).toBe(
      at(-4 * 3_600_000),
    )
    expect(states(open.buckets[4])).toBe(
      'failed 4, would failed 1, corrective 1, would corrective 1, changed 1, would changed 1, unchanged 2, would unchanged 1',
    )
  })

  it.each<[parameters: Record<string, string>, where: string]>([
    [{}, ''],
    [{ environment: 'staging' }, 'and environment = "staging"'],
    [{ filter: 'certname ~ "^db"' }, 'and certname ~ "^db"'],
    [{ certname: 'web-1' }, 'and certname = "web-1"'],
  ])('with %j has as many runs as v4 counts', async (parameters, where) => {
    const [since, until] = [at(-3.7 * 3_600_000), at(-0.4 * 3_600_000)]
    const timeline = await ask('/insight/v1/timeline', { since, until, ...parameters })
    // Runs stay runs where their node is deactivated later.
    const span = `node_state = "any" and producer_timestamp >= "${since}" and producer_timestamp < "${until}" ${where}`
    const [{ count: runs }] = await ask('/query/v4', { query: `reports[count()] { ${span} }` })
    expect(timeline.runs).toBe(runs)
    const [{ count: failed }] = await ask('/query/v4', {
      query: `reports[count()] { ${span} and status = "failed" and noop = false }`,
    })
    const found = timeline.states.find((one: never) => named(one) === 'failed')?.count ?? 0
    expect(found).toBe(failed)
  })

  it('by day from midnight, UTC', async () => {
    const { buckets } = await ask('/insight/v1/timeline', { bucket: 'day', since: '7d' })
    expect(buckets).toHaveLength(8)
    expect(buckets.at(-1).start).toBe('2026-03-02T00:00:00.000Z')
  })

  it('by five minutes has the runs of each hour', async () => {
    const span = { since: '4h' }
    const hours = await ask('/insight/v1/timeline', span)
    const fine = await ask('/insight/v1/timeline', { ...span, bucket: 'five-minutes' })
    expect(fine.states).toEqual(hours.states)
    expect(fine.buckets).toHaveLength(49)
    const runsFrom = (hour: string): number =>
      fine.buckets
        .filter(({ start }: { start: string }) => start.slice(0, 13) === hour.slice(0, 13))
        .reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0)
    for (const { start, runs } of hours.buckets)
      expect([start, runsFrom(start)]).toEqual([start, runs])
  })

  it('by five minutes is of six hours at most', async () => {
    const response = await request('/insight/v1/timeline?since=7h&bucket=five-minutes')
    expect([response.status, await response.text()]).toEqual([
      400,
      'Buckets of five minutes are for spans of at most 6 hours: ask for a shorter span, or for buckets of an hour.',
    ])
  })
})

describe('an answer', () => {
  it.each(['fleet', 'nodes', 'timeline'])('of %s takes one round trip', async (path) => {
    const { roundTrips, statements } = costOf(await request(`/insight/v1/${path}`))
    expect(roundTrips).toBe(1)
    expect(statements).toBeLessThanOrEqual(6)
  })

  it('is not sent again while nothing has arrived', async () => {
    const first = await request('/insight/v1/fleet')
    const etag = first.headers.get('etag')!
    const again = await request('/insight/v1/fleet', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), costOf(again).roundTrips]).toEqual([304, '', 1])
    await storeInTime(...runsOf('late', '-', 40 * HALF_HOUR))
    const changed = await request('/insight/v1/fleet', { headers: { 'if-none-match': etag } })
    expect(changed.status).toBe(200)
  })

  it('is sent again after a report that is not the newest', async () => {
    await storeInTime(...runsOf('before', '--', HALF_HOUR), ...runsOf('newest', '-', 0))
    const paths = ['/insight/v1/nodes', '/insight/v1/causes', '/console/newer?after=0']
    const tags = await Promise.all(
      paths.map(async (path) => (await request(path)).headers.get('etag')!),
    )
    await storeInTime(...runsOf('before', 'F', 1000))
    for (const [index, path] of paths.entries()) {
      const headers = { 'if-none-match': tags[index]! }
      expect([path, (await request(path, { headers })).status]).toEqual([path, 200])
    }
  })

  it('is sent again after what comes without a report', async () => {
    const time = new Date().toISOString()
    const json = (method: string, body: object) => ({
      method,
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    })
    const payload = { certname: 'leaving', producer_timestamp: time }
    const deletion = { command: 'delete', version: 1, payload: { certname: 'leaving' } }
    const changes: [change: string, init: RequestInit, path: string][] = [
      ['/insight/v1/queries/new', json('PUT', { title: 'x', query: 'nodes {}' }), 'queries'],
      ['/insight/v1/queries/new', { method: 'DELETE' }, 'queries'],
      [
        '/pdb/cmd/v1?command=deactivate_node&version=3&certname=leaving',
        json('POST', payload),
        'nodes',
      ],
      ['/admin/v1/cmd', json('POST', deletion), 'nodes/leaving'],
    ]
    await storeInTime(...runsOf('leaving', '-', 0))
    for (const [change, init, path] of changes) {
      const headers = {
        'if-none-match': (await request(`/insight/v1/${path}`)).headers.get('etag')!,
      }
      expect((await request(`/insight/v1/${path}`, { headers })).status).toBe(304)
      expect((await request(change, init)).ok).toBe(true)
      const { status } = await request(`/insight/v1/${path}`, { headers })
      expect([path, status]).toEqual([path, path === 'nodes/leaving' ? 404 : 200])
    }
  })

  it.each<[path: string, sentence: string]>([
    [
      '/fleet?environmet=x',
      "Unsupported query parameter 'environmet'. Did you mean 'environment'?",
    ],
    [
      '/fleet?since=yesterday',
      "since can't be 'yesterday': expected a time, or how long ago as in '90m', '24h', '7d'.",
    ],
    [
      '/fleet?since=24',
      "since can't be '24': expected a time, or how long ago as in '90m', '24h', '7d'. Did you mean '24h'?",
    ],
    [
      '/fleet?since=-5',
      "since can't be '-5': expected a time, or how long ago as in '90m', '24h', '7d'. Did you mean '5h'?",
    ],
    [
      '/fleet?until=5:00',
      "until can't be '5:00': expected a time, or how long ago as in '90m', '24h', '7d'.",
    ],
    ['/fleet?since=1h&until=2h', "'since' is after 'until': nothing can be between them."],
    [
      '/nodes?state=fialed',
      "state can't be 'fialed': expected one of failed, corrective, changed, unchanged. Did you mean 'failed'?",
    ],
    ['/nodes?limit=501', "limit can't be '501': expected a whole number from 1 to 500."],
    [
      '/nodes?cursor=x',
      "The cursor 'x' isn't from this list: send the `next` of a page unchanged.",
    ],
    // Positions that JSON can hold and no page can have ended at: [1e999,""] and [0.5,"x"].
    [
      '/nodes?cursor=WzFlOTk5LCIiXQ',
      "The cursor 'WzFlOTk5LCIiXQ' isn't from this list: send the `next` of a page unchanged.",
    ],
    [
      '/nodes?cursor=WzAuNSwieCJd',
      "The cursor 'WzAuNSwieCJd' isn't from this list: send the `next` of a page unchanged.",
    ],
    ['/nodes?silent=maybe', "silent can't be 'maybe': expected `true` or `false`."],
  ])('to %s says what is wrong', async (path, sentence) => {
    const response = await request(`/insight/v1${path}`)
    expect([response.status, await response.text()]).toEqual([400, sentence])
  })
})
