/** Deploys: what is said of a code version in an environment, by API and console, and what that reads. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, request, store } from './client.ts'
import { copyLatest } from './copies.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.now()
const at = (minutes: number): string => new Date(START - minutes * MINUTE).toISOString()

const hash = (digit: string): string => digit.repeat(40)
const A = hash('a1').slice(0, 40)
const B = hash('b2').slice(0, 40)

interface Run {
  readonly failed?: string
  readonly drift?: boolean
  readonly changed?: boolean
  readonly environment?: string
}

function run(
  name: string,
  minutes: number,
  code: string,
  { failed, drift, changed, environment = 'production' }: Run = {},
) {
  const time = at(minutes)
  const events = [
    ...(failed
      ? [
          resource({
            resource_type: 'Package',
            resource_title: 'nginx',
            events: [event({ status: 'failure', timestamp: time, message: failed })],
          }),
        ]
      : []),
    ...(changed
      ? [
          resource({
            resource_type: 'File',
            resource_title: '/etc/motd',
            events: [event({ timestamp: time })],
          }),
        ]
      : []),
  ]
  return report({
    certname: `${name}.example.com`,
    environment,
    code_id: code === 'release 4/x y' ? code : `${environment}-${code}`,
    start_time: new Date(Date.parse(time) - 20_000).toISOString(),
    end_time: time,
    producer_timestamp: time,
    status: failed ? 'failed' : changed || drift ? 'changed' : 'unchanged',
    corrective_change: drift ?? false,
    resources: events,
  })
}

const LOCATE = 'Could not install: E: Unable to locate package nginx'
const WEB = ['web1', 'web2', 'web3']
const APP = ['app1', 'app2', 'app3', 'app4', 'app5', 'app6', 'app7', 'app8']

beforeAll(async () => {
  // Hourly runs with A, at different minutes.
  for (const [index, name] of [...WEB, ...APP].entries()) {
    for (const hour of [4, 3, 2, 1])
      await store(
        run(name, hour * 60 + 30 - index, A, name === 'app8' ? { failed: 'disk is full' } : {}),
      )
  }
  await store(
    run('gone', 600, A),
    run('stage1', 300, B, { environment: 'staging' }),
    // B, twenty-five minutes ago, and its breakages.
    run('web1', 25, B, { failed: LOCATE }),
    run('web2', 24, B, { failed: LOCATE }),
    run('app1', 23, B, { changed: true }),
    run('app2', 22, B, { changed: true }),
    run('app3', 21, B, { changed: true }),
    run('app8', 20, B, { changed: true }),
  )
})

const PATH = `/deploys/production/${B}`

describe('the list of deploys', () => {
  it('is empty where no code came in the span', async () => {
    expect(
      await ask('/insight/v1/deploys', { until: '2020-01-02', since: '2020-01-01' }),
    ).toMatchObject({
      total: 0,
      items: [],
    })
  })

  it('has each version of each environment, newest first, with those that have it and broke', async () => {
    const { total, items } = await ask('/insight/v1/deploys')
    expect(total).toBe(3)
    expect(
      items.map((one: never) => [
        one['environment'],
        one['code_version'],
        one['nodes'],
        one['of'],
        one['failing'],
        one['broke'],
        one['replaces'],
      ]),
    ).toEqual([
      ['production', B, 6, 12, 2, 2, A],
      ['staging', B, 1, 1, 0, 0, null],
      ['production', A, 6, 12, 0, 0, null],
    ])
  })

  it.each([
    [{ environment: 'staging' }, 1],
    [{ since: '1h' }, 1],
    [{ limit: '1' }, 1],
  ])('%o', async (parameters, count) => {
    expect((await ask('/insight/v1/deploys', parameters)).items.length).toBe(count)
  })
})

describe('a deploy', () => {
  it('counts who has it, who waits, what broke and what recovered', async () => {
    const deploy = await ask(`/insight/v1${PATH}`)
    expect(deploy).toMatchObject({
      verdict: 'unsafe',
      replaces: A,
      replaced_at: null,
      first_node: 'web1.example.com',
      first_broken: { certname: 'web1.example.com' },
      nodes: 12,
      rolled_out: 6,
      waiting: 5,
      silent: 1,
      elsewhere: 0,
      broke: 2,
      broken_now: 2,
      recovered: 0,
      failing_otherwise: 0,
      compared: 6,
    })
    expect(deploy.causes).toMatchObject([
      { reason: 'E: Unable to locate package nginx', broke: 2, nodes: 2, began: true, new: true },
    ])
    expect(deploy.groups).toMatchObject([
      { group: 'web', nodes: 3, rolled_out: 2, waiting: 1, broke: 2 },
      { group: 'app', nodes: 8, rolled_out: 4, waiting: 4, broke: 0 },
      { group: 'gone', nodes: 1, rolled_out: 0, waiting: 0, broke: 0 },
    ])
    expect(deploy.changes).toMatchObject([
      { resource: 'File[/etc/motd]', nodes: 4, failed: 0 },
      { resource: 'Package[nginx]', nodes: 2, failed: 2 },
    ])
    expect(
      deploy.environments.map((one: never) => [one['environment'], one['nodes'], one['of']]),
    ).toEqual([
      ['staging', 1, 1],
      ['production', 6, 12],
    ])
  })

  it('compares the runs of the same nodes, and says nothing of too few', async () => {
    const { runs } = await ask(`/insight/v1${PATH}`)
    expect(runs).toMatchObject({ before: 24, after: 6 })
    expect(runs.failed).toEqual({ before: 4 / 24, after: null })
    expect(runs.median).toEqual({ before: 20, after: null })
  })

  it('expects waiting nodes at their usual intervals', async () => {
    const { complete_by, curve } = await ask(`/insight/v1${PATH}`)
    expect(curve.rolled_out).toHaveLength(6)
    expect(curve.broke).toHaveLength(2)
    // The last run of those that wait was 79 to 88 minutes ago: all of them are late.
    expect([complete_by, curve.due]).toEqual([null, []])
  })

  it('draws its curve in the order of time', async () => {
    const { curve } = await ask(`/insight/v1/deploys/production/${A}`)
    // The node that ran it first was stored last.
    expect(curve.rolled_out).toEqual(curve.rolled_out.toSorted())
  })

  it.each([
    [`/deploys/production/${A}`, 'replaced', 12, 0],
    [`/deploys/staging/${B}`, 'incomparable', 1, 0],
  ])('%s is %s', async (path, verdict, rolled_out, broke) => {
    expect(await ask(`/insight/v1${path}`)).toMatchObject({ verdict, rolled_out, broke })
  })

  it.each(['/deploys/production/nothing', `/deploys/staging/${A}`, '/deploys/none/none'])(
    '%s is not known',
    async (path) => {
      expect((await request(`/insight/v1${path}`)).status).toBe(404)
      expect((await page(`/console${path}`)).status).toBe(404)
    },
  )
})

describe('the console', () => {
  it('says that it is not safe, why, and how many wait', async () => {
    const { text, title } = await page(`/console${PATH}`)
    expect(title).toContain('b2b2b2b2 in production: 2 nodes broke')
    expect(text).toContain(
      'Not safe to continue. 2 nodes fail for a reason that began with b2b2b2b2; with a1a1a1a1 they succeeded: E: Unable to locate package nginx. 5 nodes still wait, 1 of them like these (web).',
    )
  })

  it('exports the nodes: who has it, and who not', async () => {
    const rows = await (
      await request(`/console${PATH}.json`)
    ).json<{ certname: string; has_it: boolean; broke: boolean }[]>()
    expect(
      rows.map(({ certname, has_it, broke }) => [certname.split('.')[0], has_it, broke]),
    ).toContainEqual(['web1', true, true])
    expect(rows.filter(({ has_it }) => !has_it)).toHaveLength(6)
  })

  it('asks for runs that are newer than its newest', async () => {
    const { curve } = await ask(`/insight/v1${PATH}`)
    const { elements } = await page(`/console${PATH}`)
    const newer = elements.find(({ name }) => name === 'body')!.attributes['data-newer']
    expect(newer).toBe(`/console/newer?after=${Date.parse(curve.rolled_out.at(-1)) - 10 * MINUTE}`)
  })

  it('lists deploys with links', async () => {
    const { links, text } = await page('/console/deploys')
    expect(links).toContain(`/console/deploys/production/${B}`)
    expect(text).toContain('3 deploys')
  })
})

describe('code that nodes went back from', () => {
  const C = 'c3'.repeat(20)
  const D = 'release 4/x y'

  beforeAll(async () => {
    const names = ['one', 'two', 'three', 'four']
    for (const [index, name] of names.entries())
      await store(
        run(name, 60 - index, C, { environment: 'back' }),
        run(name, 40 - index, D, { environment: 'back', ...(index < 2 ? { failed: LOCATE } : {}) }),
        run(name, 20 - index, C, { environment: 'back' }),
      )
  })

  it.each([
    [
      D,
      'left',
      { rolled_out: 4, have_it: 0, broke: 2 },
      'Nodes have left it. 4 of 4 nodes ran it; 2 nodes broke, and none of them fails now. 0 of them have it now, most have c3c3c3c3 again.',
    ],
    [
      C,
      'back',
      { rolled_out: 4, have_it: 4, broke: 0 },
      'Back in use. It was replaced 20 min later, and nodes went back to it. 4 of 4 nodes have it now.',
    ],
  ])('%s is %s', async (version, verdict, counts, words) => {
    const path = `/deploys/back/${encodeURIComponent(version)}`
    expect(await ask(`/insight/v1${path}`)).toMatchObject({ verdict, ...counts })
    expect((await page(`/console${path}`)).text).toContain(words)
  })

  it('names the causes it failed by, and expects nobody to get it', async () => {
    await store(
      ...[90, 80, 70, 60].map((minutes) => run('five', minutes, C, { environment: 'back' })),
    )
    const path = `/deploys/back/${encodeURIComponent(D)}`
    const deploy = await ask(`/insight/v1${path}`)
    expect(deploy).toMatchObject({ waiting: 1, complete_by: null, curve: { due: [] } })
    expect(deploy.causes).toMatchObject([
      {
        reason: 'E: Unable to locate package nginx',
        nodes: 0,
        broke: 2,
        began: false,
        new: true,
      },
    ])
    expect(deploy.failing_besides).toBe(0)
    // Of each node its first run with it; the run after that was with other code.
    expect(deploy.runs.after).toBe(4)
    expect((await page(`/console${path}`)).text).toContain('broke 2 nodes')
  })

  it('is listed as left, and what they went back to as back', async () => {
    const { items, in_use } = await ask('/insight/v1/deploys', { environment: 'back' })
    expect(items).toMatchObject([
      { code_version: D, standing: 'left', nodes: 0, replaced_at: null },
      { code_version: C, standing: 'back', nodes: 5, replaced_at: items[0].time },
    ])
    expect(in_use).toMatchObject([{ code_version: C, nodes: 5, returned: 4, newest: false }])
    const { text } = await page('/console/deploys?env=back')
    expect(text).toContain('left again')
    expect(text).toContain('back; replaced 40 min ago')
  })

  it('is still current while fewer than half of its nodes went back, and replaced by the next code', async () => {
    const E = 'e5'.repeat(20)
    const standings = async () => {
      const { items } = await ask('/insight/v1/deploys', { environment: 'partly' })
      return items.map((one: never) => [one['code_version'], one['standing']])
    }
    for (const [index, name] of ['one', 'two', 'three'].entries())
      await store(
        ...[60, 40].map((minutes) => ({
          ...run(name, minutes - index, minutes === 60 ? C : D, { environment: 'partly' }),
          certname: `${name}.partly.example.com`,
        })),
      )
    const backTo = (name: string, minutes: number, code: string) =>
      store({
        ...run(name, minutes, code, { environment: 'partly' }),
        certname: `${name}.partly.example.com`,
      })
    await backTo('one', 20, C)
    expect(await standings()).toEqual([
      [D, 'current'],
      [C, 'replaced'],
    ])
    await backTo('two', 19, C)
    expect(await standings()).toEqual([
      [D, 'left'],
      [C, 'back'],
    ])
    await backTo('two', 10, E)
    expect(await standings()).toEqual([
      [E, 'current'],
      [D, 'replaced'],
      [C, 'replaced'],
    ])
  })

  it('is not what the next code replaces', async () => {
    const F = 'f6'.repeat(20)
    const of = (name: string, minutes: number, code: string) => ({
      ...run(name, minutes, code, { environment: 'mended' }),
      certname: `${name}.mended.example.com`,
    })
    for (const name of ['one', 'two'])
      await store(of(name, 60, C), of(name, 40, D), of(name, 20, C), of(name, 5, F))
    expect(await ask(`/insight/v1/deploys/mended/${F}`)).toMatchObject({
      replaces: C,
      replaces_since: null,
    })
    const { text } = await page(`/console/deploys/mended/${F}`)
    expect(text).toContain('Replaces c3c3c3c3.')
    expect(await ask(`/insight/v1/deploys/mended/${encodeURIComponent(D)}`)).toMatchObject({
      replaces: C,
      replaces_since: expect.any(String),
    })
  })

  it('links to versions with any characters in their names', async () => {
    const { links } = await page('/console/deploys?env=back')
    const [link] = links.filter((one) => one.includes('release'))
    expect((await page(link!)).status).toBe(200)
  })
})

describe('what it costs', () => {
  const paths = ['/console/deploys', `/console${PATH}`]
  const costs = () =>
    Promise.all(
      paths.map(async (path) =>
        costOf(new Response(null, { headers: (await page(path)).headers })),
      ),
    )

  it('takes one round trip of six statements, and one that checks the generation', async () => {
    for (const cost of await costs()) {
      expect(cost.roundTrips).toBe(1)
      expect(cost.statements).toBeLessThanOrEqual(7)
    }
  })

  it('reads the same with thousands of older reports of its nodes', async () => {
    const before = await costs()
    await copyLatest({ r: 'web3.example.com' }, 3000, {
      id: `r.id - 1024 * (${20 * HOUR} + copy.value * 60000)`,
    })
    expect(await env.DB.prepare('select count(*) as n from reports').first('n')).toBeGreaterThan(
      3000,
    )
    for (const [index, cost] of (await costs()).entries())
      expect(cost.rowsRead).toBeLessThanOrEqual(before[index]!.rowsRead + 10)
  })
})

describe('a node that failed before the code came', () => {
  beforeAll(() =>
    store(
      run('ill', 90, A, { environment: 'testing' }),
      run('ill', 60, A, { environment: 'testing', failed: 'disk is full' }),
      run('ill', 15, B, { environment: 'testing', failed: 'disk is full' }),
    ),
  )

  it('did not break with it', async () => {
    const { items } = await ask('/insight/v1/deploys', { environment: 'testing' })
    expect(items[0]).toMatchObject({ code_version: B, nodes: 1, failing: 1, broke: 0 })
    expect(await ask(`/insight/v1/deploys/testing/${B}`)).toMatchObject({ broke: 0 })
  })
})
