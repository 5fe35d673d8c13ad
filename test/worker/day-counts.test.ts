/** Days that are over are counted as a whole: answers stay the same, and read a row a day. */

import { env } from 'cloudflare:workers'
import { createScheduledController } from 'cloudflare:test'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { countDays } from '../../worker/housekeeping/count-days.ts'
import { Database } from '../../worker/store/database.ts'
import migration from '../../migrations/0022_kept_days.sql?raw'
import { wrongIn } from '../soundness.ts'
import { ask, countRows, parametersOf, request, store } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { around, counting } from './database.ts'
import { NOON, report, type Payload } from './reports.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const DAYS = 12
const iso = (time: number): string => new Date(time).toISOString()
const MIDNIGHT = NOON + 12 * HOUR
const NOW = MIDNIGHT + DAYS * DAY + 2 * HOUR

const STATUSES = ['unchanged', 'changed', 'failed', null] as const
const run = (number: number, time: number, parts: Payload = {}): Payload =>
  report({
    certname: `node-${number % 3}`,
    start_time: iso(time - 20_000),
    end_time: iso(time),
    producer_timestamp: iso(time),
    status: STATUSES[number % 4],
    environment: ['production', 'staging'][number % 2],
    noop: number % 5 === 0,
    configuration_version: String(number),
    transaction_uuid: null,
    ...parts,
  })
/** Two in each of five hours of a day, the first and the last of them included. */
const RUNS = Array.from({ length: DAYS * 10 }, (_, number) => {
  const hour = [0, 1, 11, 17, 23][Math.floor(number / 2) % 5]!
  return run(
    number,
    MIDNIGHT + Math.floor(number / 10) * DAY + hour * HOUR + (number % 2) * 1_200_000,
  )
})

/** The hourly run. Retention keeps everything unless the settings say otherwise. */
const keepHouse = (now: number, settings: Payload = {}): Promise<void> =>
  Promise.resolve(
    worker.scheduled(createScheduledController({ scheduledTime: new Date(now) }), {
      ...env,
      REPORT_TTL: '0',
      LOGS_AND_METRICS_TTL: '0',
      NODE_TTL: '0',
      NODE_PURGE_TTL: '0',
      ...settings,
    } as typeof env),
  )
const countedDays = (): Promise<number> => countRows('day_counts')

afterEach(() => vi.useRealTimers())
beforeAll(async () => {
  for (const payload of RUNS) {
    // Each arrives while it is fresh: a late one is indexed as such.
    vi.setSystemTime(Date.parse(String(payload['producer_timestamp'])) + 5000)
    await store(payload)
  }
})

type Row = Readonly<Record<string, string | number | null>>
const BOUNDS = [
  null,
  MIDNIGHT,
  MIDNIGHT + 3 * DAY,
  MIDNIGHT + 3 * DAY + HOUR,
  MIDNIGHT + 7 * DAY + 12 * HOUR + 600_000,
  MIDNIGHT + 9 * DAY,
]
/** From a bound until a later one, and one span that ends before it begins. */
const SPANS = [
  ...BOUNDS.flatMap((since) =>
    BOUNDS.filter((until) => since === null || until === null || since <= until).map(
      (until) => [since, until] as const,
    ),
  ),
  [BOUNDS.at(-1)!, BOUNDS[2]!] as const,
]
const CLOCKS = ['producer_timestamp', 'start_time', 'end_time'] as const

/** Compares counts of many spans with the reports themselves, and the tables with a recount. */
async function expectCounts(): Promise<void> {
  const rows: Row[] = await ask('/query/v4/reports', {
    query: ['extract', ['status', 'environment', ...CLOCKS]],
  })
  for (const clock of CLOCKS) {
    for (const [since, until] of SPANS) {
      const terms = [
        ...(since === null ? [] : [['>=', clock, iso(since)]]),
        ...(until === null ? [] : [['<', clock, iso(until)]]),
      ]
      const meant = rows.filter((row) => {
        const time = Date.parse(String(row[clock]))
        return (since === null || time >= since) && (until === null || time < until)
      })
      const filter = terms.length === 0 ? [] : [['and', ...terms]]
      const where = `${clock} from ${since} until ${until}`
      const counts: Row[] = await ask('/query/v4/reports', {
        query: ['extract', [['function', 'count'], 'status'], ...filter, ['group_by', 'status']],
      })
      const groups = Map.groupBy(meant, ({ status }) => status)
      expect(new Map(counts.map((row) => [row['status'], row['count']])), where).toEqual(
        new Map([...groups].map(([status, ones]) => [status, ones.length])),
      )
      const total = ['extract', [['function', 'count']], ...filter]
      expect(await ask('/query/v4/reports', { query: total }), where).toEqual([
        { count: meant.length },
      ])
    }
  }
  expect(await wrongIn(env.DB)).toEqual({})
}

