/**
 * Counts of closed hours by cause, class and drifting resource: lists that are read from them say what the reports say, and
 * when something was first seen stays known when its reports are deleted.
 */

import { env } from 'cloudflare:workers'
import { createScheduledController } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { countSoFar } from '../../worker/housekeeping/count-so-far.ts'
import worker from '../../worker/index.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { wrongIn } from '../soundness.ts'
import { backUp, restore } from '../truth/backup.ts'
import { ask, countRows, JSON_TYPE, request, store, submit, type Answer } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { emptyDatabase } from './migrated-database.ts'
import { HALF_HOUR } from './fleets.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const iso = (time: number): string => new Date(time).toISOString()

/** What a run does: fails in classes, by a log line, or corrects a file. */
const failedIn = (name: string, message: string): Payload =>
  resource({
    resource_title: name,
    containment_path: ['Stage[main]', `Profile::${name}`, `File[${name}]`],
    events: [event({ status: 'failure', message })],
  })
const corrected = (file: string): Payload =>
  resource({
    resource_title: file,
    corrective_change: true,
    events: [event({ corrective_change: true })],
  })

const runAt = (certname: string, time: number, parts: Payload = {}): Payload =>
  report({
    certname,
    environment: certname.startsWith('lab') ? 'lab' : 'production',
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    status: 'unchanged',
    ...parts,
  })
const FAILED = { status: 'failed' }
const CORRECTED = { status: 'changed', corrective_change: true }

async function storeAt(...payloads: readonly Payload[]): Promise<void> {
  for (const payload of payloads) {
    vi.setSystemTime(Date.parse(String(payload['producer_timestamp'])) + 500)
    await store(payload)
  }
}

/** The hourly run. Retention keeps everything unless the settings say otherwise. */
async function keepHouse(now: number, settings: Payload = {}): Promise<void> {
  vi.setSystemTime(now)
  await worker.scheduled(createScheduledController({ scheduledTime: new Date(now) }), {
    ...env,
    REPORT_TTL: '0',
    LOGS_AND_METRICS_TTL: '0',
    RESOURCE_EVENTS_TTL: '0',
    NODE_TTL: '0',
    NODE_PURGE_TTL: '0',
    ...settings,
  } as typeof env)
}

const forget = (certname: string): Promise<Response> =>
  request('/pdb/admin/v1/cmd', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ command: 'delete', version: 1, payload: { certname } }),
  })

/** Every list that is read from the counts. */
const LISTS: readonly (readonly [path: string, parameters: Payload])[] = [
  ['causes', { limit: '500' }],
  ['causes', { kind: 'corrective', limit: '500' }],
  ['causes', { by: 'class', limit: '500' }],
  ['trends', {}],
  ['deploys', { limit: '500' }],
  ['timeline', {}],
  ['worth-a-look', {}],
]
/** From inside an hour, from its start, over all; and a span that is over. */
const SPANS = (now: number): Payload[] => [
  { since: iso(now - 5 * HOUR - 600_000) },
  { since: iso(now - 24 * HOUR) },
  { since: iso(now - 4 * DAY) },
  { since: iso(now - 30 * HOUR), until: iso(now - 3 * HOUR - 1_000_000) },
  { since: iso(now - 2 * DAY), environment: 'lab' },
]

async function answers(now: number, token: string): Promise<Answer[]> {
  vi.setSystemTime(now)
  const all: Answer[] = []
  // What a restriction takes away doesn't depend on where a span begins.
  for (const span of token === 'all' ? SPANS(now) : SPANS(now).slice(0, 2)) {
    for (const [path, parameters] of LISTS) {
      const query = new URLSearchParams({ ...parameters, ...span } as Record<string, string>)
      const response = await service.request(`/insight/v1/${path}?${query}`, {
        headers: { 'x-authentication': token },
      })
      expect(response.status).toBe(200)
      all.push([path, parameters, span, await response.json()])
    }
  }
  return all
}

const service = closed({
  TOKENS: [
    tokenLine('all', 'read'),
    tokenLine('lab', 'read', 'environment=lab'),
    tokenLine('some', 'read', 'certname=web-1,lab-1'),
  ].join('\n'),
})

/** Answers are the same from the counts and, without them, from the reports. */
async function expectSame(now: number): Promise<void> {
  for (const token of ['all', 'lab', 'some']) {
    const counted = await answers(now, token)
    await env.DB.batch([
      env.DB.prepare('CREATE TABLE was AS SELECT * FROM hour_groups'),
      env.DB.prepare('DELETE FROM hour_groups'),
    ])
    const read = await answers(now, token)
    await env.DB.batch([
      env.DB.prepare('INSERT INTO hour_groups SELECT * FROM was'),
      env.DB.prepare('DROP TABLE was'),
    ])
    expect(counted).toEqual(read)
  }
  expect(await wrongIn(env.DB)).toEqual({})
  expect(await problems()).toEqual([])
}

