/** Retention beside a history: what waits for it, and that nothing is deleted that no file holds, whatever the database says. */

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { app } from '../../worker/app.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { fullBucket, methods } from './history-faults.ts'
import { pageAfter } from './check-pages.ts'
import { countRows, store, type Answer } from './client.ts'
import { archivedReports, bucket, emptyBucket, rowsByFile } from './history-files.ts'
import type { HistoryTable } from '../../worker/schema/history-tables.ts'
import { emptyHistory, iso, LINE, MIDNIGHT, run, spiesOnLog, stored, tick } from './history-runs.ts'
import { NOON, resource, event, type Payload } from './reports.ts'

const { error } = spiesOnLog()

beforeEach(emptyHistory)

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

    it.each<[string, object, RegExp]>([
      [
        'was written with more tables than HISTORY_TABLES has now',
        { HISTORY_TABLES: 'events' },
        /\. Put the file back from a backup\./,
      ],
      [
        "can't be read this time",
        { HISTORY: { ...methods, get: () => Promise.reject(new Error('It is gone.')) } },
        /: It is gone\. The next run reads it again\. If that fails too, see who may read the file, or how the bucket is\.$/,
      ],
    ])('where a part %s: a repair leaves its files', async (_, bindings, told) => {
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
      for (const { where, remedy } of problems) expect(`${where}. ${remedy}`).toMatch(told)
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
