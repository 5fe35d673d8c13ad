/** What a stored report costs: D1 bills rows written, and each round trip is time. A change here is a change of the price list. */

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { costOf, submit } from './client.ts'
import { around } from './database.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

/** Submits a report, usually 20 s after its time. */
async function costOfSubmitting(payload: Payload, database?: D1Database, after = 20_000) {
  vi.setSystemTime(Date.parse(String(payload['producer_timestamp'])) + after)
  const response = await submit(payload, {}, database)
  const { duplicate = false } = await response.json<{ duplicate?: boolean }>()
  const { roundTrips, statements, rowsWritten } = costOf(response)
  return { roundTrips, statements, rowsWritten, duplicate }
}

/** What the database costs an isolate that remembers nothing: another binding to the same database. */
const coldIsolate = (): D1Database => around((send) => send())

/** Half past noon, so that the reports are of one hour. */
const HALF_PAST = 1_800_000

const timesAt = (milliseconds: number): Payload => ({
  start_time: at(milliseconds - 10_000),
  end_time: at(milliseconds - 500),
  producer_timestamp: at(milliseconds),
})
const run = (seconds: number, parts: Payload = {}): Payload =>
  report({ certname: 'known', ...timesAt(HALF_PAST + seconds * 1000), ...parts })

/** Ten events on as many subjects, of which there are a hundred names. */
const tenEvents = (from: number): Payload => ({
  status: 'changed',
  resources: Array.from({ length: 10 }, (_, index) =>
    resource({ resource_title: `/etc/file-${from + index}`, events: [event()] }),
  ),
})

/** A run in which events of known things failed for one reason. */
const failed = (events: number, message: string): Payload => ({
  status: 'failed',
  resources: Array.from({ length: events }, (_, index) =>
    resource({
      resource_title: `/etc/file-${index}`,
      events: [event({ status: 'failure', message })],
    }),
  ),
})

const ERROR = { level: 'err', source: 'Puppet', tags: ['err'], time: at(0), file: null, line: null }

/** The last statement of each trip reads the database's generation; new names draw another one, which is a row. */
const ONE_TRIP = { roundTrips: 1, duplicate: false }

describe.sequential('a report costs', () => {
  it.each<[what: string, payload: Payload, cost: Payload]>([
    [
      'the first of all: a generation, also two for each of five words, two for its list of metrics, three for its node, one for the hour',
      run(0),
      { ...ONE_TRIP, statements: 8, rowsWritten: 22 },
    ],
    [
      'an unchanged run: report, its three indexes, the node',
      run(1),
      { ...ONE_TRIP, statements: 4, rowsWritten: 5 },
    ],
    [
      'a run with ten events about things unheard of: also two for each of them and of five words',
      run(2, tenEvents(0)),
      { ...ONE_TRIP, statements: 8, rowsWritten: 46 },
    ],
    [
      'a run with ten events about known things: a row each',
      run(3, tenEvents(0)),
      { ...ONE_TRIP, statements: 5, rowsWritten: 15 },
    ],
    [
      'a duplicate: nothing',
      run(3),
      { roundTrips: 1, duplicate: true, statements: 4, rowsWritten: 0 },
    ],
    [
      'a duplicate with other events, all unheard of: only what they are about',
      run(3, tenEvents(50)),
      { roundTrips: 1, duplicate: true, statements: 7, rowsWritten: 21 },
    ],
    [
      'one older than the latest: the node stays, but for its last runs',
      run(-1),
      { ...ONE_TRIP, statements: 4, rowsWritten: 5 },
    ],
    [
      'that one again: nothing',
      run(-1),
      { roundTrips: 1, duplicate: true, statements: 4, rowsWritten: 0 },
    ],
    [
      'a failed run: an index entry each of report and node and, for each cause, two rows more; two for a reason unheard of, and for each of two words',
      run(6, failed(2, 'a ticket')),
      { ...ONE_TRIP, statements: 9, rowsWritten: 18 },
    ],
    [
      'one that failed for a known reason, twice: its events, one cause',
      run(7, failed(2, 'a ticket')),
      { ...ONE_TRIP, statements: 7, rowsWritten: 11 },
    ],
    [
      'one that failed by its log alone',
      run(8, { status: 'unchanged', logs: [{ ...ERROR, message: 'a ticket' }] }),
      { ...ONE_TRIP, statements: 6, rowsWritten: 9 },
    ],
    [
      'one that would change something: an index entry more',
      run(9, { noop_pending: true, noop: true }),
      { ...ONE_TRIP, statements: 4, rowsWritten: 6 },
    ],
    [
      'the first of a version of the code: a row more',
      run(10, { configuration_version: 'production-3f2c1ab' }),
      { ...ONE_TRIP, statements: 6, rowsWritten: 7 },
    ],
    [
      'a second one of it',
      run(11, { configuration_version: 'production-3f2c1ab' }),
      { ...ONE_TRIP, statements: 4, rowsWritten: 5 },
    ],
    [
      'a plan: the node stays',
      run(4, { type: 'plan' }),
      { ...ONE_TRIP, statements: 4, rowsWritten: 4 },
    ],
    ['the first of its hour: the hour', run(1800), { ...ONE_TRIP, statements: 4, rowsWritten: 6 }],
    [
      'one of an agent whose clock strays: two index entries more',
      run(1801, { start_time: at(0) }),
      { ...ONE_TRIP, statements: 4, rowsWritten: 7 },
    ],
    [
      'the first of another node: also its row, its index, and the last id drawn',
      run(5, { certname: 'new' }),
      { ...ONE_TRIP, statements: 6, rowsWritten: 9 },
    ],
  ])('%s', async (_, payload, cost) => {
    expect(await costOfSubmitting(payload)).toEqual(cost)
  })

  it.each<[what: string, command: string, version: number, parts: Payload, cost: Payload]>([
    ['facts', 'replace facts', 5, {}, { roundTrips: 1, statements: 5, rowsWritten: 1 }],
    [
      'facts that are older',
      'replace facts',
      5,
      { producer_timestamp: at(-1000) },
      { roundTrips: 1, statements: 5, rowsWritten: 0 },
    ],
    ['a catalog', 'replace catalog', 9, {}, { roundTrips: 1, statements: 5, rowsWritten: 1 }],
    [
      'another command',
      'replace catalog inputs',
      1,
      {},
      { roundTrips: 1, statements: 2, rowsWritten: 1 },
    ],
  ])('and %s: the row of the node', async (_, command, version, parts, cost) => {
    const payload = {
      certname: 'known',
      environment: 'production',
      producer_timestamp: at(0),
      ...parts,
    }
    const response = await submit(payload, { command, version })
    expect(costOf(response)).toMatchObject(cost)
  })

  it('two index entries more where it comes late', async () => {
    expect(await costOfSubmitting(run(1803), env.DB, 31_000)).toEqual({
      ...ONE_TRIP,
      statements: 4,
      rowsWritten: 7,
    })
  })

  it('the same rows in an isolate that knows nothing, and a few more statements', async () => {
    expect(await costOfSubmitting(run(1802), coldIsolate())).toEqual({
      ...ONE_TRIP,
      statements: 8,
      rowsWritten: 5,
    })
  })
})