/** What the check finds in the counts of hours. */
async function problems(): Promise<Answer[]> {
  const found: Answer[] = []
  for (let after: string | null = 'hour-groups'; after?.startsWith('hour-groups');) {
    const page: Answer = await ask('/admin/v1/check', { after })
    found.push(...page.problems)
    after = page.next
  }
  return found
}

const NODES = ['web-1', 'web-2', 'web-3', 'lab-1', 'lab-2', 'off-1']
/** A node each half hour: what it does follows from its number and the run's. */
const doneIn = (node: number, run: number): Payload => {
  switch ((node * 5 + run * 3) % 8) {
    case 0:
      return { ...FAILED, resources: [failedIn('Motd', 'no motd'), failedIn('Hosts', 'no hosts')] }
    case 1:
      return { ...FAILED, resources: [failedIn('Motd', 'no motd'), corrected('/etc/a')] }
    case 2:
      return { ...CORRECTED, resources: [corrected('/etc/a'), corrected(`/etc/${run % 3}`)] }
    case 3:
      return {
        status: 'unchanged',
        logs: [
          {
            level: 'err',
            source: 'Puppet',
            tags: [],
            time: iso(NOON),
            file: null,
            line: null,
            message: 'Could not retrieve catalog from remote server: no',
          },
        ],
      }
    default:
      return {}
  }
}
const RUNS = NODES.flatMap((certname, node) =>
  Array.from({ length: 60 }, (_, run) =>
    runAt(certname, NOON - 3 * DAY + run * 3 * HALF_HOUR + node * 60_000, doneIn(node, run)),
  ),
).toSorted((one, other) =>
  String(one['producer_timestamp']) < String(other['producer_timestamp']) ? -1 : 1,
)
const END = NOON + 18 * HOUR

describe.sequential('counts of closed hours', () => {
  beforeAll(async () => {
    await storeAt(...RUNS)
    await keepHouse(END)
  })

  it('say what the reports say, to every reader', async () => {
    expect(await countRows('hour_groups')).toBeGreaterThan(60)
    expect(await countRows('hour_groups WHERE kind = 9 AND environment = 0')).toBe(4)
    const { items } = await ask('/insight/v1/worth-a-look')
    expect(items).toContainEqual(expect.objectContaining({ kind: 'drift' }))
    await expectSame(END)
  })

  it('leave out inactive nodes', async () => {
    const command = { command: 'deactivate node', version: 3 }
    const payload = { certname: 'off-1', producer_timestamp: iso(END) }
    expect((await submit(payload, command)).status).toBe(200)
    await expectSame(END)
  })

  it('stay right when a report comes late', async () => {
    vi.setSystemTime(END)
    await store(runAt('late', NOON - 20 * HOUR, { ...FAILED, resources: [failedIn('Late', 'no')] }))
    await expectSame(END)
    await keepHouse(END)
    await expectSame(END)
    const { items } = await ask('/insight/v1/causes', { since: '48h', by: 'class' })
    expect(items.map((one: Answer) => one.reason)).toContain('Profile::Late')
  })

  it('stay right when retention deletes reports, or their events, and when a node is deleted', async () => {
    await keepHouse(END, { REPORT_TTL: '60h' })
    await expectSame(END)
    await keepHouse(END, { RESOURCE_EVENTS_TTL: '30h' })
    await expectSame(END)
    expect((await forget('web-2')).status).toBe(200)
    await expectSame(END)
    await keepHouse(END)
    await expectSame(END)
  })

  it('are found again by housekeeping where they lack', async () => {
    await env.DB.exec('DELETE FROM hour_groups WHERE hour % 3 = 1')
    await keepHouse(END)
    expect(
      await countRows(
        'hour_counts WHERE hour NOT IN (SELECT hour FROM hour_groups WHERE kind = 0)',
      ),
    ).toBe(0)
    await expectSame(END)
  })
})

