/** Forty days of a fleet with kills, late reports, a full bucket and a restore: nothing is lost, and nothing is there twice. */

import { env } from 'cloudflare:workers'
import { afterAll, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { randomOf } from '../../tools/fleet/random.ts'
import { ask, store, type Answer } from './client.ts'
import { wholeRows } from './history-days.ts'
import { archivedReports, bucket } from './history-files.ts'
import { copyDatabase, dropCopy, fullBucket, killedAt, restoreDatabase } from './history-faults.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)
afterAll(dropCopy)

const MIDNIGHT = NOON - 12 * HOUR
const DAYS = 40
const NODES = ['db1', 'db2', 'web1', 'web2']
const FULL_DAYS = [12, 13, 14, 15]
const COPIED_DAY = 20
const RESTORED_DAY = 24
/** `web2` is silent from here on, and so expires and is purged. */
const SILENT_DAY = 8
const SETTINGS = { REPORT_TTL: '10d', RESOURCE_EVENTS_TTL: '6d', NODE_PURGE_TTL: '3d' }

const iso = (time: number): string => new Date(time).toISOString()
let runs = 0
/** A run, and every third with two events. */
const run = (certname: string, time: number): Payload =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    configuration_version: `run ${++runs}`,
    resources: runs % 3 === 0 ? [resource({ events: [event(), event({ property: 'mode' })] })] : [],
  })

const tick = async (now: number, bindings: object): Promise<void> => {
  const controller = { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined }
  await worker.scheduled(controller, { ...env, ...SETTINGS, ...bindings })
}

const storedHashes = async (): Promise<string[]> => {
  const rows: Answer[] = await ask('/query/v4/reports', {
    query: ['extract', 'hash', ['=', 'type', 'agent']],
  })
  return rows.map(({ hash }) => hash)
}
const archivedHashes = async (): Promise<string[]> =>
  (await wholeRows('reports')).map(({ hash }) => String(hash))

it('has every report once after each step', async () => {
  const random = randomOf(19)
  /** Reports by hash, with the number of events they were sent with. */
  const expected = new Map<string, number>()
  let copied: Map<string, number> | null = null
  let kills = 0

  const send = async (payload: Payload): Promise<void> => {
    await store(payload)
    const [row]: Answer[] = await ask('/query/v4/reports', {
      query: ['=', 'configuration_version', payload['configuration_version']],
    })
    const events = (payload['resources'] as Payload[]).length * 2
    expected.set(row.hash, events)
  }
  const check = async (step: string): Promise<void> => {
    const archived = await archivedHashes()
    expect(new Set(archived).size, `${step}: no report is archived twice`).toBe(archived.length)
    const union = new Set([...archived, ...(await storedHashes())])
    expect([...union].toSorted(), `${step}: the union is complete`).toEqual(
      [...expected.keys()].toSorted(),
    )
  }

  for (let day = 0; day < DAYS; day++) {
    const midnight = MIDNIGHT + day * DAY
    for (const certname of NODES) {
      if (certname === 'web2' && day >= SILENT_DAY) continue
      for (let hour = 0; hour < 24; hour += 12)
        await send(run(certname, midnight + hour * HOUR + random.whole(0, HOUR)))
    }
    // Late ones, some for days that are archived or deleted.
    const late = random.whole(1, 16)
    if (random.chance(0.6) && late <= day)
      await send(run('db1', midnight - late * DAY + random.whole(0, DAY - 1)))

    const isFull = FULL_DAYS.includes(day)
    for (let hour = 0; hour < 24; hour += 6) {
      const now = midnight + DAY + hour * HOUR
      if (random.chance(0.5)) {
        const bindings = killedAt(random.whole(1, 60))
        await tick(now, bindings).catch(() => undefined)
        if (bindings.died()) kills++
        // Its lease runs out.
        await env.DB.exec('delete from leases')
        await check(`day ${day}, ${hour} h, killed`)
      }
      await tick(now, { HISTORY: isFull ? fullBucket() : bucket })
    }
    await check(`day ${day}`)
    if (day === COPIED_DAY) {
      await copyDatabase()
      copied = new Map(expected)
    }
    if (day === RESTORED_DAY) {
      await restoreDatabase()
      // What arrived since is gone, except what the history has.
      const archived = new Set(await archivedHashes())
      for (const hash of expected.keys())
        if (!copied!.has(hash) && !archived.has(hash)) expected.delete(hash)
      await check('restored')
    }
  }

  expect(kills).toBeGreaterThan(20)
  const archived = await archivedReports()
  for (const { hash, resource_events: events } of archived)
    expect(events.data?.length ?? 0, `events of ${hash}`).toBe(expected.get(hash))
  const stored = await storedHashes()
  expect(stored.length, 'retention went on').toBeLessThan(archived.length)
  expect(archived.length).toBeGreaterThan(200)
})
