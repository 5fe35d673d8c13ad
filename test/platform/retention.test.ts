/** Retention never stops: its cost follows what it deletes, a batch that is too much is halved, and one that can't be done waits for no one. */

import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { wrongIn } from '../soundness.ts'
import { JSON_TYPE } from '../worker/client.ts'
import { NOON } from '../worker/reports.ts'
import { copyReports, DAY, failedEvents, HOUR, reportAt, writeCauses, writeNodes } from './fleet.ts'
import { Platform } from './platform.ts'

interface Line {
  readonly housekeeping?: {
    readonly retention: readonly { rule: string; reports: number; complete: boolean }[]
  }
  readonly rowsRead?: number
  readonly retention?: string
  readonly passedOver?: readonly string[]
}

const lines: Line[] = []
beforeAll(() => {
  for (const level of ['info', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((text: string) => void lines.push(JSON.parse(text)))
  }
})
beforeEach(() => void lines.splice(0))

const SETTINGS = { LOG_REQUESTS: 'on', NODE_TTL: '0', NODE_PURGE_TTL: '0' }

/** The lines of one run of housekeeping. */
async function tick(platform: Platform, now: number) {
  lines.splice(0)
  const cost = await platform.tick(now)
  const done = lines.find(({ housekeeping }) => housekeeping)
  const reports = done?.housekeeping?.retention.find(({ rule }) => rule === 'every other report')
  return { sent: cost, rowsRead: done?.rowsRead ?? 0, ...reports }
}

const left = async (platform: Platform): Promise<number> => {
  const [row] = await platform.sql<{ count: number }>('select count(*) as count from reports')
  return row!.count
}

/** A node with old reports, all failed, and a recent one. */
async function withFailures(settings: {
  count: number
  causes: number
  events?: number
}): Promise<Platform> {
  const platform = await Platform.deploy(SETTINGS)
  await writeCauses(platform, settings.causes)
  const old = NOON - 20 * DAY
  await platform.submit(reportAt('web1', old, failedEvents(settings.events ?? 1)))
  await platform.submit(reportAt('web1', NOON))
  await copyReports(platform, 'web1', { count: settings.count, step: 1000, causes: 10 })
  return platform
}

describe('retention', () => {
  it('reads rows in proportion to what it deletes, however many causes were ever seen', async () => {
    const read: number[] = []
    for (const causes of [20, 2000]) {
      const platform = await withFailures({ count: 300, causes })
      const { status, headers } = await platform.request('/pdb/admin/v1/cmd', {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ command: 'clean', version: 1, payload: ['purge_reports'] }),
      })
      const rowsRead = Number(/rows-read;desc="(\d+)"/.exec(headers.get('server-timing')!)?.[1])
      expect([status, await left(platform)]).toEqual([200, 1])
      expect(await wrongIn(platform.binding)).toEqual({})
      read.push(rowsRead)
    }
    expect(read[1]).toBeLessThan(read[0]! * 1.1)
  })

  it('deletes 2,000 failed reports with 20,000 causes within a batch of D1', async () => {
    const platform = await withFailures({ count: 2000, causes: 20_000 })
    // Some thirty rows a report and ten causes; 40,000,000 were read before.
    platform.conditions.mostRows = 200_000
    const { reports } = await tick(platform, NOON)
    expect([reports, await left(platform)]).toEqual([2001, 1])
  })

  it('halves a batch that D1 gives up, in the same run', async () => {
    const platform = await withFailures({ count: 400, causes: 20 })
    platform.conditions.mostRows = 4000
    const { reports, complete } = await tick(platform, NOON)
    expect([reports, complete, await left(platform)]).toEqual([401, true, 1])
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('passes over a report that D1 can not delete, says so, and tries it again later', async () => {
    const platform = await withFailures({ count: 60, causes: 20 })
    await platform.submit(reportAt('web2', NOON - 20 * DAY - 5500, failedEvents(300)))
    await platform.submit(reportAt('web2', NOON))
    platform.conditions.mostRows = 600
    expect(await tick(platform, NOON)).toMatchObject({ reports: 61, complete: true })
    expect(lines.find(({ retention }) => retention === 'passed over')).toMatchObject({
      passedOver: [expect.stringMatching(/^\d+$/)],
    })
    expect(await left(platform)).toBe(3)
    // It keeps no other waiting.
    platform.conditions.mostRows = Infinity
    await platform.submit(reportAt('web1', NOON - 19 * DAY))
    platform.conditions.mostRows = 600
    expect(await tick(platform, NOON + HOUR)).toMatchObject({ reports: 1 })
    expect(await left(platform)).toBe(3)
    platform.conditions.mostRows = Infinity
    expect(await tick(platform, NOON + 2 * HOUR)).toMatchObject({ reports: 1 })
    expect(await left(platform)).toBe(2)
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('keeps up with 1,000,000 reports a day of 20,000 nodes, within 1,000 queries an hour', async () => {
    const platform = await Platform.deploy({ LOG_REQUESTS: 'on', NODE_PURGE_TTL: '0' })
    await writeNodes(platform, 20_000, NOON)
    const old = NOON - 20 * DAY
    await platform.submit(reportAt('web1', old, failedEvents(5)))
    await platform.submit(reportAt('web1', NOON))
    const idle = (await tick(platform, NOON)).sent
    await platform.submit(reportAt('web2', old - HOUR, failedEvents(5)))
    await platform.submit(reportAt('web2', NOON))
    await copyReports(platform, 'web2', { count: 3999, step: 200, causes: 1 })
    const { sent, reports } = await tick(platform, NOON + HOUR)
    expect(reports).toBe(4000)
    const anHour = 1_000_000 / 24
    const statements = idle.statements + ((sent.statements - idle.statements) * anHour) / 4000
    const batches = idle.batches + ((sent.batches - idle.batches) * anHour) / 4000
    expect(statements).toBeLessThan(500)
    // At 200 ms each, as a trigger may run far from the database, this is 15 s.
    expect(batches).toBeLessThan(75)
  })
})
