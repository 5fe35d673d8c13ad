/** Orders and counts by time are right for agents whose clocks stray, before and after hours have been counted. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import worker from '../../worker/index.ts'
import { ask, parametersOf, request, store, type Answer } from './client.ts'
import { report, type Payload } from './reports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.now()
const BEGAN = NOW - 7 * HOUR

/** How far an agent's clock is off, for some of the reports: most are right, some a little, few wildly. */
const STRAYING = [
  0,
  0,
  0,
  0,
  3 * HOUR,
  0,
  0,
  -9 * HOUR,
  0,
  20 * MINUTE,
  0,
  4000 * HOUR,
  -4000 * HOUR,
]

const time = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** 90 reports of five nodes, from seven hours ago until now, in no order. */
const PAYLOADS: Payload[] = Array.from({ length: 90 }, (_, number) => {
  const index = (number * 37) % 90
  const produced = BEGAN + index * 5 * MINUTE
  const off = STRAYING[index % STRAYING.length]!
  const took = index % 7 === 0 ? 15 * MINUTE : 1000 * (index % 40)
  return report({
    certname: `node-${index % 5}`,
    producer_timestamp: time(Math.min(produced, NOW)),
    start_time: time(produced - took - 500 + off),
    // A clock that was set back during the run.
    end_time: time(produced - 500 + (index % 17 === 0 ? -5 * HOUR : off)),
    status: ['unchanged', 'changed', 'failed', null][index % 4],
    environment: ['production', 'staging'][index % 2],
    noop: [true, false, null][index % 3],
    noop_pending: index % 6 === 0 ? null : index % 3 === 1,
    transaction_uuid: null,
    configuration_version: String(index),
  })
})

const BRIEF = [
  'hash',
  'certname',
  'status',
  'environment',
  'noop',
  'noop_pending',
  'start_time',
  'end_time',
  'producer_timestamp',
  'receive_time',
]
let all: Answer[] = []

beforeAll(async () => {
  await store(...PAYLOADS)
  all = await ask('/query/v4/reports', { query: ['extract', BRIEF] })
})

const closeHours = (now: number): unknown =>
  worker.scheduled({ scheduledTime: now, cron: '', noRetry() {} }, env)

const TIMES = ['start_time', 'end_time', 'receive_time', 'producer_timestamp']
const FILTERS: [string, unknown[] | null, (row: Answer) => boolean][] = [
  ['all reports', null, () => true],
  ['failed ones', ['=', 'status', 'failed'], (row) => row.status === 'failed'],
  ['those of a node', ['=', 'certname', 'node-3'], (row) => row.certname === 'node-3'],
  ['none', ['=', 'status', 'nothing'], () => false],
  ['those of an empty list', ['in', 'job_id', ['array', []]], () => false],
  ['those of a pattern that nothing matches', ['~', 'certname', 'nobody'], () => false],
  [
    'those of some nodes or none',
    ['in', 'certname', ['array', ['node-1', 'nobody', 'node-4']]],
    (row) => ['node-1', 'node-4'].includes(row.certname),
  ],
  [
    'those of nodes like a pattern that changed something',
    ['and', ['~', 'certname', '[24]$'], ['=', 'status', 'changed']],
    (row) => ['node-2', 'node-4'].includes(row.certname) && row.status === 'changed',
  ],
]

describe.each(TIMES)('in the order of %s', (field) => {
  it.each(FILTERS)('%s come in the right order on every page', async (_, filter, meets) => {
    for (const order of ['asc', 'desc']) {
      const sign = order === 'asc' ? 1 : -1
      const wanted = all
        .filter(meets)
        .sort(
          (one, other) =>
            sign * (Date.parse(one[field]) - Date.parse(other[field])) ||
            (one.hash < other.hash ? -1 : 1),
        )
        .map(({ hash }) => hash)
      for (const [limit, offset] of [
        [1, 0],
        [7, 0],
        [10, 5],
        [200, 0],
        [3, 88],
      ] as const) {
        const rows = await ask('/query/v4/reports', {
          query: filter ? ['extract', 'hash', filter] : ['extract', 'hash'],
          order_by: [{ field, order }, { field: 'hash' }],
          limit,
          offset,
        })
        expect(rows.map(({ hash }: Answer) => hash)).toEqual(wanted.slice(offset, offset + limit))
      }
    }
  })
})

