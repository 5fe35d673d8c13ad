/** Retention: what goes at which age, what stays, and that all counts and pointers are right afterwards. */

import { env } from 'cloudflare:workers'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { ask, costOf, countRows, reportsOf, request, store, submit } from './client.ts'
import { around } from './database.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'
import { wrongIn } from '../soundness.ts'

const log = vi.spyOn(console, 'info').mockImplementation(() => undefined)
afterAll(() => log.mockRestore())

const expectSound = async (): Promise<void> => expect(await wrongIn(env.DB)).toEqual({})

type Settings = Readonly<Record<string, string>>

/** What the cron trigger does, at a time; and what it says in the log of each rule. */
async function tick(now: number, settings: Settings = {}, database: D1Database = env.DB) {
  log.mockClear()
  const controller = { scheduledTime: now, cron: '', noRetry: () => undefined }
  const bindings = { ...env, DB: database }
  await worker.scheduled(controller, Object.assign(bindings, { LOG_REQUESTS: 'on' }, settings))
  const line = log.mock.calls.map(([text]) => JSON.parse(String(text)))[0]
  return { retention: [], rowsRead: 0, rowsWritten: 0, ...line, ...line?.housekeeping }
}

/** Every test has a year of its own, so that none sees what another has left. */
let year = 0
afterEach(() => void year++)
const now = (): number => NOON + year * 365 * DAY

/** Takes away what the tests before have left, where numbers of everything are looked at. */
async function beginAnew(): Promise<void> {
  await tick(now() - 200 * DAY)
  await tick(now() - 180 * DAY)
}

const iso = (time: number): string => new Date(time).toISOString()
/** A run some days before the test's now. */
function run(certname: string, days: number, parts: Payload = {}): Payload {
  const time = now() - days * DAY
  return report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    configuration_version: `${days} d`,
    ...parts,
  })
}
const changed = (events = 1): Payload => ({
  status: 'changed',
  resources: Array.from({ length: events }, (_, n) =>
    resource({ resource_title: `/etc/${n}`, events: [event()] }),
  ),
})

/** Ages of the reports of a node that are there, newest first, plans included. */
async function agesOf(certname: string): Promise<string[]> {
  const query = ['and', ['=', 'certname', certname], ['=', 'type', 'any']]
  const rows: { configuration_version: string }[] = await ask('/query/v4/reports', {
    query: ['extract', 'configuration_version', query],
    order_by: [{ field: 'producer_timestamp', order: 'desc' }],
  })
  return rows.map((row) => row.configuration_version)
}

const rules = (text: string): Settings => ({ REPORT_TTL_RULES: text })

/** Runs of one kind, 0 to 70 days ago; the youngest keeps the node alive. */
const AGES = [0, 5, 13, 15, 31, 61, 70]

