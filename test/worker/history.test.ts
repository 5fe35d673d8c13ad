/** The history: what housekeeping writes to object storage before retention deletes it, and that it is written exactly once. */

import { env } from 'cloudflare:workers'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import {
  killedAt,
  copyDatabase,
  dropCopy,
  fullBucket,
  methods,
  restoreDatabase,
} from './history-faults.ts'
import { pageAfter } from './check-pages.ts'
import { ask, countRows, store, type Answer } from './client.ts'
import { archivedReports, bucket, emptyBucket, rowsByFile, withoutHrefs } from './history-files.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'
import type { HistoryTable } from '../../worker/schema/history-tables.ts'
import { NOON, report, resource, event, type Payload } from './reports.ts'

const log = vi.spyOn(console, 'info').mockImplementation(() => undefined)
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
afterAll(() => {
  log.mockRestore()
  warn.mockRestore()
  error.mockRestore()
})

const TABLES = ['reports', 'events', 'long_values', 'body_parts', 'report_causes', 'nodes']
const MARKS = ['open_hours', 'hour_counts', 'unarchived_days', 'history_days', 'history_parts']
const PROGRESS = ['retention_progress', 'protected_reports', 'leases']
beforeEach(async () => {
  await emptyBucket()
  const tables = [...TABLES, ...MARKS, ...PROGRESS]
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)))
})

/** What the hourly trigger does, with a bucket. */
async function tick(
  now: number,
  settings: Record<string, string> = {},
  history: HistoryBucket | undefined = bucket,
): Promise<void> {
  const controller = { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined }
  await worker.scheduled(controller, { ...env, HISTORY: history, ...settings })
}

const iso = (time: number): string => new Date(time).toISOString()
/** A run of a node, at a time. */
const run = (certname: string, time: number, parts: Payload = {}): Payload =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    ...parts,
  })

const MIDNIGHT = NOON - 12 * HOUR

const stored = async (): Promise<Answer[]> =>
  (await ask('/query/v4/reports', { query: ['=', 'type', 'any'] })).map(withoutHrefs)
/** A put that waits until the test says so. */
const { promise: putBegun, resolve: beginPut } = Promise.withResolvers<undefined>()
const { promise: maySucceed, resolve: goOn } = Promise.withResolvers<undefined>()
const slowPut: HistoryBucket['put'] = async (...args) => {
  beginPut(undefined)
  await maySucceed
  return bucket.put(...args)
}

const byHash = (reports: readonly Answer[]): Answer[] =>
  reports.toSorted((one, other) => (one.hash < other.hash ? -1 : 1))

const STATES = { good: 'unchanged', events: 'failed', catalog: 'failed' }