/** Counts by hours must say what the rows themselves say. */
const COUNTED: [string, unknown[] | null, (row: Answer) => boolean][] = [
  ['everything', null, () => true],
  [
    'a status or null, not of one environment',
    [
      'and',
      ['or', ['=', 'status', 'changed'], ['null?', 'status', true]],
      ['not', ['=', 'environment', 'staging']],
    ],
    (row) => (row.status === 'changed' || row.status === null) && row.environment !== 'staging',
  ],
  ['a pattern', ['~', 'environment', '^prod'], (row) => row.environment === 'production'],
  ...TIMES.flatMap((field) =>
    [BEGAN + 2.5 * HOUR, BEGAN + 3 * HOUR - ((BEGAN + 3 * HOUR) % HOUR)].flatMap(
      (from): [string, unknown[], (row: Answer) => boolean][] => [
        [
          `${field} from ${time(from)}`,
          ['>=', field, time(from)],
          (row) => Date.parse(row[field]) >= from,
        ],
        [
          `${field} until ${time(from)}`,
          ['<', field, time(from)],
          (row) => Date.parse(row[field]) < from,
        ],
        [
          `${field} in a range from ${time(from)}, of noop runs`,
          [
            'and',
            ['>', field, time(from)],
            ['<=', field, time(from + 2.2 * HOUR)],
            ['=', 'noop', true],
          ],
          (row) =>
            Date.parse(row[field]) > from &&
            Date.parse(row[field]) <= from + 2.2 * HOUR &&
            row.noop === true,
        ],
      ],
    ),
  ),
  [
    'ranges of two times',
    ['and', ['>', 'start_time', time(BEGAN)], ['<', 'producer_timestamp', time(NOW - 2 * HOUR)]],
    (row) =>
      Date.parse(row.start_time) > BEGAN && Date.parse(row.producer_timestamp) < NOW - 2 * HOUR,
  ],
]

async function expectCounts(): Promise<void> {
  for (const [name, filter, meets] of COUNTED) {
    const rows = all.filter(meets)
    const wanted = new Map<string, number>()
    for (const { status } of rows) wanted.set(String(status), (wanted.get(String(status)) ?? 0) + 1)
    const count = ['extract', ['status', ['function', 'count'], ['function', 'count', 'status']]]
    const groups = await ask('/query/v4/reports', {
      query: [...count, ...(filter ? [filter] : []), ['group_by', 'status']],
    })
    const found = new Map(groups.map((row: Answer) => [String(row.status), row.count]))
    expect(found, name).toEqual(wanted)
    for (const row of groups) expect(row.count_2, name).toBe(row.status === null ? 0 : row.count)
    const parameters = parametersOf({
      limit: '1',
      include_total: 'true',
      ...(filter ? { query: filter } : {}),
    })
    const page = await request(`/query/v4/reports?${parameters}`)
    expect(page.headers.get('x-records'), name).toBe(String(rows.length))
    await page.text()
  }
}

const openHours = (): Promise<number | null> =>
  env.DB.prepare('SELECT count(*) AS n FROM open_hours').first<number>('n')

describe('counts', () => {
  it('are right while every hour is open', async () => {
    expect(await openHours()).toBeGreaterThan(6)
    await expectCounts()
  })

  it('are right when hours have been counted', async () => {
    await closeHours(NOW)
    expect(await openHours()).toBeLessThan(3)
    await expectCounts()
  })

  it('are right when a late report has opened its hour again', async () => {
    const late = report({
      certname: 'late',
      producer_timestamp: time(BEGAN + HOUR),
      status: 'failed',
    })
    await store(late, late)
    all = await ask('/query/v4/reports', { query: ['extract', BRIEF] })
    await expectCounts()
  })

  it('are right when that hour has been counted again', async () => {
    await closeHours(NOW)
    await expectCounts()
  })

  /** A report on the hour belongs to the hour that begins: `>` leaves it out, `>=` and `<=` count it, `<` does not. */
  it.each(['open', 'closed'] as const)(
    'tell a report on the very hour, while it is %s',
    async (hours) => {
      const hour = Math.floor(BEGAN / HOUR) * HOUR - 7 * HOUR
      // Its clock is right: a skewed report is never counted by its hour.
      await store(
        report({
          certname: `on-the-hour-${hours}`,
          start_time: time(hour - 20_000),
          end_time: time(hour),
          producer_timestamp: time(hour),
        }),
      )
      if (hours === 'closed') await closeHours(NOW)
      const around = [
        ['>', 'producer_timestamp', time(hour - 3 * HOUR)],
        ['<', 'producer_timestamp', time(hour + 3 * HOUR)],
      ]
      const stored = hours === 'open' ? 1 : 2
      for (const [operator, count] of [
        ['>', 0],
        ['>=', stored],
        ['<', 0],
        ['<=', stored],
        ['=', stored],
      ] as const) {
        const query = [
          'extract',
          [['function', 'count']],
          ['and', [operator, 'producer_timestamp', time(hour)], ...around],
        ]
        expect(await ask('/query/v4/reports', { query }), operator).toEqual([{ count }])
      }
    },
  )

  it('read no report of a closed hour', async () => {
    await closeHours(NOW + 3 * HOUR)
    expect(await openHours()).toBe(0)
    const query = ['extract', [['function', 'count'], 'status'], ['group_by', 'status']]
    const [{ 'query plan': plan }] = await ask('/query/v4/reports', { query, explain: 'analyze' })
    expect(plan).toContain('SEARCH c USING PRIMARY KEY (hour>? AND hour<?)')
    const reads = plan.filter((line: string) => line.includes(' reports '))
    expect(reads).toEqual(['SEARCH reports USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'])
  })
})