describe('a report is deleted at the age of the first rule that matches it', () => {
  it.each<[settings: Settings, kind: Payload, left: number[]]>([
    [{}, {}, [0, 5, 13]],
    [{}, { status: 'failed' }, [0, 5, 13]],
    [{ REPORT_TTL: '30d' }, {}, [0, 5, 13, 15]],
    [{ REPORT_TTL: '130h' }, {}, [0, 5]],
    [{ REPORT_TTL: '0' }, {}, AGES],
    [rules('status=failed:60d'), { status: 'failed' }, [0, 5, 13, 15, 31]],
    [rules('status=failed:60d'), { status: 'changed' }, [0, 5, 13]],
    [rules('status=failed:60d'), { status: null }, [0, 5, 13]],
    [rules('status=failed:0'), { status: 'failed' }, AGES],
    [rules('environment=nowhere:60d'), {}, [0, 5, 13]],
    [{ REPORT_TTL_RULES: 'status=unchanged:3d', REPORT_TTL: '0' }, {}, [0]],
    [
      rules('status=failed:60d environment=production:30d'),
      { status: 'failed' },
      [0, 5, 13, 15, 31],
    ],
    [rules('status=failed:60d environment=production:30d'), { status: 'changed' }, [0, 5, 13, 15]],
    [rules('environment=production:30d status=failed:60d'), { status: 'failed' }, [0, 5, 13, 15]],
    [rules('status=failed,environment=test:4d'), { status: 'failed', environment: 'test' }, [0]],
    [rules('status=failed,environment=test:4d'), { status: 'failed' }, [0, 5, 13]],
    [
      rules('status=changed:60d environment=test,status=failed:4d'),
      { status: 'failed', environment: 'test' },
      [0],
    ],
  ])('%j: of %j stay %j', async (settings, kind, left) => {
    await store(...AGES.map((days) => run(`aged-${year}`, days, kind)))
    await tick(now() + HOUR, settings)
    expect(await agesOf(`aged-${year}`)).toEqual(left.map((days) => `${days} d`))
    await expectSound()
  })

  it('with its events, long values, logs and metrics', async () => {
    const message = 'x'.repeat(2_000_000)
    const long = resource({ resource_title: `/long-${year}`, events: [event({ message })] })
    const logs = Array.from({ length: 30 }, (_, n) => ({
      file: null,
      line: null,
      level: 'notice',
      message: [...crypto.getRandomValues(new Uint32Array(12_000))].join(' ') + n,
      source: 'Puppet',
      tags: ['notice'],
      time: iso(now()),
    }))
    await store(run('whole', 20, { resources: [long], logs }), run('whole', 0))
    expect(await countRows('body_parts')).toBeGreaterThan(0)
    expect(await countRows('long_values')).toBeGreaterThan(0)
    await tick(now() + HOUR)
    expect(await agesOf('whole')).toEqual(['0 d'])
    expect([await countRows('body_parts'), await countRows('long_values')]).toEqual([0, 0])
    await expectSound()
  })

  it('and its time is its producer timestamp, plans of nobody included', async () => {
    await store(
      run('clock', 20, { end_time: iso(now()) }),
      run('clock', 10, { end_time: iso(now() - 40 * DAY), start_time: iso(now() - 41 * DAY) }),
      run('clock', 19, { type: 'plan' }),
      run('clock', 0),
    )
    await tick(now() + HOUR)
    expect(await agesOf('clock')).toEqual(['0 d', '10 d'])
  })
})

describe("a node's latest report", () => {
  it('stays at any age, and is deleted once there is a later one', async () => {
    const settings = { NODE_TTL: '0' }
    await store(run('silent', 50), run('silent', 40))
    await tick(now(), settings)
    expect(await agesOf('silent')).toEqual(['40 d'])
    await tick(now() + HOUR, settings)
    expect(await agesOf('silent')).toEqual(['40 d'])
    await store(run('silent', 0))
    await tick(now() + 2 * HOUR, settings)
    expect(await agesOf('silent')).toEqual(['0 d'])
    await expectSound()
  })

  it('keeps its events, logs and metrics as well', async () => {
    const logs = [
      {
        file: null,
        line: null,
        level: 'notice',
        message: 'said',
        source: 'x',
        tags: [],
        time: iso(now()),
      },
    ]
    await store(run('latest', 9, { ...changed(), logs }))
    await tick(now(), { RESOURCE_EVENTS_TTL: '1d', LOGS_AND_METRICS_TTL: '1d' })
    expect(await reportsOf('latest')).toMatchObject([
      { resource_events: { data: [{}] }, logs: { data: [{}] }, metrics: { data: [{}] } },
    ])
  })
})

describe('a report that arrives too late', () => {
  it('is stored, and deleted by the next run, even if runs have passed its time', async () => {
    await store(run('late', 20), run('late', 0))
    await tick(now() + HOUR)
    expect(await store(run('late', 30), run('late', 20))).toEqual([
      { uuid: expect.any(String) },
      { uuid: expect.any(String) },
    ])
    expect(await agesOf('late')).toEqual(['0 d', '20 d', '30 d'])
    await tick(now() + 2 * HOUR)
    expect(await agesOf('late')).toEqual(['0 d'])
    await expectSound()
  })

  it('is deleted too if rules have changed meanwhile, in either direction', async () => {
    await store(...AGES.map((days) => run('rules', days)))
    await tick(now() + HOUR, { REPORT_TTL: '65d' })
    expect(await agesOf('rules')).toHaveLength(6)
    await tick(now() + HOUR, { REPORT_TTL: '14d' })
    expect(await agesOf('rules')).toHaveLength(3)
    await store(run('rules', 25))
    await tick(now() + HOUR, { REPORT_TTL: '100d' })
    await store(run('rules', 26))
    await tick(now() + HOUR, { REPORT_TTL: '100d', REPORT_TTL_RULES: 'status=failed:1d' })
    expect(await agesOf('rules')).toHaveLength(5)
    await tick(now() + HOUR, { REPORT_TTL: '20d' })
    expect(await agesOf('rules')).toHaveLength(3)
    await expectSound()
  })
})