describe('what is archived', () => {
  it('has the state of each run and its causes, as the insights answer them', async () => {
    await store(
      run('good', NOON),
      run('events', NOON, {
        status: 'failed',
        resources: [
          resource({
            events: [
              event({ status: 'failure', message: 'Could not evaluate: disk is broken' }),
              event({
                status: 'failure',
                property: 'mode',
                message: 'Could not evaluate: disk is broken',
              }),
              event({ status: 'failure', message: 'change from absent to present failed: denied' }),
              event(),
            ],
          }),
        ],
      }),
      run('catalog', NOON, {
        status: 'failed',
        resources: [],
        logs: [
          { ...LINE, level: 'notice', message: 'Starting' },
          { ...LINE, level: 'err', message: 'Could not retrieve catalog; skipping run' },
        ],
      }),
    )
    const answered: Record<string, readonly [state: string, ...causes: string[]]> = {}
    for (const [certname, state] of Object.entries(STATES)) {
      const [{ hash }] = await ask('/query/v4/reports', { query: ['=', 'certname', certname] })
      const { causes }: Answer = await ask(`/insight/v1/reports/${hash}`)
      answered[certname] = [state, ...causes.map(({ cause }: Answer) => cause)]
    }
    expect(Object.values(answered).map(({ length }) => length)).toEqual([1, 3, 2])
    await tick(NOON + 3 * DAY)
    const rows = async (table: HistoryTable): Promise<ReadRow[]> =>
      [...(await rowsByFile(table)).values()].flat()
    const archived = (await rows('reports')).map(({ certname, state, causes }) => [
      certname,
      [state, ...(causes as string[])],
    ])
    expect(Object.fromEntries(archived)).toEqual(answered)
    const causesOf = async (table: HistoryTable, node: string): Promise<unknown[]> =>
      (await rows(table))
        .filter(({ certname }) => certname === node)
        .toSorted((one, other) => Number(one['number']) - Number(other['number']))
        .map(({ cause }) => cause)
    const [, first, second] = answered['events']!
    expect(await causesOf('events', 'events')).toEqual([first, first, second, null])
    expect(await causesOf('logs', 'catalog')).toEqual([null, answered['catalog']![1]])
  })

  it('comes back exactly as the API answered it', async () => {
    const commands = [...fleetCommands({ nodes: 12, runs: 6, start: MIDNIGHT })]
    for (const { payload } of commands) await store(payload)
    await store(
      run('odd', NOON, {
        metrics: [
          { category: 'a.b', name: 'c', value: 1 },
          { category: 'x', name: 'text', value: 'one' },
          { category: 'x', name: 'text', value: 12345678901234567890n.toString() },
        ],
        logs: [
          { level: 'notice', anything: [1, { a: null }] },
          {
            file: null,
            line: 3,
            level: 'err',
            message: 'äöü\u2028 "quoted"',
            source: '',
            tags: [],
            time: '2026-03-02T13:00:00.12+01:00',
          },
        ],
        resources: [
          resource({
            events: [
              event({ old_value: { a: [1, null, 'x'] }, new_value: 'y'.repeat(3_000_000) }),
              event({ property: null, new_value: 9007199254740993 }),
            ],
          }),
        ],
      }),
      run('empty', NOON, { metrics: [], logs: [], job_id: null, code_id: null }),
      run('none', NOON, { metrics: null, logs: null, transaction_uuid: 'no uuid' }),
    )
    const before = await stored()
    await tick(MIDNIGHT + 3 * DAY)
    expect(byHash(await archivedReports())).toEqual(byHash(before))
    expect(before.length).toBe(commands.length + 3)
  })

  it('is a file a day and table, of closed days only', async () => {
    for (const day of [0, 1, 2])
      await store(run('web1', NOON + day * DAY, { resources: [resource()] }))
    await tick(MIDNIGHT + 3 * DAY)
    expect([...(await rowsByFile('reports')).keys()]).toEqual([
      'reports/date=2026-03-02/000.parquet',
      'reports/date=2026-03-03/000.parquet',
    ])
    expect([...(await rowsByFile('events')).keys()]).toEqual([
      'events/date=2026-03-02/000.parquet',
      'events/date=2026-03-03/000.parquet',
    ])
    await tick(MIDNIGHT + 4 * DAY)
    expect((await rowsByFile('reports')).size).toBe(3)
    expect(await countRows('unarchived_days')).toBe(0)
  })
})