/** The states of runs by the hour and by the day. */
const timeline = async (bucket: 'hour' | 'day'): Promise<Row[]> =>
  (
    await ask('/insight/v1/timeline', { since: iso(MIDNIGHT - HOUR), until: iso(NOW), bucket })
  ).buckets.filter(({ runs }: { runs: number }) => runs > 0)

const TRENDS = { since: iso(MIDNIGHT), until: iso(NOW) }
const trends = async (parts: Payload = {}) => {
  const { runs, failed, deleted, known_since, buckets, environments } = await ask(
    '/insight/v1/trends',
    {
      ...TRENDS,
      ...parts,
    },
  )
  const rates = buckets.map((one: Row) => [one['start'], one['runs'], one['failed']])
  return { runs, failed, deleted, known_since, rates, environments }
}

async function rowsRead(path: string): Promise<number> {
  let rows = 0
  const database = around(async (send) => {
    const results = await send()
    for (const { meta } of results) rows += meta.rows_read
    return results
  })
  const response = await request(path, {}, database)
  expect(response.status).toBe(200)
  await response.text()
  return rows
}
const TOTAL = `/query/v4/reports?${parametersOf({ query: ['extract', [['function', 'count']]] })}`
const BY_STATUS = `/query/v4/reports?${parametersOf({
  query: ['extract', ['status', ['function', 'count']], ['group_by', 'status']],
})}`

const FULLER_HOURS = `WITH RECURSIVE hours(hour) AS (SELECT ${MIDNIGHT / HOUR} UNION ALL
  SELECT hour + 1 FROM hours WHERE hour < ${MIDNIGHT / HOUR + DAYS * 24 - 1})
  INSERT INTO hour_counts SELECT hour, 1, kind.value, 0, 0, 9, 0, 0, 5 FROM hours, json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') kind`

