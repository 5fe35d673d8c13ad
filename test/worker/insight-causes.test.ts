/** `/insight/v1/causes`: what broke, on how many nodes, since when. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, request } from './client.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, event, resource, type Payload } from './reports.ts'

const failing = (title: string, message: string, parts: Payload = {}): Payload =>
  resource({
    resource_type: 'Package',
    resource_title: title,
    file: '/code/web.pp',
    line: 12,
    containment_path: ['Stage[main]', 'Web', `Package[${title}]`],
    events: [event({ status: 'failure', message })],
    ...parts,
  })
const missing = (title: string): Payload => failing(title, `Could not find package '${title}'`)
const migrate = failing(
  '-',
  "change from 'notrun' to ['0'] failed: '/bin/false' returned 1 instead of one of [0]",
  {
    resource_type: 'Exec',
    resource_title: 'migrate',
    file: '/code/app.pp',
    line: 3,
    containment_path: ['Stage[main]', 'App', 'Exec[migrate]'],
  },
)

const failed = (
  certname: string,
  runs: string,
  resources: Payload[],
  parts: Payload = {},
): Payload[] => runsOf(certname, runs, 0, { status: 'failed', resources, ...parts })

beforeAll(async () => {
  await storeInTime(
    ...failed('web-1', 'FF', [missing('nginx')], { configuration_version: 'prod-3f2c1ab' }),
    ...failed('web-2', 'F', [missing('nginx'), missing('caddy')], {
      configuration_version: 'prod-3f2c1ab',
    }),
    ...failed('web-3', 'F', [missing('nginx'), migrate], { environment: 'staging' }),
    ...failed('app-1', 'F'.padStart(49, 'F'), [migrate]),
    ...runsOf('app-2', 'e'),
    ...runsOf('plan', 'F', 0, { type: 'plan' }),
    ...runsOf('lab-1', 'dc', 0, { environment: 'lab' }),
    ...runsOf('lab-2', 'D', 0, { environment: 'lab' }),
    // Changes something, and would change more.
    ...runsOf('lab-3', 'C', 0, {
      environment: 'lab',
      noop_pending: true,
      resources: [
        resource(),
        resource({ resource_title: '/etc/issue', events: [event({ status: 'noop' })] }),
      ],
    }),
  )
})

const shown = (causes: { items: Record<string, unknown>[] }): string[] =>
  causes.items.map(
    ({ reason, nodes, reports, events }) =>
      `${nodes} nodes ${reports} reports ${events} events: ${reason}`,
  )

describe('causes', () => {
  it.each<[parameters: Record<string, string>, causes: string[]]>([
    [
      { since: '24h' },
      [
        "3 nodes 4 reports 4 events: Could not find package 'nginx'",
        '2 nodes 50 reports 50 events: Exec[migrate] returned 1',
        "1 nodes 1 reports 1 events: Could not find package 'caddy'",
        '1 nodes 1 reports 0 events: Syntax error at end of input (/code/web.pp)',
      ],
    ],
    [
      { since: '1h', new: 'true' },
      [
        "3 nodes 4 reports 4 events: Could not find package 'nginx'",
        "1 nodes 1 reports 1 events: Could not find package 'caddy'",
        '1 nodes 1 reports 0 events: Syntax error at end of input (/code/web.pp)',
      ],
    ],
    [
      { environment: 'staging' },
      [
        "1 nodes 1 reports 1 events: Could not find package 'nginx'",
        '1 nodes 1 reports 1 events: Exec[migrate] returned 1',
      ],
    ],
    [
      { since: '1m', by: 'resource' },
      [
        '3 nodes 3 reports 3 events: Package[nginx]',
        '2 nodes 2 reports 2 events: Exec[migrate]',
        '1 nodes 1 reports 0 events: no resource',
        '1 nodes 1 reports 1 events: Package[caddy]',
      ],
    ],
    [
      { since: '1m', by: 'class' },
      [
        '3 nodes 3 reports 4 events: Web',
        '2 nodes 2 reports 2 events: App',
        '1 nodes 1 reports 0 events: no class',
      ],
    ],
    [
      { since: '1m', by: 'location' },
      ['4 nodes 4 reports 4 events: /code/web.pp:12', '2 nodes 2 reports 2 events: /code/app.pp:3'],
    ],
    [{ kind: 'corrective' }, ['1 nodes 1 reports 1 events: File[/etc/motd]']],
    [
      { kind: 'noop' },
      [
        '1 nodes 2 reports 2 events: File[/etc/motd]',
        '1 nodes 1 reports 1 events: File[/etc/issue]',
      ],
    ],
  ])('of %j', async (parameters, causes) => {
    expect(shown(await ask('/insight/v1/causes', parameters))).toEqual(causes)
  })

  it('have a total, and each has its details', async () => {
    const causes = await ask('/insight/v1/causes', { since: '2h', limit: '1' })
    expect(causes).toMatchObject({ total: 4, nodes: 5, reports: 10 })
    expect(causes.hours).toEqual([at(-4 * HALF_HOUR), at(-2 * HALF_HOUR), at(0)])
    expect(causes.items).toEqual([
      {
        cause: expect.stringMatching(/^[0-9a-f]{16}$/),
        reason: "Could not find package 'nginx'",
        failing: 3,
        nodes: 3,
        reports: 4,
        events: 4,
        first_seen: at(-HALF_HOUR),
        since: at(-HALF_HOUR),
        acknowledged: null,
        last_seen: at(0),
        new: true,
        derived: false,
        sample: "Could not find package 'nginx'",
        resource: 'Package[nginx]',
        more_resources: 0,
        containing_class: 'Web',
        file: '/code/web.pp',
        line: 12,
        hours: [0, 1, 3],
      },
    ])
  })

  it('come by the nodes that fail by them now, then the newest first; those of before the span, too', async () => {
    const exec = (title: string): Payload =>
      failing(title, "'x' returned 1 instead of one of [0]", { resource_type: 'Exec' })
    await storeInTime(
      ...['a', 'b', 'c']
        .flatMap((one) => runsOf(`order-${one}`, 'F-', 0, {}))
        .map((run) => (run['status'] === 'failed' ? { ...run, resources: [exec('over')] } : run)),
      ...failed('order-d', 'F', [exec('silent')], { producer_timestamp: at(-300 * HALF_HOUR) }),
      ...failed('order-e', 'FF', [exec('older')]),
      ...failed('order-f', 'F', [exec('newer')]),
      ...['g', 'h'].flatMap((one) => failed(`order-${one}`, 'FFF', [exec('most')])),
    )
    const { items, failing: nodes } = await ask('/insight/v1/causes', {
      filter: 'certname ~ "^order-"',
    })
    const rows = items.map((cause: Record<string, unknown>) => [
      cause['reason'],
      cause['failing'],
      cause['nodes'],
    ])
    expect([nodes, ...rows]).toEqual([
      5,
      ['Exec[most] returned 1', 2, 2],
      ['Exec[newer] returned 1', 1, 1],
      ['Exec[older] returned 1', 1, 1],
      ['Exec[silent] returned 1', 1, 0],
      ['Exec[over] returned 1', 0, 3],
    ])
  })

  it('without a failed event quote the log', async () => {
    const { items } = await ask('/insight/v1/causes', { filter: 'certname = "app-2"' })
    expect(items).toMatchObject([
      {
        derived: true,
        sample: 'Syntax error at end of input (file: /code/web.pp, line: 12)',
        resource: null,
        file: '/code/web.pp',
        line: 12,
      },
    ])
  })

  it('know a late report as the first of its cause', async () => {
    const [early] = failed('web-9', 'F', [missing('nginx')], {
      producer_timestamp: at(-100 * HALF_HOUR),
    })
    await storeInTime(early!)
    const { items } = await ask('/insight/v1/causes', { since: '1h' })
    expect([items[0].first_seen, items[0].new]).toEqual([at(-100 * HALF_HOUR), false])
  })

  it.each(['causes?', 'causes?by=class&', 'causes?kind=noop&', 'reports?state=failed&'])(
    '%s of nodes that there are none of: none',
    async (path) => {
      const filter = encodeURIComponent('certname ~ "^nobody"')
      const response = await request(`/insight/v1/${path}filter=${filter}`)
      expect(await response.json()).toMatchObject({ items: [] })
    },
  )

  it.each(['', '?by=class', '?kind=noop'])('take one round trip: %s', async (parameters) => {
    const { roundTrips, statements } = costOf(await request(`/insight/v1/causes${parameters}`))
    // The last statement reads the generation.
    expect([roundTrips, statements]).toEqual([1, 3])
  })
})