describe('exactly once', () => {
  const changed = { status: 'changed', resources: [resource({ events: [event(), event()] })] }

  it('holds wherever a run is killed', async () => {
    for (const certname of ['a', 'b', 'c']) await store(run(certname, NOON, changed))
    const before = byHash(await stored())
    const steps: number[] = []
    for (let at = 1; ; at++) {
      const bindings = killedAt(at)
      const controller = {
        scheduledTime: MIDNIGHT + 3 * DAY,
        cron: '13 * * * *',
        noRetry: () => undefined,
      }
      await worker.scheduled(controller, { ...env, ...bindings }).catch(() => undefined)
      await env.DB.exec('delete from leases')
      if (!bindings.died()) break
      steps.push(at)
      await tick(MIDNIGHT + 3 * DAY)
      expect(byHash(await archivedReports()), `killed at ${at}`).toEqual(before)
      expect([...(await rowsByFile('events')).keys()].length, `killed at ${at}`).toBe(1)
      // Begins anew, with another report that stays the same.
      await emptyBucket()
      await env.DB.batch(
        ['unarchived_days', 'history_days', 'history_parts'].map((table) =>
          env.DB.prepare(`delete from ${table}`),
        ),
      )
      await env.DB.exec('insert into open_hours select distinct hour from hour_counts')
    }
    expect(steps.length).toBeGreaterThan(12)
  })

  it('holds for two housekeeping runs at once, and for two that both believe to hold the lease', async () => {
    await store(...Array.from({ length: 30 }, (_, n) => run(`n${n % 7}`, NOON + n * 1000)))
    await Promise.all([tick(MIDNIGHT + 3 * DAY), tick(MIDNIGHT + 3 * DAY)])
    expect((await archivedReports()).length).toBe(30)
    // A lease that ended during a long run: another deletes it while the first goes on.
    await store(...Array.from({ length: 30 }, (_, n) => run(`n${n % 7}`, NOON + DAY + n * 1000)))
    const slow = { ...methods, put: slowPut }
    const first = tick(MIDNIGHT + 4 * DAY, {}, slow)
    await putBegun
    await env.DB.exec('delete from leases')
    await tick(MIDNIGHT + 4 * DAY)
    goOn(undefined)
    await first
    await tick(MIDNIGHT + 4 * DAY + HOUR)
    const hashes = (await archivedReports()).map(({ hash }) => hash)
    expect(hashes.length).toBe(60)
    expect(new Set(hashes).size).toBe(60)
  })

  it('holds for late reports, which come in a further part, and for those that are sent again', async () => {
    await store(run('a', NOON, changed), run('b', NOON, changed))
    await tick(MIDNIGHT + 3 * DAY)
    await store(run('a', NOON + HOUR, changed))
    await tick(MIDNIGHT + 4 * DAY)
    const files = await rowsByFile('reports')
    expect([...files].map(([path, rows]) => [path.slice(-11), rows.length])).toEqual([
      ['000.parquet', 2],
      ['001.parquet', 1],
    ])
    // Deleted by retention, and sent again by somebody who kept it.
    await store(run('a', NOON + 20 * DAY), run('b', NOON + 20 * DAY))
    await tick(MIDNIGHT + 24 * DAY)
    expect((await stored()).length).toBe(2)
    await store(run('a', NOON + HOUR, changed))
    await tick(MIDNIGHT + 24 * DAY)
    expect((await archivedReports()).length).toBe(5)
  })

  it('holds after a restore to a time before the day was archived', async () => {
    await store(run('a', NOON, changed), run('b', NOON, changed))
    await copyDatabase()
    await store(run('c', NOON, changed))
    await tick(MIDNIGHT + 3 * DAY)
    const before = byHash(await archivedReports())
    expect(before.length).toBe(3)
    await restoreDatabase()
    // The restored database has not seen c, and gets another.
    await store(run('d', NOON, changed))
    const all = byHash([...before, ...(await stored()).filter(({ certname }) => certname === 'd')])
    await tick(MIDNIGHT + 3 * DAY)
    expect(byHash(await archivedReports())).toEqual(all)
    await dropCopy()
  })

  it('is found again after a restore to a time before its reports came', async () => {
    await copyDatabase()
    await store(run('a', NOON, changed), run('a', NOON + 2 * DAY, changed))
    await tick(MIDNIGHT + 5 * DAY)
    await restoreDatabase()
    await dropCopy()
    await tick(MIDNIGHT + 5 * DAY)
    const get = async (path: string): Promise<Answer> =>
      (
        await app.fetch(new Request(`http://service.example/insight/v1/${path}`), {
          ...env,
          HISTORY: bucket,
        })
      ).json()
    expect(await get('history')).toMatchObject({ first: '2026-03-02', reports: 2, waiting: [] })
    expect((await get('history/nodes/a?since=2026-03-01')).runs).toHaveLength(2)
  })

  it('holds for a node whose reports are deleted between two passes', async () => {
    await store(run('a', NOON, changed), run('b', NOON, changed))
    await tick(MIDNIGHT + 3 * DAY)
    await env.DB.exec(
      "delete from reports where node = (select id from nodes where certname = 'a')",
    )
    await store(run('b', NOON + HOUR))
    await tick(MIDNIGHT + 4 * DAY)
    expect((await archivedReports()).length).toBe(3)
  })
})