describe.sequential('what was first seen', () => {
  const FIRST = END + DAY
  const BACK = FIRST + 200 * DAY
  const CAUSE = { ...FAILED, resources: [failedIn('Rare', 'E: a rare failure')] }
  const DRIFT = { ...CORRECTED, resources: [corrected('/etc/rare')] }
  const found = async (now: number, token: string, parameters: Payload): Promise<Answer> => {
    vi.setSystemTime(now)
    const list = await service.ask(token, '/insight/v1/causes', { since: '24h', ...parameters })
    const { first_seen, new: isNew } = list.items.find(
      ({ reason }: Answer) => reason === 'E: a rare failure' || reason === 'File[/etc/rare]',
    )
    return { first_seen, new: isNew, first_seen_since: list.first_seen_since }
  }
  const OF_DRIFT = { kind: 'corrective', by: 'resource' }

  beforeAll(async () => {
    await storeAt(runAt('web-1', FIRST, CAUSE), runAt('web-1', FIRST + HALF_HOUR, DRIFT))
  })

  it('is new on the first day, and not ten days later', async () => {
    const now = FIRST + HOUR
    const isNew = { new: true, first_seen_since: null }
    expect(await found(now, 'all', {})).toEqual({ ...isNew, first_seen: iso(FIRST) })
    const drift = { first_seen: iso(FIRST + HALF_HOUR) }
    expect(await found(now, 'all', OF_DRIFT)).toEqual({ ...isNew, ...drift })
    await storeAt(
      runAt('web-1', FIRST + 10 * DAY, CAUSE),
      runAt('web-1', FIRST + 10 * DAY + HALF_HOUR, DRIFT),
    )
    await keepHouse(FIRST + 10 * DAY + HOUR)
    const later = FIRST + 10 * DAY + HOUR
    expect(await found(later, 'all', {})).toMatchObject({ first_seen: iso(FIRST), new: false })
    expect(await found(later, 'all', OF_DRIFT)).toMatchObject({ ...drift, new: false })
  })

  it('is known when retention has deleted every report of it, and the cause', async () => {
    const week = 7 * DAY
    const ttl = { REPORT_TTL: '14d', NODE_TTL: '0' }
    await storeAt(runAt('web-1', FIRST + 30 * DAY))
    for (let now = FIRST + 40 * DAY; now < BACK; now += week) await keepHouse(now, ttl)
    const causes = await countRows("causes WHERE reason = 'E: a rare failure'")
    // The dictionary keeps its entry of the highest id, which this is; as if another had come since.
    if (causes > 0) await env.DB.exec("DELETE FROM causes WHERE reason = 'E: a rare failure'")
    await storeAt(
      runAt('web-1', BACK, CAUSE),
      runAt('web-1', BACK + HALF_HOUR, DRIFT),
      runAt('lab-1', BACK + HALF_HOUR, CAUSE),
    )
    const now = BACK + HOUR
    expect(await found(now, 'all', {})).toMatchObject({ first_seen: iso(FIRST), new: false })
    expect(await found(now, 'all', OF_DRIFT)).toMatchObject({
      first_seen: iso(FIRST + HALF_HOUR),
      new: false,
    })
  })

  it('is told to readers of environments by these, and not to readers of nodes', async () => {
    const now = BACK + HOUR
    expect(await found(now, 'lab', {})).toEqual({
      first_seen: iso(BACK + HALF_HOUR),
      new: true,
      first_seen_since: null,
    })
    expect(await found(now, 'some', {})).toEqual({
      first_seen: null,
      new: false,
      first_seen_since: expect.stringMatching(/^20/),
    })
    expect(await found(now, 'some', OF_DRIFT)).toMatchObject({ first_seen: null, new: false })
  })
})

describe.sequential('what broke after a late report', () => {
  const BEGIN = NOON + 900 * DAY
  const hourly = (from: number, to: number): Payload[] =>
    Array.from({ length: to - from }, (_, index) =>
      runAt('db-1', BEGIN + (from + index) * HOUR + HALF_HOUR),
    )
  /** Whether all hours are counted, an hour and a quarter after so many began. */
  const areCounted = async (hours: number): Promise<boolean> => {
    await keepHouse(BEGIN + hours * HOUR + HALF_HOUR / 2, { NODE_TTL: '0' })
    return (await countRows('hour_groups WHERE kind = 5')) === 1
  }
  const late = (hour: number) => runAt('db-2', BEGIN + hour * HOUR + HALF_HOUR)

  beforeAll(async () => {
    await emptyDatabase()
    await storeAt(...hourly(0, 20))
  })

  it('is counted again at once in a few hours', async () => {
    expect(await areCounted(20)).toBe(true)
    vi.setSystemTime(BEGIN + 20 * HOUR)
    await store(late(15))
    expect(await areCounted(20)).toBe(true)
  })

  it('is counted again in many hours when the next one is over', async () => {
    await store(late(2))
    expect(await areCounted(20)).toBe(false)
    await storeAt(...hourly(20, 21))
    expect(await areCounted(21)).toBe(true)
  })
})