describe('events, logs and metrics may be deleted before their report', () => {
  it('and are answered as none', async () => {
    await store(run('trimmed', 4, changed(3)), run('trimmed', 1, changed(2)), run('trimmed', 0))
    const [, , { hash }] = await reportsOf('trimmed')
    await tick(now() + HOUR, { RESOURCE_EVENTS_TTL: '3d', LOGS_AND_METRICS_TTL: '2d' })
    const [, young, old] = await reportsOf('trimmed')
    expect(old).toMatchObject({
      status: 'changed',
      resource_events: { data: null },
      logs: { data: [] },
      metrics: { data: [] },
    })
    expect(young).toMatchObject({ resource_events: { data: [{}, {}] }, metrics: { data: [{}] } })
    for (const part of ['events', 'logs', 'metrics']) {
      expect(await ask(`/query/v4/reports/${hash}/${part}`)).toEqual([])
    }
    await expectSound()
  })

  it('and event counts count the remaining events', async () => {
    await store(run('counted', 4, changed(3)), run('counted', 1, changed(2)), run('counted', 0))
    await tick(now() + HOUR, { RESOURCE_EVENTS_TTL: '3d' })
    const query = ['=', 'certname', 'counted']
    const successes = async (summarize_by: string): Promise<number> => {
      const rows: { successes: number }[] = await ask('/query/v4/event-counts', {
        query,
        summarize_by,
      })
      return rows.reduce((sum, row) => sum + row.successes, 0)
    }
    expect([await successes('certname'), await successes('resource')]).toEqual([2, 2])
    expect(
      await ask('/query/v4/events', { query: ['extract', [['function', 'count']], query] }),
    ).toEqual([{ count: 2 }])
  })
})

describe('nodes', () => {
  const stateOf = async (certname: string) => {
    const response = await request(`/query/v4/nodes/${certname}`)
    const node = await response.json<{ expired?: string; deactivated?: string }>()
    return response.status === 404
      ? 'gone'
      : node.deactivated
        ? 'deactivated'
        : node.expired
          ? 'expired'
          : 'active'
  }
  const command = (name: string, version: number, certname: string, days: number) =>
    submit(
      { certname, environment: 'production', producer_timestamp: iso(now() - days * DAY) },
      { command: name, version },
    )

  it.each<[what: string, send: () => Promise<unknown>, settings: Settings, states: string[]]>([
    ['a report', () => store(run('by-report', 8)), {}, ['expired']],
    ['a younger report', () => store(run('by-young', 6)), {}, ['active']],
    ['plans alone', () => store(run('by-plan', 1, { type: 'plan' })), {}, ['expired']],
    ['old facts', () => command('replace facts', 5, 'by-facts', 8), {}, ['expired']],
    ['younger facts', () => command('replace facts', 5, 'by-new-facts', 6), {}, ['active']],
    ['a younger catalog', () => command('replace catalog', 9, 'by-catalog', 6), {}, ['active']],
    [
      'a report, where nodes never expire',
      () => store(run('by-never', 99)),
      { NODE_TTL: '0s' },
      ['active'],
    ],
    [
      'a report, and are told to go',
      () => command('deactivate node', 3, 'by-hand', 9),
      {},
      ['deactivated'],
    ],
  ])('that were last heard of by %s', async (_, send, settings, [state]) => {
    await send()
    await tick(now(), settings)
    const [{ certname }] = (
      await env.DB.prepare('SELECT certname FROM nodes ORDER BY id DESC LIMIT 1').all<{
        certname: string
      }>()
    ).results as [{ certname: string }]
    expect(await stateOf(certname)).toBe(state)
  })

  it('that are expired wake by a report, else go with all that is theirs', async () => {
    await store(
      run('wakes', 9, changed()),
      run('goes', 9, changed()),
      run('goes', 10, { type: 'plan' }),
    )
    await store(run('stays', 9))
    await tick(now())
    expect(await Promise.all(['wakes', 'goes', 'stays'].map(stateOf))).toEqual(
      Array(3).fill('expired'),
    )
    await store(run('wakes', -1))
    await tick(now() + 13 * DAY, { NODE_TTL: '0' })
    expect(await Promise.all(['wakes', 'goes'].map(stateOf))).toEqual(['active', 'expired'])
    await tick(now() + 15 * DAY, { NODE_TTL: '0' })
    expect(await Promise.all(['wakes', 'goes', 'stays'].map(stateOf))).toEqual([
      'active',
      'gone',
      'gone',
    ])
    expect(await ask('/query/v4/events', { query: ['=', 'certname', 'goes'] })).toEqual([])
    await expectSound()
    // This isolate remembers the node that is gone.
    await store(run('goes', -16))
    expect(await agesOf('goes')).toEqual(['-16 d'])
    await expectSound()
  })

  it('that become active while they are being deleted stay, with their remaining data', async () => {
    const certname = 'halfway'
    await store(...[9, 10, 11].map((days) => run(certname, days, changed(2))))
    await tick(now())
    let batches = 0
    const waking = around(async (send, statements) => {
      // Before the first batch that deletes a report.
      if (statements > 5 && batches++ === 0) await store(run(certname, -15))
      return send()
    })
    await tick(now() + 15 * DAY, { NODE_TTL: '0', REPORT_TTL: '0' }, waking)
    expect(batches).toBeGreaterThan(0)
    expect(await agesOf(certname)).toContain('-15 d')
    expect(await stateOf(certname)).toBe('active')
    await expectSound()
  })

  it('that are deleted on command are deleted in steps', async () => {
    const { deleteNode } = await import('../../worker/housekeeping/delete-node.ts')
    const { Database } = await import('../../worker/store/database.ts')
    await store(...AGES.map((days) => run('deleted', days, changed(2))), run('other', 3))
    const database = Database.primary(env.DB)
    expect(await deleteNode(database, 'deleted', { mayContinue: () => false })).toEqual({
      complete: false,
      reports: 0,
      found: true,
    })
    const whole = { complete: true, reports: AGES.length, found: true }
    expect(await deleteNode(database, 'deleted')).toEqual(whole)
    const none = { complete: true, reports: 0, found: false }
    expect(await deleteNode(database, 'deleted')).toEqual(none)
    expect([await stateOf('deleted'), await agesOf('deleted'), await agesOf('other')]).toEqual([
      'gone',
      [],
      ['3 d'],
    ])
    await expectSound()
  })
})