const LINE = {
  ...{ file: null, line: null, level: 'notice', message: 'x', source: 'Puppet', tags: [] },
  time: '2026-03-02T11:59:59Z',
}

describe('retention', () => {
  const OLD = { REPORT_TTL: '5d', LOGS_AND_METRICS_TTL: '2d' }
  const sendOldAndNew = (): Promise<unknown> =>
    store(run('a', NOON, { logs: [LINE] }), run('a', NOON + 9 * DAY))
  const now = MIDNIGHT + 10 * DAY

  it.each<[string, Record<string, string>, boolean, number]>([
    ['waits where the bucket takes nothing', {}, true, 2],
    ['waits for no bucket with best-effort', { HISTORY_MODE: 'best-effort' }, true, 1],
    ['goes on where the bucket works', {}, false, 1],
    ['needs no bucket where the history is off', { HISTORY_MODE: 'off' }, true, 1],
    ['needs none on the free plan', { MAX_QUERIES: '50' }, true, 1],
  ])('%s', async (_, settings, isFull, left) => {
    await sendOldAndNew()
    await tick(now, { ...OLD, ...settings }, isFull ? fullBucket() : bucket)
    const rows = await stored()
    expect(rows.length).toBe(left)
    const old = rows.find(({ producer_timestamp: time }) => time === iso(NOON))
    if (old) expect(old.logs.data.length, 'trimming waits, too').toBeGreaterThan(0)
  })

  it('goes on by itself when the bucket works again', async () => {
    await sendOldAndNew()
    await tick(now, OLD, fullBucket())
    await tick(now + HOUR, OLD)
    expect((await stored()).length).toBe(1)
    expect((await archivedReports()).length).toBe(1)
  })

  it('keeps an expired node until the history has it', async () => {
    await store(run('gone', NOON))
    await tick(now, { NODE_TTL: '1d', NODE_PURGE_TTL: '1d' }, fullBucket())
    await tick(now + 3 * DAY, { NODE_TTL: '1d', NODE_PURGE_TTL: '1d' }, fullBucket())
    expect(await countRows('nodes')).toBe(1)
    await tick(now + 4 * DAY, { NODE_TTL: '1d', NODE_PURGE_TTL: '1d' })
    expect(await countRows('nodes')).toBe(0)
    expect((await archivedReports()).length).toBe(1)
  })

  describe('deletes nothing that no file holds, whatever the database says', () => {
    const firstPart = 'reports/date=2026-03-02/000.parquet'
    const sql = (text: string) => env.DB.prepare(text).run()
    const put = (key: string, bytes: Uint8Array) => bucket.put(key, bytes)
    const noBodies = { LOGS_AND_METRICS_TTL: '0' }
    const mend = { REPORT_TTL: '5d', ...noBodies }
    const keep = { REPORT_TTL: '0', ...noBodies, NODE_TTL: '0' }
    /** Two reports of one day, one of the next, and the latest. */
    const archive = async (parts: Payload = {}): Promise<string[]> => {
      await store(run('a', NOON, parts), run('a', NOON + HOUR, parts), run('a', NOON + DAY))
      await store(run('a', NOON + 9 * DAY))
      await tick(now, keep)
      return (await stored()).map(({ hash }) => hash)
    }
    const full: Payload = {
      ...{ status: 'changed', resources: [resource({ events: [event()] })] },
      logs: [LINE],
    }
    const repaired = async () => (await pageAfter('history', 'POST')).problems
    const firstOf = (table: HistoryTable): string => firstPart.replace('reports', table)
    const damage = async (table: HistoryTable): Promise<void> => {
      const whole = new Uint8Array(await (await bucket.get(firstOf(table)))!.arrayBuffer())
      await put(firstOf(table), whole.fill(0, 0, 9))
    }
    const everywhere = async (): Promise<unknown[]> => {
      const archived = [...(await rowsByFile('reports')).values()].flat().map((row) => row['hash'])
      return [...new Set([...archived, ...(await stored()).map(({ hash }) => hash)])]
    }

    it.each<[string, () => Promise<unknown>, number]>([
      [
        'the marks of unarchived days are emptied, and no file was written',
        async () => {
          await emptyBucket()
          await sql('delete from unarchived_days')
        },
        4,
      ],
      ['the part of a day is removed', () => bucket.delete(firstPart), 3],
    ])('where %s: they stay, are archived again, and are deleted then', async (_, damage, left) => {
      const all = await archive()
      await damage()
      await tick(now + 1, mend)
      expect((await stored()).length).toBe(left)
      await tick(now + HOUR, mend)
      expect((await everywhere()).toSorted()).toEqual(all.toSorted())
      expect((await stored()).length).toBe(1)
    })

    it('where the part of a day is damaged: that day keeps its reports, and others go', async () => {
      const all = await archive()
      const [latest] = all
      const whole = new Uint8Array(await (await bucket.get(firstPart))!.arrayBuffer())
      await put(
        firstPart,
        whole.map((byte, at) => (at > 4 && at < 400 ? 120 : byte)),
      )
      await tick(now + 1, mend)
      expect((await stored()).map((row) => row.producer_timestamp).toSorted()).toEqual(
        [NOON, NOON + HOUR, NOON + 9 * DAY].map(iso),
      )
      expect(error.mock.calls.join()).toContain(`${firstPart} is damaged`)
      await tick(now + 2 * HOUR, mend)
      expect((await stored()).length).toBe(3)
      expect(error.mock.calls.join()).toContain(`delete ${firstPart}`)
      await put(firstPart, whole)
      await tick(now + 3 * HOUR, mend)
      expect((await stored()).length).toBe(1)
      expect((await archivedReports()).map(({ hash }) => hash as string).toSorted()).toEqual(
        all.filter((hash) => hash !== latest).toSorted(),
      )
    })

    it.each([
      ['is damaged', firstPart, 0],
      ['of logs is damaged', firstPart.replace('reports', 'logs'), 0],
      ['of logs is missing', firstPart.replace('reports', 'logs'), -1],
    ])(
      'where a file %s and the database has its day: a repair archives it again',
      async (_, path, at) => {
        const all = await archive(full)
        const whole = new Uint8Array(await (await bucket.get(path))!.arrayBuffer())
        if (at < 0) await bucket.delete(path)
        else await put(path, whole.fill(0, at, at + 9))
        expect(await repaired()).toEqual([
          {
            invariant: 'a file of the history can be read',
            where: expect.stringContaining(path),
            remedy: 'The database still has the whole day, so --repair archives it again.',
            repair: 'done',
          },
        ])
        await tick(now + 1, keep)
        expect((await pageAfter('history')).problems).toEqual([])
        await tick(now + HOUR, mend)
        expect((await everywhere()).toSorted()).toEqual(all.toSorted())
        expect((await stored()).length).toBe(1)
        expect((await rowsByFile('logs')).get(path.replace('reports', 'logs'))).toHaveLength(2)
      },
    )

    it.each([
      ['lacks a report', 'delete from reports where id = (select min(id) from reports)'],
      [
        'lacks the logs of a report',
        'update reports set body = null where id = (select min(id) from reports)',
      ],
      [
        'lacks the events of a report',
        'update reports set events = 0 where id = (select min(id) from reports)',
      ],
    ])('where a file is damaged and the database %s: a repair leaves it', async (_, loss) => {
      await archive(full)
      const whole = new Uint8Array(await (await bucket.get(firstPart))!.arrayBuffer())
      const damaged = whole.fill(0, 0, 9)
      await put(firstPart, damaged)
      await sql(loss)
      expect(await repaired()).toEqual([
        expect.objectContaining({
          repair: 'none',
          remedy: expect.stringContaining(`delete ${firstPart}`),
        }),
      ])
      const left = new Uint8Array(await (await bucket.get(firstPart))!.arrayBuffer())
      expect(left).toEqual(damaged)
    })

    it.each<[string, Payload]>([
      [
        'that would have changed something',
        {
          noop: true,
          noop_pending: true,
          resources: [resource({ events: [event({ status: 'noop' })] })],
        },
      ],
      [
        'that skipped a resource',
        { resources: [resource({ skipped: true, events: [event({ status: 'skipped' })] })] },
      ],
      [
        'that failed',
        { status: 'failed', resources: [resource({ events: [event({ status: 'failure' })] })] },
      ],
    ])(
      'where RESOURCE_EVENTS_TTL took the events of runs %s: a repair leaves their file',
      async (_, parts) => {
        await store(
          run('a', NOON, { logs: [LINE], ...parts }),
          run('a', NOON + 3 * HOUR, { logs: [LINE], ...parts }),
        )
        await store(run('a', NOON + 9 * DAY))
        await tick(now, keep)
        const archived = async () => (await rowsByFile('events')).get(firstOf('events'))
        const before = await archived()
        expect(before).toHaveLength(2)
        await tick(NOON + 5 * DAY + 2 * HOUR, { ...keep, RESOURCE_EVENTS_TTL: '5d' })
        expect(await countRows('events')).toBe(1)
        await damage('logs')
        await repaired()
        await tick(now + 1, keep)
        expect(await archived()).toEqual(before)
      },
    )

    it('where late reports stand for archived ones that were deleted: a repair leaves the file', async () => {
      await archive(full)
      await store(run('late', NOON, full), run('late', NOON + HOUR, full))
      await sql(
        "update reports set receive_time = receive_time + 1000 where node = (select id from nodes where certname = 'late')",
      )
      await sql('delete from reports where id = (select min(id) from reports)')
      await damage('logs')
      expect((await repaired()).map(({ repair }) => repair)).toEqual(['none'])
    })

    it.each<[string, object]>([
      ['was written with more tables than HISTORY_TABLES has now', { HISTORY_TABLES: 'events' }],
      [
        "can't be read this time",
        { HISTORY: { ...methods, get: () => Promise.reject(new Error('EACCES')) } },
      ],
    ])('where a part %s: a repair leaves its files', async (_, bindings) => {
      await archive(full)
      await store(run('late', NOON, full))
      await tick(now + HOUR, keep)
      await damage('events')
      const before = await rowsByFile('logs')
      expect(before.size).toBe(2)
      const request = new Request('http://service.example/admin/v1/check?after=history', {
        method: 'POST',
      })
      const { problems }: Answer = await (
        await app.fetch(request, { ...env, HISTORY: bucket, ...bindings })
      ).json()
      expect(problems.length).toBeGreaterThan(0)
      expect(new Set(problems.map((one: Answer) => one.repair))).toEqual(new Set(['none']))
      await tick(now + 2 * HOUR, { ...keep, HISTORY_TABLES: 'events' })
      expect(await rowsByFile('logs')).toEqual(before)
    })

    it('where a node is purged', async () => {
      await store(run('gone', NOON), run('gone', NOON + HOUR))
      await tick(now, { ...keep, NODE_TTL: '1d' })
      await emptyBucket()
      const purge = { ...keep, NODE_TTL: '1d', NODE_PURGE_TTL: '1d' }
      await tick(now + 3 * DAY, purge)
      expect((await stored()).length + (await countRows('nodes'))).toBe(2 + 1)
      await tick(now + 4 * DAY, purge)
      await tick(now + 5 * DAY, purge)
      expect([await countRows('nodes'), (await archivedReports()).length]).toEqual([0, 2])
    })
  })
})
