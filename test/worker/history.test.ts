/** The history: what housekeeping writes to object storage before retention deletes it, and that it is written exactly once. */

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import { archiveDays } from '../../worker/history/archive-days.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import { killedAt, copyDatabase, dropCopy, methods, restoreDatabase } from './history-faults.ts'
import { ask, countRows, store, type Answer } from './client.ts'
import { archivedReports, bucket, emptyBucket, rowsByFile } from './history-files.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../../worker/schema/history-tables.ts'
import { Database } from '../../worker/store/database.ts'
import { emptyHistory, LINE, MIDNIGHT, run, spiesOnLog, stored, tick } from './history-runs.ts'
import { NOON, resource, event } from './reports.ts'

spiesOnLog()
beforeEach(emptyHistory)

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

  it('is read by fewer statements than it has reports', async () => {
    const reports = Array.from({ length: 30 }, (_, n) => run('web1', NOON + n * 1000))
    await store(...reports)
    const database = Database.primary(env.DB)
    await closeHours(database, MIDNIGHT + 3 * DAY)
    const { statements } = database.usage
    const history = { bucket: methods, tables: HISTORY_TABLE_NAMES, required: false }
    const done = await archiveDays(database, history, MIDNIGHT + 3 * DAY)
    const bytes = await env.DB.prepare('select sum(bytes) from history_parts').first('sum(bytes)')
    expect(done).toEqual({ days: 1, parts: 1, reports: reports.length, bytes, failure: null })
    expect(database.usage.statements - statements).toBeLessThan(reports.length)
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
      await env.DB.exec('insert into open_hours (hour) select distinct hour from hour_counts')
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
    expect((await get('nodes/a/years')).runs).toBe(2)
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