describe('a run', () => {
  /** Reports of three nodes: old and new, failed and not, of a silent node. */
  const fleet = (): Payload[] => [
    ...AGES.map((days) => run('run-a', days, changed(2))),
    ...AGES.map((days) => run('run-b', days + 0.01, { status: 'failed' })),
    ...[20, 30].map((days) => run('run-c', days, changed(1))),
  ]
  const SETTINGS = {
    REPORT_TTL_RULES: 'status=failed:60d',
    RESOURCE_EVENTS_TTL: '4d',
    LOGS_AND_METRICS_TTL: '4d',
    NODE_TTL: '19d',
  }
  const left = async () => [await agesOf('run-a'), await agesOf('run-b'), await agesOf('run-c')]
  const LEFT = [
    ['0 d', '5 d', '13 d'],
    ['0.01 d', '5.01 d', '13.01 d', '15.01 d', '31.01 d'],
    ['20 d'],
  ]

  it('that stops after any batch leaves a sound store, and the next run continues', async () => {
    await store(...fleet())
    let failed = 0
    for (let until = 1; ; until++) {
      let batches = 0
      const cut = around((send) =>
        ++batches === until ? Promise.reject(new Error('cut off')) : send(),
      )
      const over = await tick(now() + HOUR, SETTINGS, cut).then(
        () => true,
        () => false,
      )
      await env.DB.prepare('DELETE FROM leases').run()
      await expectSound()
      if (over) break
      failed++
    }
    expect(failed).toBeGreaterThan(10)
    expect(await left()).toEqual(LEFT)
  })

  it('of which answers got lost does no more than one of which none did', async () => {
    await store(...fleet())
    let batches = 0
    const lossy = around(async (send) => {
      const results = await send()
      if (++batches % 2 === 1) throw new Error('D1_ERROR: Network connection lost.')
      return results
    })
    await tick(now() + HOUR, SETTINGS, lossy)
    expect(await left()).toEqual(LEFT)
    await expectSound()
  })

  it('beside another leaves it to that one; beside submissions loses none', async () => {
    await store(...fleet())
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const late = Array.from({ length: 20 }, (_, n) => run('run-d', 20 + n))
    await Promise.all([
      tick(now() + HOUR, SETTINGS),
      tick(now() + HOUR, SETTINGS),
      store(...late, run('run-d', 0)),
    ])
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('skipped: another run holds the lease')],
    ])
    warn.mockRestore()
    await expectSound()
    await tick(now() + HOUR, SETTINGS)
    expect(await left()).toEqual(LEFT)
    expect(await agesOf('run-d')).toEqual(['0 d'])
    await expectSound()
  })

  it('does not read reports again that it has passed', async () => {
    await beginAnew()
    // Of a few hours: whether an hour is counted is looked up in each run.
    const kept = Array.from({ length: 400 }, (_, n) =>
      run('kept', 20 + n / 4000, { status: 'failed' }),
    )
    await store(...kept, run('kept', 0))
    const settings = { REPORT_TTL_RULES: 'status=failed:60d', NODE_TTL: '0', NODE_PURGE_TTL: '0' }
    const first = await tick(now() + HOUR, settings)
    expect(first.rowsRead).toBeGreaterThan(400)
    await store(run('kept', -0.01))
    const second = await tick(now() + 3 * HOUR, settings)
    expect(second.hoursClosed).toBeGreaterThan(0)
    expect(second.rowsRead).toBeLessThan(400)
    expect(await agesOf('kept')).toHaveLength(402)
  })

  it('deletes a very long report piece by piece', async () => {
    const title = (n: number) => `/srv/${n % 50}`
    const resources = Array.from({ length: 12_000 }, (_, n) =>
      resource({ resource_title: title(n), events: [event({ message: `${n}` })] }),
    )
    await store(run('huge', 20, { resources }), run('huge', 0))
    const written: number[] = []
    const watched = around(async (send) => {
      const results = await send()
      written.push(results.reduce((sum, { meta }) => sum + meta.rows_written, 0))
      return results
    })
    await tick(now() + HOUR, {}, watched)
    expect(Math.max(...written)).toBeLessThan(6000)
    expect(await agesOf('huge')).toEqual(['0 d'])
    await expectSound()
  })

  it('can be previewed by a dry run, which writes nothing', async () => {
    await beginAnew()
    vi.setSystemTime(now() + HOUR)
    await store(...fleet(), run('run-e', 40))
    await submit(
      { certname: 'run-e', producer_timestamp: iso(now() - 30 * DAY) },
      { command: 'deactivate node', version: 3 },
    )
    const database = { ...env, ...SETTINGS }
    const { app } = await import('../../worker/app.ts')
    const response = await app.fetch(
      new Request('http://service.example/admin/v1/retention'),
      database,
    )
    const { steps }: { steps: Payload[] } = await response.json()
    expect(costOf(response).rowsWritten).toBe(0)
    const before = (days: number): string => iso(now() + HOUR - days * DAY)
    expect(steps).toEqual([
      { step: 'expire_nodes', rule: 'silent nodes', before: before(19), nodes: 1, complete: true },
      {
        step: 'purge_nodes',
        rule: 'inactive nodes',
        before: before(14),
        nodes: 1,
        reports: 1,
        complete: true,
      },
      {
        step: 'purge_reports',
        rule: 'status=failed',
        before: before(60),
        reports: 2,
        events: 0,
        latest_kept: 0,
        complete: true,
      },
      {
        step: 'purge_reports',
        rule: 'every other report',
        before: before(14),
        reports: 5,
        events: 9,
        latest_kept: 2,
        complete: true,
      },
      {
        step: 'purge_resource_events',
        rule: 'events of every report',
        before: before(4),
        reports: 7,
        events: 13,
        latest_kept: 1,
        complete: true,
      },
      {
        step: 'other',
        rule: 'logs and metrics of every report',
        before: before(4),
        reports: 13,
        latest_kept: 2,
        complete: true,
      },
    ])
    const { retention } = await tick(now() + HOUR, SETTINGS)
    expect(retention).toMatchObject([
      { step: 'expire_nodes', nodes: 1 },
      { step: 'purge_nodes', nodes: 1, reports: 1 },
      { rule: 'status=failed', reports: 2 },
      { rule: 'every other report', reports: 5 },
      { step: 'purge_resource_events', reports: 2 },
      { step: 'other', reports: 6 },
    ])
    vi.useRealTimers()
  })
})