describe.sequential('counts of days', () => {
  let byHour: Row[], byDay: Row[]

  it('are made when a day is over, and change no answer', async () => {
    await keepHouse(MIDNIGHT + 25 * HOUR)
    expect(await countedDays()).toBe(1)
    await env.DB.prepare('DELETE FROM day_counts').run()
    ;[byHour, byDay] = [await timeline('hour'), await timeline('day')]
    await expectCounts()
    await keepHouse(NOW)
    expect(await countedDays()).toBe(DAYS)
    expect([await timeline('hour'), await timeline('day')]).toEqual([byHour, byDay])
    expect(byDay).toHaveLength(DAYS)
    expect(byHour.length).toBeGreaterThan(4 * DAYS)
    await expectCounts()
  })

  it('are a few rows a day to /metrics and to counts of everything, however many hours it has', async () => {
    // While no node is late: of those that are, their usual intervals are looked at.
    vi.setSystemTime(NOW - 1.5 * HOUR)
    const read = async (): Promise<number[]> =>
      Promise.all(['/metrics', TOTAL, BY_STATUS].map((path) => rowsRead(path)))
    const ofDays = await read()
    // Every hour of every day in twelve groups, as a fleet has them; of a type that no report has.
    await env.DB.prepare(FULLER_HOURS).run()
    expect(await read()).toEqual(ofDays)
    await env.DB.prepare('CREATE TABLE was AS SELECT * FROM day_counts').run()
    await env.DB.prepare('DELETE FROM day_counts').run()
    const ofHours = await read()
    await env.DB.prepare('INSERT INTO day_counts SELECT * FROM was').run()
    await env.DB.prepare('DELETE FROM hour_counts WHERE type = 9').run()
    for (const [index, rows] of ofHours.entries()) expect(rows).toBeGreaterThan(20 * ofDays[index]!)
    // A hundred more days, of three groups each: a day's row is read twice, that of the day behind it once, and each of them
    // is looked for among open hours.
    const others = MIDNIGHT / DAY - 200
    await env.DB.prepare(
      `INSERT INTO day_counts SELECT value + ${others}, 4, '[[1,1,0,0,9,0,0,1],[1,2,0,0,9,0,0,1],[1,3,0,0,9,0,0,2]]' FROM json_each(?1)`,
    )
      .bind(JSON.stringify(Array.from({ length: 100 }, (_, day) => day)))
      .run()
    const more = (await read()).map((rows, index) => (rows - ofDays[index]!) / 100)
    await env.DB.prepare('DELETE FROM day_counts WHERE day < ?1')
      .bind(others + 100)
      .run()
    expect(more.map(Math.floor)).toEqual([6, 6 + 3, 6 + 3])
  })

  it('do not count while a late report has opened an hour of the day, and are made again', async () => {
    const late = run(7, MIDNIGHT + 4 * DAY + 11 * HOUR + 5000, { configuration_version: 'late' })
    await store(late)
    await expectCounts()
    await keepHouse(NOW)
    expect(await countedDays()).toBe(DAYS)
    await expectCounts()
    expect((await timeline('day'))[4]!['runs']).toBe(11)
  })

  it('of an empty hour that gets its first report are made again', async () => {
    await store(run(8, MIDNIGHT + 5 * DAY + 5 * HOUR, { configuration_version: 'between' }))
    await expectCounts()
    await keepHouse(NOW)
    await expectCounts()
  })

  it('follow retention, within a day and for whole days; trends go on counting what it deleted', async () => {
    const age = `${(NOW - (MIDNIGHT + 2 * DAY + 13 * HOUR)) / HOUR}h`
    const before = await trends()
    expect(before).toMatchObject({ runs: DAYS * 10 + 2, deleted: 0 })
    const stored = await countRows('reports')
    await keepHouse(NOW, { REPORT_TTL: age })
    await expectCounts()
    expect(await countedDays()).toBe(DAYS - 2)
    expect((await timeline('day'))[0]!['runs']).toBe(4)
    const deleted = stored - (await countRows('reports'))
    expect(deleted).toBe(26)
    expect(await trends()).toEqual({ ...before, deleted })
    // Deleted runs have no hour.
    const hours = await trends({ until: iso(MIDNIGHT + DAY) })
    expect(hours).toMatchObject({ runs: 0, deleted: 0, known_since: expect.any(String) })
    expect(hours.rates.every((one: Row) => one[1] === null)).toBe(true)
  })

  it('of a deleted day go on with a late report, and when that is deleted', async () => {
    const before = await trends()
    await store(run(2, MIDNIGHT + 12 * HOUR, { configuration_version: 'very late' }))
    await keepHouse(NOW)
    const after = await trends()
    expect(after).toMatchObject({ runs: before.runs + 1, deleted: before.deleted })
    const age = `${(NOW - (MIDNIGHT + 2 * DAY + 13 * HOUR)) / HOUR}h`
    await keepHouse(NOW, { REPORT_TTL: age })
    expect(await trends()).toEqual({ ...after, deleted: before.deleted + 1 })
  })

  it('are kept in a row for each day, and withheld from who sees some nodes of it', async () => {
    expect(await countRows('kept_days')).toBe(3)
    const { ask: askAs } = closed({
      TOKENS: tokenLine('some', 'read', 'certname=node-*'),
    })
    const { runs, deleted, known_since, buckets } = await askAs(
      'some',
      '/insight/v1/trends',
      TRENDS,
    )
    // Retention deleted two days and half of the third, of which nothing can be said.
    expect([runs, deleted, known_since]).toEqual([92, 0, iso(MIDNIGHT + 2 * DAY + 13 * HOUR)])
    expect(buckets.slice(0, 4).map((one: Row) => [one['runs'], one['failed']])).toEqual([
      ...Array.from({ length: 3 }, () => [null, null]),
      [10, expect.any(Number)],
    ])
  })

  it('before the upgrade are null, where retention had deleted', async () => {
    const day = MIDNIGHT / DAY + 4
    const before = await trends()
    // Where retention was when the migration was applied: within the day before, else at its end.
    const [migrated] = /INSERT INTO kept_since[^;]+/.exec(migration)!
    const moved = (rule: string, time: number): D1PreparedStatement =>
      env.DB.prepare('INSERT INTO retention_progress (rule, cursor) VALUES (?1, ?2)').bind(
        rule,
        time * 1024,
      )
    for (const time of [day * DAY - 1, day * DAY - 23 * HOUR, day * DAY]) {
      await env.DB.batch([
        env.DB.prepare('DELETE FROM kept_since'),
        env.DB.prepare('DELETE FROM retention_progress'),
        moved('reports one', time - 5 * DAY),
        moved('reports two', time),
        moved('events', time + 3 * DAY),
        env.DB.prepare(migrated),
      ])
      expect(await env.DB.prepare('SELECT day FROM kept_since').first('day')).toBe(day)
    }
    await env.DB.prepare('DELETE FROM retention_progress').run()
    const { runs, known_since, rates } = await trends()
    expect(known_since).toBe(iso(day * DAY))
    expect(rates).toEqual(
      before.rates.map(([start, ...numbers]: Row[], index: number) =>
        index < 4 ? [start, null, null] : [start, ...numbers],
      ),
    )
    expect(runs).toBe(rates.reduce((sum: number, one: Row) => sum + Number(one[1] ?? 0), 0))
    await env.DB.prepare('DELETE FROM kept_since').run()
  })

  it('follow the deletion of a node, whose runs stay in the counts of their days', async () => {
    const before = await trends()
    const response = await request('/pdb/admin/v1/cmd', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'delete', version: 1, payload: { certname: 'node-0' } }),
    })
    expect(response.status).toBe(200)
    await expectCounts()
    const after = await trends()
    expect(after).toEqual({ ...before, deleted: after.deleted })
    expect(after.deleted).toBeGreaterThan(before.deleted + 20)
    await keepHouse(NOW)
    expect(await countedDays()).toBe(DAYS - 2)
    await expectCounts()
  })

  it('of the day that goes on are in trends too, from its first minutes on', async () => {
    const midnight = MIDNIGHT + (DAYS + 1) * DAY
    vi.setSystemTime(midnight + 5 * 60_000)
    await store(run(0, midnight + 60_000, { certname: 'brief' }))
    const span = { since: iso(midnight - 4 * DAY), until: iso(midnight + 5 * 60_000) }
    const before = await trends(span)
    expect(before.rates.at(-1)).toEqual([iso(midnight), 1, 0])
    const response = await request('/pdb/admin/v1/cmd', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'delete', version: 1, payload: { certname: 'brief' } }),
    })
    expect(response.status).toBe(200)
    expect(await trends(span)).toEqual({ ...before, deleted: before.deleted + 1 })
    vi.setSystemTime(NOW)
    // It would stay open until its end.
    await env.DB.prepare('DELETE FROM open_hours WHERE hour = ?1')
      .bind(midnight / HOUR)
      .run()
  })

  it('are one row written a day, once', async () => {
    // Nothing else is left to count.
    await keepHouse(NOW)
    await env.DB.prepare('DELETE FROM day_counts').run()
    const written: number[] = []
    for (let n = 0; n < 2; n++) {
      let rows = 0
      const DB = around(async (send) => {
        const results = await send()
        for (const { meta } of results) rows += meta.rows_written
        return results
      })
      await keepHouse(NOW, { DB })
      written.push(rows)
    }
    // The second run writes what every run does.
    expect(written[0]! - written[1]!).toBe(DAYS - 2)
    const { database, batches } = counting()
    expect(await countDays(Database.primary(database), NOW)).toBe(0)
    expect(batches()).toBe(1)
  })

  it('leave /metrics three rows for each node, and two more where it failed, of its cause', async () => {
    /** What ten nodes more read, whose hour has reports already. */
    const readBy = async (group: string): Promise<number> => {
      const before = await rowsRead('/metrics')
      const added = Array.from({ length: 10 }, (_, n) =>
        run(n, NOW - 1.5 * HOUR + n * 1000, { certname: `${group}-${n}` }),
      )
      for (const payload of added) {
        vi.setSystemTime(Date.parse(String(payload['producer_timestamp'])) + 5000)
        await store(payload)
      }
      vi.setSystemTime(NOW)
      await keepHouse(NOW)
      const failed = added.filter(({ status }) => status === 'failed').length
      return (await rowsRead('/metrics')) - before - 2 * failed
    }
    vi.setSystemTime(NOW)
    await readBy('first')
    expect(await readBy('second')).toBe(3 * 10)
  })

  it('are kept for a tenth of a row written for each report of ten nodes, one of which fails all the time', async () => {
    const from = MIDNIGHT - 30 * DAY
    const hours = 6
    const runs = Array.from({ length: hours * 20 }, (_, n) =>
      run(0, from + n * 180_000, {
        ...{ certname: `kept-${n % 10}`, configuration_version: `kept ${n}` },
        ...{ status: n % 10 === 3 ? 'failed' : STATUSES[n % 2], noop: false },
      }),
    )
    await store(...runs)
    await keepHouse(NOW)
    const before = await countRows('reports')
    const texts: string[] = []
    let [rows, batches] = [0, 0]
    const DB = around(
      async (send, statements) => {
        const sent = texts.splice(0).slice(-statements)
        const results = await send()
        for (const [index, { meta }] of results.entries())
          if (/^insert into (?:kept|cause)_days/.test(sent[index]!)) {
            rows += meta.rows_written
            batches += meta.rows_written > 0 ? 1 : 0
          }
        return results
      },
      (sql) => {
        texts.push(sql)
        return sql
      },
    )
    for (let hour = 1; hour <= hours; hour++)
      await keepHouse(NOW, { DB, REPORT_TTL: `${(NOW - from) / HOUR - hour}h` })
    // The latest of each node stays.
    expect(before - (await countRows('reports'))).toBe(runs.length - 10)
    expect(batches).toBe(2 * hours)
    // A row each, and once one of the index by cause.
    expect(rows).toBe(2 * hours + 1)
    expect(rows / runs.length).toBeLessThan(0.2)
    await env.DB.batch(
      ['kept_days', 'cause_days'].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE day < ${MIDNIGHT / DAY}`),
      ),
    )
  })
})