describe.sequential('counts of hours that are open', () => {
  const MINUTE = 60_000
  const BEGIN = NOON + 1000 * DAY
  /** A run every two minutes, of a node after the other. Code of each hour, so that some nodes break with it. */
  const runs = (from: number, to: number): Payload[] =>
    Array.from({ length: (to - from) / 2 }, (_, index) => {
      const [number, minute] = [from / 2 + index, from + index * 2]
      const node = (number + 20 * NODES.length) % NODES.length
      const parts = {
        code_id: String(Math.floor(minute / 60) + 5).repeat(40),
        ...doneIn(node, number),
      }
      return runAt(NODES[node]!, BEGIN + minute * MINUTE, parts)
    })
  /** @returns rows read */
  const count = async (minute: number): Promise<number> => {
    vi.setSystemTime(BEGIN + minute * MINUTE)
    const database = Database.primary(env.DB)
    await countSoFar(database, readSettings(env), BEGIN + minute * MINUTE, 1)
    return database.usage.rowsRead
  }
  /** The minutes up to which open hours are counted. */
  const counted = async (): Promise<number[]> => {
    const { results } = await env.DB.prepare(
      'SELECT o.counted >> 10 AS ms FROM open_hours o JOIN hour_groups h ON h.kind = 8 AND h.hour = o.hour AND h.part = o.counted ORDER BY 1',
    ).all<{ ms: number }>()
    return results.map(({ ms }) => (ms - BEGIN) / MINUTE)
  }
  const late = (minute: number) =>
    runAt('late', BEGIN + minute * MINUTE, { ...FAILED, resources: [failedIn('Late', 'no')] })

  beforeAll(async () => {
    await emptyDatabase()
    await storeAt(...runs(-240, 0))
    await keepHouse(BEGIN + 15 * MINUTE)
    await storeAt(...runs(0, 40))
  })

  it('say what the reports say, also before later ones are counted', async () => {
    const read = await count(36)
    expect(await counted()).toEqual([35])
    await expectSame(BEGIN + 40 * MINUTE)
    // What came since alone.
    expect(await count(40)).toBeLessThan(read / 2)
    expect(await counted()).toEqual([39])
    const metrics = await (await request('/metrics')).text()
    expect(metrics).toContain(`report_service_reports ${await countRows('reports')}\n`)
    await expectSame(BEGIN + 41 * MINUTE)
  })

  it('leave out inactive nodes', async () => {
    const payload = { certname: 'off-1', producer_timestamp: iso(BEGIN + 41 * MINUTE) }
    const command = { command: 'deactivate node', version: 3 }
    expect((await submit(payload, command)).status).toBe(200)
    await expectSame(BEGIN + 42 * MINUTE)
  })

  it('do not hold after a late report, until they are made again', async () => {
    await store(late(20))
    expect(await counted()).toEqual([])
    await expectSame(BEGIN + 43 * MINUTE)
    await count(43)
    expect(await counted()).toEqual([42])
    await expectSame(BEGIN + 43 * MINUTE)
  })

  it('hold beside a late report of a closed hour, but not when that closes', async () => {
    await store(late(-20))
    expect(await counted()).toEqual([42])
    await expectSame(BEGIN + 44 * MINUTE)
    await keepHouse(BEGIN + 45 * MINUTE)
    expect(await counted()).toEqual([])
    await expectSame(BEGIN + 45 * MINUTE)
    await count(45)
    await expectSame(BEGIN + 45 * MINUTE)
  })

  it("are the backup's after a restore", async () => {
    const backup = await backUp()
    await storeAt(...runs(46, 50))
    await store(late(21))
    await count(51)
    await restore(backup)
    expect(await counted()).toEqual([44])
    await expectSame(BEGIN + 46 * MINUTE)
  })

  it('do not hold when a node is deleted', async () => {
    expect((await forget('late')).status).toBe(200)
    expect(await counted()).toEqual([])
    await expectSame(BEGIN + 46 * MINUTE)
  })

  it('are made of an hour that is over before it closes, and of the next', async () => {
    await storeAt(...runs(46, 68))
    await count(68)
    expect(await counted()).toEqual([60, 67])
    await expectSame(BEGIN + 69 * MINUTE)
    await store(late(59))
    expect(await counted()).toEqual([67])
    await expectSame(BEGIN + 69 * MINUTE)
    await count(69)
    expect(await counted()).toEqual([60, 68])
    await expectSame(BEGIN + 70 * MINUTE)
    await store(late(58))
    expect(await counted()).toEqual([68])
    await keepHouse(BEGIN + 75 * MINUTE)
    await expectSame(BEGIN + 75 * MINUTE)
  })

  it('are not made of few reports', async () => {
    const rows = await countRows('hour_groups')
    await countSoFar(Database.primary(env.DB), readSettings(env), BEGIN + 75 * MINUTE)
    expect(await countRows('hour_groups')).toBe(rows)
  })
})
