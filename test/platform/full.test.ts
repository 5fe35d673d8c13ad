/** A database that is almost full says so, and a full one frees itself: it deletes before it writes anything. */

import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { wrongIn } from '../soundness.ts'
import { NOON } from '../worker/reports.ts'
import { copyReports, DAY, failedEvents, HOUR, reportAt } from './fleet.ts'
import { Platform } from './platform.ts'

interface Line {
  readonly database?: string
  readonly before?: string
  readonly reports?: number
}

const lines: Line[] = []
beforeAll(() => {
  for (const level of ['info', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((text: string) => void lines.push(JSON.parse(text)))
  }
})
beforeEach(() => void lines.splice(0))

const KEEP_ALL = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0', LOCAL_HOOKS: 'on' }

/** Days of reports with logs, of one node, and no room for more. @param share of MAX_DATABASE_BYTES that they fill */
async function filled(share = 1): Promise<Platform> {
  const platform = await Platform.deploy(KEEP_ALL)
  const message = Array.from({ length: 1000 }, (_, n) => `${n ** 3}`).join(' ')
  await platform.submit(
    reportAt('web1', NOON - 10 * HOUR, {
      ...failedEvents(3),
      logs: [
        { level: 'notice', source: 'x', tags: [], message, time: null, file: null, line: null },
      ],
    }),
  )
  await platform.submit(reportAt('web1', NOON))
  await copyReports(platform, 'web1', { count: 400, step: 600_000, causes: 1 })
  await platform.tick(NOON)
  const bytes = await platform.bytes()
  platform.conditions.mostBytes = bytes
  platform.settings['MAX_DATABASE_BYTES'] = String(Math.floor(bytes / share))
  return platform
}

/** Whether the first page of the console has the text. */
const shows = async (platform: Platform, text: string): Promise<boolean> => {
  const { status, body } = await platform.request('/console')
  expect(status).toBe(200)
  return body.includes(text)
}

const oldest = async (platform: Platform): Promise<number> => {
  const [row] = await platform.sql<{ time: number }>('select min(id) / 1024 as time from reports')
  return row!.time
}

/** Runs by day, as trends count them, of this day and the six before. */
const trendOf = async (platform: Platform) => {
  const span = {
    since: new Date(NOON - 6 * DAY).toISOString(),
    until: new Date(NOON).toISOString(),
  }
  const { body } = await platform.request(`/insight/v1/trends?${new URLSearchParams(span)}`)
  const { runs, deleted, known_since, buckets } = JSON.parse(body)
  return { runs, deleted, known_since, days: buckets.map(({ runs }: { runs: number }) => runs) }
}

describe('a full database', () => {
  it('goes on counting what it deleted in trends', async () => {
    const platform = await filled()
    platform.conditions.mostBytes = Infinity
    const before = await trendOf(platform)
    expect(before).toMatchObject({ runs: 402, deleted: 0 })
    await platform.tick(NOON)
    const { deleted, ...others } = await trendOf(platform)
    expect(others).toEqual({ runs: before.runs, known_since: null, days: before.days })
    expect(deleted).toBeGreaterThan(10)
  })

  it('deletes without counting where there is room for nothing, and says which days are not known', async () => {
    const platform = await filled()
    await platform.sql('delete from events')
    await platform.sql('update reports set body = null, events = 0')
    platform.conditions.mostBytes = await platform.bytes()
    platform.settings['MAX_DATABASE_BYTES'] = String(platform.conditions.mostBytes)
    const before = await trendOf(platform)
    await platform.tick(NOON)
    const after = await trendOf(platform)
    const unknown = after.days.filter((runs: number | null) => runs === null).length
    expect(unknown).toBeGreaterThan(0)
    const known = before.days.map((runs: number, day: number) => (day < unknown ? null : runs))
    expect(after).toMatchObject({
      days: known,
      runs: known.reduce((sum: number, runs: number | null) => sum + (runs ?? 0), 0),
      known_since: new Date(Math.floor(NOON / DAY - 6 + unknown) * DAY).toISOString(),
    })
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('refuses reports with a sentence, and answers queries', async () => {
    const platform = await filled()
    const refused = await platform.submit(reportAt('web1', NOON + HOUR))
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      503,
      '5',
      'The database has the largest size that D1 allows: nothing can be stored until retention has deleted more.',
    ])
    expect(await platform.ask('reports', { limit: 3 })).toHaveLength(3)
    expect(await shows(platform, 'Shorten REPORT_TTL')).toBe(true)
  })

  it('deletes what has expired before it writes anything', async () => {
    const platform = await filled()
    platform.settings['REPORT_TTL'] = '1d'
    await platform.tick(NOON)
    expect(await oldest(platform)).toBeGreaterThanOrEqual(NOON - DAY - HOUR)
    expect((await platform.submit(reportAt('web1', NOON + HOUR))).status).toBe(200)
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('deletes the oldest reports where none has expired, and says so', async () => {
    const platform = await filled()
    const before = await oldest(platform)
    await platform.tick(NOON)
    expect(await oldest(platform)).toBeGreaterThan(before)
    expect(lines.find(({ database }) => database)).toMatchObject({
      database: expect.stringMatching(
        /^The database has 0.00 GB of at most 0.00 GB\. Shorten REPORT_TTL/,
      ),
      reports: expect.any(Number),
      before: expect.stringMatching(/^2026-02-2/),
    })
    const share = (await platform.bytes()) / platform.conditions.mostBytes
    expect(share).toBeGreaterThan(0.85)
    expect(share).toBeLessThanOrEqual(0.95)
    expect((await platform.submit(reportAt('web1', NOON + HOUR))).status).toBe(200)
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it("keeps each node's latest report, and the counts of its hour right", async () => {
    const platform = await filled()
    const time = await oldest(platform)
    platform.conditions.mostBytes = Infinity
    platform.settings['MAX_DATABASE_BYTES'] = '0'
    await platform.submit(reportAt('gone', time + 1))
    await platform.tick(NOON)
    const bytes = await platform.bytes()
    platform.conditions.mostBytes = bytes
    platform.settings['MAX_DATABASE_BYTES'] = String(bytes)
    await platform.tick(NOON)
    expect(await oldest(platform)).toBe(time + 1)
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('splits an hour that is too much for one batch', async () => {
    const platform = await filled()
    platform.conditions.mostRows = 220
    const before = await oldest(platform)
    await platform.tick(NOON)
    platform.conditions.mostRows = Infinity
    expect(platform.refused).toBeGreaterThan(0)
    expect(await oldest(platform)).toBeGreaterThan(before)
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('keeps its reports where another database of the account used up the storage', async () => {
    const platform = await filled(0.5)
    const before = await oldest(platform)
    await expect(platform.tick(NOON)).rejects.toThrow('The database has the largest size')
    expect(await oldest(platform)).toBe(before)
  })
})

describe('an almost full database is told of', () => {
  const ALMOST = 0.93

  it('by the log, once an hour, and by /metrics', async () => {
    const platform = await filled(ALMOST)
    platform.conditions.mostBytes = Infinity
    await platform.tick(NOON)
    expect(lines.filter(({ database }) => database)).toHaveLength(1)
    const { body } = await platform.request('/metrics')
    const sample = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1])
    const size = sample('report_service_database_size_bytes')
    expect(size / sample('report_service_database_size_limit_bytes')).toBeCloseTo(ALMOST, 1)
  })

  it('by the console, to administrators', async () => {
    const platform = await filled(ALMOST)
    expect(await shows(platform, 'Shorten REPORT_TTL')).toBe(true)
    expect(await shows(await filled(0.8), 'Shorten REPORT_TTL')).toBe(false)
  })

  it('by a hook, once a day', async () => {
    const platform = await filled(ALMOST)
    platform.conditions.mostBytes = Infinity
    const texts: string[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      texts.push(JSON.parse(String(init?.body)).text)
      return Promise.resolve(new Response(null, { status: 204 }))
    })
    vi.setSystemTime(NOON)
    const made = await platform.request('/admin/v1/hooks/full', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transition: 'database-full', url: 'http://127.0.0.1:9/x' }),
    })
    expect([made.status, made.body]).toEqual([201, expect.stringContaining('whsec_')])
    for (const hours of [1, 2, 20, 26, 27]) {
      await platform.tick(NOON + hours * HOUR, '*/5 * * * *')
    }
    vi.useRealTimers()
    expect(texts).toEqual(Array(2).fill(expect.stringContaining('Shorten REPORT_TTL')))
  })
})
