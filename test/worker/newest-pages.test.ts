/** The newest page by any time costs a bounded number of rows, however many reports there are and however their clocks stray. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { costOf, parametersOf, request, store } from './client.ts'
import { at, NOON, report } from './reports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NODES = 24
/** Runs of each node, half an hour apart: some before the first measurement, some between the two. */
const RUNS = 6

const certname = (node: number): string => `node-${String(node).padStart(2, '0')}`

/** What is wrong with some nodes: by how much their clock is off, or how late their reports come. */
const CLOCKS: Readonly<Record<number, { off?: number; late?: number }>> = {
  3: { off: -5 * HOUR },
  7: { off: 3 * HOUR },
  11: { late: 4 * HOUR },
}

/** Runs that began so long ago are stored, in the order in which they came. */
async function run(numbers: readonly number[]): Promise<void> {
  const arrivals = numbers.flatMap((number) =>
    Array.from({ length: NODES }, (_, node) => {
      const { off = 0, late = 0 } = CLOCKS[node] ?? {}
      const produced = (number * NODES + node) * 75_000
      const took = 20_000 + ((node * 7919) % 30_000)
      const payload = report({
        certname: certname(node),
        producer_timestamp: at(produced),
        start_time: at(produced - 500 - took + off),
        end_time: at(produced - 500 + off),
        status: 'unchanged',
        resources: [],
      })
      return { payload, received: NOON + produced + 400 + late }
    }),
  )
  arrivals.sort((one, other) => one.received - other.received)
  for (const { payload, received } of arrivals) {
    vi.setSystemTime(received)
    await store(payload)
  }
  vi.useRealTimers()
}

const BRIEF = ['extract', ['hash', 'certname', 'status', 'start_time']]
const of = (...names: string[]) => ['in', 'certname', ['array', names]]

/** What pages are of, and how many rows may be read for each row of theirs, sorting and looking names up included. */
const PAGES: readonly [
  what: string,
  filter: readonly unknown[] | null,
  limit: number,
  most: number,
][] = [
  ['all nodes', null, 20, 10],
  ['a node', ['=', 'certname', certname(5)], 5, 8],
  ['a node whose clock is late', ['=', 'certname', certname(3)], 5, 12],
  ['a node whose clock is early', ['=', 'certname', certname(7)], 5, 12],
  ['a node whose reports come late', ['=', 'certname', certname(11)], 5, 11],
  ['some nodes', of(certname(1), certname(2), certname(4)), 10, 18],
  ['nodes like a pattern', ['~', 'certname', '^node-0[0-4]'], 10, 19],
]
const TIMES = ['start_time', 'end_time', 'receive_time', 'producer_timestamp']
const CASES = TIMES.flatMap((field) => PAGES.map((page) => [field, ...page] as const))

async function rowsRead(field: string, filter: unknown, limit: number): Promise<number> {
  const parameters = {
    query: filter ? [...BRIEF, filter] : BRIEF,
    order_by: [{ field, order: 'desc' }],
    limit,
  }
  const response = await request(`/query/v4/reports?${parametersOf(parameters)}`)
  expect(await response.json()).toHaveLength(limit)
  // One row is the database's generation.
  return costOf(response).rowsRead - 1
}

describe('the newest page', () => {
  const before = new Map<string, number>()
  beforeAll(async () => {
    await run(Array.from({ length: RUNS }, (_, number) => number))
    // An isolate reads the texts for patterns once; what is counted here is what each page costs afterwards.
    await request('/query/v4/nodes?query=["~","certname","x"]')
  })

  it.each(CASES)('by %s of %s reads few rows', async (field, what, filter, limit, most) => {
    const read = await rowsRead(field, filter, limit)
    before.set(`${field} ${what}`, read)
    expect(read / limit).toBeLessThanOrEqual(most)
  })

  it('reads as few when there are three times as many reports', async () => {
    await run(Array.from({ length: 2 * RUNS }, (_, number) => RUNS + number))
    for (const [field, what, filter, limit] of CASES) {
      const [then, now] = [before.get(`${field} ${what}`)!, await rowsRead(field, filter, limit)]
      expect(now / then, `${then} -> ${now} by ${field} of ${what}`).toBeLessThan(1.35)
    }
  })
})

describe('a page of a short span that has fewer rows than the page', () => {
  const LENGTH = 30 * MINUTE
  /** The newest half hour, and one in the middle. Of the reports, 432 in nine hours, some 24 are in it. */
  const NEWEST = NOON + 3 * RUNS * NODES * 75_000
  const SPANS: readonly (readonly [since: number, until: number | null])[] = [
    [NEWEST - LENGTH, null],
    [NOON + 3 * HOUR, NOON + 3 * HOUR + LENGTH],
  ]
  const CASES = ['start_time', 'end_time', 'receive_time'].flatMap((field) =>
    SPANS.flatMap((span) =>
      (['asc', 'desc'] as const).map((order) => [field, order, ...span] as const),
    ),
  )

  it.each(CASES)('by %s %s from %j until %j reads the span', async (field, order, since, until) => {
    const all = await request(
      `/query/v4/reports?${parametersOf({ query: ['extract', ['hash', field]] })}`,
    )
    const rows: Record<string, string>[] = await all.json()
    const isMeant = (row: Record<string, string>): boolean =>
      Date.parse(row[field]!) >= since && (until === null || Date.parse(row[field]!) < until)
    const filter = [
      'and',
      ['>=', field, new Date(since).toISOString()],
      ...(until === null ? [] : [['<', field, new Date(until).toISOString()]]),
    ]
    const query = ['extract', ['hash', field], filter]
    const parameters = { query, order_by: [{ field, order }], limit: 200 }
    const response = await request(`/query/v4/reports?${parametersOf(parameters)}`)
    const found: Record<string, string>[] = await response.json()
    const sorted = rows
      .filter(isMeant)
      .map((row) => row[field]!)
      .sort()
    expect(found.map((row) => row[field])).toEqual(order === 'asc' ? sorted : sorted.reverse())
    expect(sorted.length).toBeGreaterThan(12)
    expect(costOf(response).rowsRead).toBeLessThan(340)
  })
})

describe('reports since a time, in no order of it', () => {
  const SINCE = NOON + 3 * RUNS * NODES * 75_000 - 30 * MINUTE

  it.each([
    ['start_time', { limit: 1000 }],
    ['start_time', { limit: 10 }],
    ['receive_time', { limit: 1000 }],
    ['receive_time', { limit: 200 }],
  ])('by %s with %j are found without reading history', async (field, page) => {
    const brief = ['extract', ['hash', field]]
    const all = await request(`/query/v4/reports?${parametersOf({ query: brief })}`)
    const rows: Record<string, string>[] = await all.json()
    const meant = rows.filter((row) => Date.parse(row[field]!) > SINCE)
    const query = [...brief, ['>', field, new Date(SINCE).toISOString()]]
    const response = await request(`/query/v4/reports?${parametersOf({ query, ...page })}`)
    expect(await response.json()).toEqual(meant.slice(0, page.limit))
    expect(meant.length).toBeGreaterThan(12)
    expect(costOf(response).rowsRead).toBeLessThan(300)
  })
})