describe('and its end', () => {
  const FLEET = 50
  /** A day of its own, so that no other report is of the age. */
  const DAY = 24 * 3_600_000
  const old = (n: number, parts: Payload = {}): Payload =>
    report({ certname: `old-${n % 2}`, ...timesAt(DAY + n * 1000), ...parts })

  async function rowsOf(settings: Payload, days: number): Promise<number> {
    const log = vi.spyOn(console, 'info').mockImplementation(() => undefined)
    const scheduledTime = NOON + days * DAY
    const controller = { scheduledTime, cron: '', noRetry: () => undefined }
    await worker.scheduled(controller, {
      ...env,
      LOG_REQUESTS: 'on',
      NODE_TTL: '0',
      ...settings,
    } as typeof env)
    const line = JSON.parse(String(log.mock.lastCall?.[0] ?? '{"rowsWritten":0}'))
    log.mockRestore()
    return line.rowsWritten
  }

  it('costs a row, and one for each of its events: six in its life for an unchanged run', async () => {
    for (let n = 0; n < FLEET; n++) await costOfSubmitting(old(n))
    for (let n = 0; n < 5; n++) await costOfSubmitting(old(FLEET + n, tenEvents(0)))
    // The latest of both nodes stay.
    for (let n = 0; n < 2; n++) await costOfSubmitting(old(FLEET + 5 + n))
    // The reports of the day before go.
    await rowsOf({}, 14.5)
    // A run takes and gives back the lease, and notes where it has come to.
    const idle = 3
    expect(await rowsOf({}, 14.8)).toBe(idle)
    // The numbers of the hour, one for each status; and that two were passed over.
    const hour = 2
    const spared = 2
    // The day's row goes, and comes again with what is left.
    const day = 2
    // So do the marks of the hour whose failures and drift, and whose breakages are counted, and up to where all are.
    const marks = 6
    // The numbers of the day's deleted runs, whatever these were.
    const kept = 1
    expect(await rowsOf({}, 16)).toBe(
      idle + hour + day + marks + spared + kept + FLEET + 5 * (1 + 10),
    )
  })

  it('costs a row more for each cause of a failure', async () => {
    const RUNS = 10
    const rows: number[] = []
    const twoEvents = Array.from({ length: 2 }, (_, index) =>
      resource({ resource_title: `/etc/file-${index}`, events: [event()] }),
    )
    const kinds = [{ status: 'changed', resources: twoEvents }, failed(2, 'a ticket')]
    for (const [index, parts] of kinds.entries()) {
      const day = 40 + 40 * index
      const of = (n: number): Payload => timesAt(day * DAY + n * 1000)
      for (let n = 0; n < RUNS; n++)
        await costOfSubmitting(report({ certname: 'failing', ...of(n), ...parts }))
      // The latest stays.
      await costOfSubmitting(report({ certname: 'failing', ...of(RUNS) }))
      await rowsOf({}, day + 13.5)
      rows.push(await rowsOf({}, day + 15))
    }
    // And the hour's counts by cause and by class, and when the cause was last seen, whatever the number of runs.
    const groups = 2
    const sighting = 1
    // The first deleted run of a cause and day is noted in an index too.
    const kept = 2
    expect(rows[1]! - rows[0]!).toBe(RUNS + groups + sighting + kept)
  })
})
