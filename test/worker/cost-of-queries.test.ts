/** What the commonest queries cost: an index that stops being used, or a second round trip, fails here. */

import { env } from 'cloudflare:workers'
import { createScheduledController } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { ask, costOf, parametersOf, request, store } from './client.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

const NODES = 16
const RUNS = 7

const certname = (node: number): string => `node-${String(node).padStart(2, '0')}`

/** Every fourth run has an event, every eighth one that failed. */
function runOf(node: number, run: number): Payload {
  const number = node * RUNS + run
  const failed = number % 8 === 1
  const time = run * 1_800_000 + node * 1000
  return report({
    certname: certname(node),
    start_time: at(time - 10_000),
    end_time: at(time - 500),
    producer_timestamp: at(time),
    status: failed ? 'failed' : number % 4 === 1 ? 'changed' : 'unchanged',
    resources:
      number % 4 === 1
        ? [resource({ events: [event({ status: failed ? 'failure' : 'success' })] })]
        : [],
  })
}

let hash = ''

beforeAll(async () => {
  for (let run = 0; run < RUNS; run++) {
    // Each arrives while it is fresh, as nearly all do.
    vi.setSystemTime(NOON + run * 1_800_000 + 20_000)
    for (let node = 0; node < NODES; node++) await store(runOf(node, run))
  }
  // What the hourly trigger does: counts the hours that are over. The last is not yet.
  const scheduledTime = new Date(NOON + (RUNS + 1) * 1_800_000)
  await worker.scheduled(createScheduledController({ scheduledTime }), env)
  vi.useRealTimers()
  const query = ['and', ['=', 'certname', certname(0)], ['=', 'status', 'failed']]
  const [failed]: { hash: string }[] = await ask('/query/v4/reports', {
    query: ['extract', 'hash', query],
  })
  hash = failed!.hash
  // Words, and texts for patterns, are read once by an isolate; what is counted here is what each query costs it afterwards.
  await ask('/query/v4/reports', { limit: 1 })
  await ask('/query/v4/nodes', { query: ['~', 'certname', 'node[x]'] })
})

const LATEST = ['=', 'latest_report?', true]
interface Case {
  readonly path: string
  readonly parameters?: Payload
  /** SQLite's plan of the rows; none for what is no query. */
  readonly plan?: readonly string[]
  readonly rows: number
  /** At most so many rows are read, which is what D1 bills. */
  readonly rowsRead: number
  readonly statements: number
  /** More than one where the answer has several pages: whether MAX_QUERIES is enough for them is counted first. */
  readonly roundTrips?: number
}

/** How many characters the long values of an event have. */
const SIZE_OF_EVENT = [
  'CORRELATED SCALAR SUBQUERY 2',
  'SEARCH long_values USING PRIMARY KEY (report=? AND n=?)',
]
const NAME_OF_NODE = [
  'CORRELATED SCALAR SUBQUERY 1',
  'SEARCH target USING INTEGER PRIMARY KEY (rowid=?)',
]
const A_WORD = 'SEARCH target USING COVERING INDEX strings_value (kind=? AND value=?)'

/** Hours that are over have been counted, and days as a whole; reports are read of those only that are not. */
const COUNTED_HOURS = [
  'CO-ROUTINE reports',
  'COMPOUND QUERY',
  'LEFT-MOST SUBQUERY',
  'CO-ROUTINE c',
  'COMPOUND QUERY',
  'LEFT-MOST SUBQUERY',
  'MATERIALIZE gaps',
  'COMPOUND QUERY',
  'LEFT-MOST SUBQUERY',
  'SCAN CONSTANT ROW',
  'SCALAR SUBQUERY 2',
  'SEARCH n USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'LIST SUBQUERY 1',
  'SCAN open_hours',
  'UNION ALL',
  'SEARCH d USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'LIST SUBQUERY 6',
  'SCAN open_hours',
  'CORRELATED SCALAR SUBQUERY 8',
  'SEARCH n USING INTEGER PRIMARY KEY (rowid=?)',
  'LIST SUBQUERY 7',
  'SCAN open_hours',
  'CORRELATED SCALAR SUBQUERY 5',
  'SEARCH n USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'LIST SUBQUERY 4',
  'SCAN open_hours',
  'SCAN gaps',
  'SEARCH c USING PRIMARY KEY (hour>? AND hour<?)',
  'USING ROWID SEARCH ON TABLE open_hours FOR IN-OPERATOR',
  'UNION ALL',
  'SEARCH d USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'LIST SUBQUERY 12',
  'SCAN open_hours',
  'SCAN g VIRTUAL TABLE INDEX 1:',
  'UNION ALL',
  'SEARCH o USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'SEARCH so_far USING PRIMARY KEY (kind=? AND hour=? AND environment=? AND part=?)',
  'SCAN g VIRTUAL TABLE INDEX 1:',
  'SCAN c',
  'UNION ALL',
  'SEARCH o USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'SEARCH so_far USING PRIMARY KEY (kind=? AND hour=? AND environment=? AND part=?) LEFT-JOIN',
  'SEARCH reports USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  'SCAN reports',
]

const cases: Record<string, () => Case> = {
  'the latest 100 whole reports': () => ({
    path: '/reports',
    parameters: { query: LATEST, limit: 100 },
    plan: [
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 2',
      'SCAN nodes',
      ...NAME_OF_NODE,
    ],
    rows: NODES,
    rowsRead: 10 * NODES,
    statements: 2,
  }),
  'all whole reports, of which the first page and their number are read before the answer begins':
    () => ({
      path: '/reports',
      rows: NODES * RUNS,
      // Five for each report of the page, and one for each that is counted.
      rowsRead: 5 * 100 + NODES * RUNS,
      statements: 3,
      roundTrips: 2,
    }),
  'the newest 3 whole reports of a node': () => ({
    path: '/reports',
    parameters: { query: ['=', 'certname', certname(3)], limit: 3 },
    plan: [
      'SEARCH reports USING INDEX reports_node (node=?)',
      'SCALAR SUBQUERY 2',
      'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
      ...NAME_OF_NODE,
    ],
    rows: 3,
    rowsRead: 20,
    statements: 2,
  }),
  'one report by its hash': () => ({
    path: '/reports',
    parameters: { query: ['=', 'hash', hash] },
    plan: ['SEARCH reports USING INDEX reports_hash (<expr>=?)', ...NAME_OF_NODE],
    rows: 1,
    rowsRead: 9,
    statements: 2,
  }),
  'the events of a report': () => ({
    path: `/reports/${hash}/events`,
    plan: [
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'SCALAR SUBQUERY 3',
      'SEARCH target USING INDEX reports_hash (<expr>=?)',
      'REUSE SUBQUERY 3',
      'SEARCH events USING PRIMARY KEY (report=?)',
      'SEARCH resources USING INTEGER PRIMARY KEY (rowid=?)',
      ...NAME_OF_NODE,
      ...SIZE_OF_EVENT,
    ],
    rows: 1,
    rowsRead: 6,
    statements: 1,
  }),
  'the metrics of a report': () => ({
    path: `/reports/${hash}/metrics`,
    rows: 1,
    rowsRead: 3,
    statements: 1,
  }),
  'the failed events of the latest reports': () => ({
    path: '/events',
    parameters: { query: ['and', ['=', 'status', 'failure'], LATEST] },
    plan: [
      'SEARCH events USING PRIMARY KEY (report=?)',
      'LIST SUBQUERY 4',
      'SCAN nodes USING INDEX nodes_failed',
      'SCALAR SUBQUERY 3',
      A_WORD,
      'SEARCH resources USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      ...NAME_OF_NODE,
      ...SIZE_OF_EVENT,
    ],
    rows: 2,
    rowsRead: 2 * NODES,
    statements: 1,
  }),
  'how many reports of each status': () => ({
    path: '/reports',
    parameters: { query: ['extract', ['status', ['function', 'count']], ['group_by', 'status']] },
    plan: [...COUNTED_HOURS, 'USE TEMP B-TREE FOR GROUP BY'],
    rows: 3,
    rowsRead: 65,
    statements: 1,
  }),
  'how many reports there are': () => ({
    path: '/reports',
    parameters: { query: ['extract', [['function', 'count']]] },
    plan: COUNTED_HOURS,
    rows: 1,
    rowsRead: 40,
    statements: 1,
  }),
  'all nodes': () => ({
    path: '/nodes',
    plan: ['SCAN nodes', 'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN'],
    rows: NODES,
    rowsRead: 2 * NODES,
    statements: 1,
  }),
  'the newest 25 by end_time': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', ['hash', 'certname', 'status', 'end_time']],
      order_by: [{ field: 'end_time', order: 'desc' }],
      limit: 25,
    },
    plan: [
      'SCAN reports USING INDEX reports_end',
      ...NAME_OF_NODE,
      'USE TEMP B-TREE FOR LAST TERM OF ORDER BY',
    ],
    rows: 25,
    rowsRead: 80,
    statements: 1,
  }),
  'the reports of the last hour': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', 'hash', ['>', 'producer_timestamp', at((RUNS - 2) * 1_800_000 - 1)]],
    },
    plan: ['SEARCH reports USING INTEGER PRIMARY KEY (rowid>?)'],
    rows: 2 * NODES,
    rowsRead: 2 * NODES + 1,
    statements: 1,
  }),
  'the newest 5 of a node by receive_time': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', ['hash', 'receive_time'], ['=', 'certname', certname(3)]],
      order_by: [{ field: 'receive_time', order: 'desc' }],
      limit: 5,
    },
    plan: [
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 15',
      'COMPOUND QUERY',
      'LEFT-MOST SUBQUERY',
      'SEARCH reports USING INDEX reports_node (node=? AND rowid>?)',
      'SCALAR SUBQUERY 8',
      'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
      'SCALAR SUBQUERY 9',
      'MATERIALIZE bound',
      'SCAN CONSTANT ROW',
      'SCALAR SUBQUERY 3',
      'CO-ROUTINE (subquery-2)',
      'SEARCH reports USING INDEX reports_node (node=?)',
      'SCALAR SUBQUERY 1',
      'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
      'SEARCH (subquery-2)',
      'SCALAR SUBQUERY 6',
      'CO-ROUTINE (subquery-5)',
      'SEARCH reports USING INDEX reports_late_node (node=?)',
      'SCALAR SUBQUERY 4',
      'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
      'SCAN (subquery-5)',
      'SCAN bound',
      'SCALAR SUBQUERY 10',
      'SCAN bound',
      'UNION ALL',
      'SEARCH reports USING INDEX reports_late_node (node=? AND receive_time>?)',
      'SCALAR SUBQUERY 12',
      'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
      'SCALAR SUBQUERY 13',
      'SCAN bound',
      'SCALAR SUBQUERY 14',
      'SCAN bound',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    rows: 5,
    rowsRead: 60,
    statements: 1,
  }),
  'the newest 25 since a time by start_time, and how many there are': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', ['certname', 'hash', 'start_time'], ['>', 'start_time', at(3_600_000)]],
      order_by: [{ field: 'start_time', order: 'desc' }],
      limit: 25,
      include_total: true,
    },
    plan: [
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 12',
      'COMPOUND QUERY',
      'LEFT-MOST SUBQUERY',
      'SEARCH reports USING COVERING INDEX reports_end (end_time>?)',
      'SCALAR SUBQUERY 7',
      'MATERIALIZE bound',
      'SCAN CONSTANT ROW',
      'SCALAR SUBQUERY 3',
      'CO-ROUTINE (subquery-2)',
      'SEARCH reports USING COVERING INDEX reports_end (end_time>?)',
      'SCAN (subquery-2)',
      'USE TEMP B-TREE FOR ORDER BY',
      'SCALAR SUBQUERY 5',
      'CO-ROUTINE (subquery-4)',
      'SCAN reports USING INDEX reports_skewed',
      'SCAN (subquery-4)',
      'USE TEMP B-TREE FOR ORDER BY',
      'SCAN bound',
      'SCALAR SUBQUERY 8',
      'SCAN bound',
      'UNION ALL',
      'SEARCH reports USING INDEX reports_skewed (<expr>>?)',
      'SCALAR SUBQUERY 10',
      'SCAN bound',
      'SCALAR SUBQUERY 11',
      'SCAN bound',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH target USING INTEGER PRIMARY KEY (rowid=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    rows: 25,
    rowsRead: 400,
    statements: 2,
  }),
  'the newest 5 of nodes like a pattern': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', ['certname', 'hash'], ['~', 'certname', '^node-0[1-3]']],
      order_by: [{ field: 'producer_timestamp', order: 'desc' }],
      limit: 5,
    },
    plan: [
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 10',
      'SEARCH reports USING INDEX reports_node (node=? AND rowid>?)',
      'LIST SUBQUERY 7',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      'SCALAR SUBQUERY 8',
      'MATERIALIZE bound',
      'SCAN CONSTANT ROW',
      'SCALAR SUBQUERY 5',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'CORRELATED LIST SUBQUERY 3',
      'SEARCH reports USING INDEX reports_node (node=?)',
      'USE TEMP B-TREE FOR ORDER BY',
      'SCAN bound',
      'SCALAR SUBQUERY 9',
      'SCAN bound',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH target USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    rows: 5,
    rowsRead: 85,
    statements: 2,
  }),
  'aggregate event counts of the latest reports': () => ({
    path: '/aggregate-event-counts',
    parameters: { query: LATEST, summarize_by: 'certname' },
    plan: [
      'CO-ROUTINE counted',
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 2',
      'SCAN nodes',
      'USE TEMP B-TREE FOR GROUP BY',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH target USING INTEGER PRIMARY KEY (rowid=?)',
      'SCAN counted',
    ],
    rows: 1,
    rowsRead: 4 * NODES,
    statements: 1,
  }),
  'reports of an empty list of nodes': () => ({
    path: '/reports',
    parameters: { query: ['extract', 'hash', ['in', 'certname', ['array', []]]] },
    rows: 0,
    rowsRead: 0,
    statements: 1,
  }),
  'events of nodes like a pattern that nothing matches': () => ({
    path: '/events',
    parameters: { query: ['extract', 'status', ['~', 'certname', 'nobody']] },
    rows: 0,
    rowsRead: 1,
    statements: 2,
  }),
  'the newest of nothing, by a time without an index': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', 'hash', ['in', 'job_id', ['array', []]]],
      order_by: [{ field: 'receive_time', order: 'desc' }],
      limit: 5,
    },
    rows: 0,
    // The bound alone, wherever it is asked for.
    rowsRead: 6,
    statements: 1,
  }),
  'what became of a resource': () => ({
    path: '/events',
    parameters: {
      query: ['and', ['=', 'resource_type', 'File'], ['=', 'resource_title', '/etc/motd'], LATEST],
    },
    plan: [
      'SEARCH events USING PRIMARY KEY (report=?)',
      'LIST SUBQUERY 3',
      'SCAN nodes',
      'SEARCH resources USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      ...NAME_OF_NODE,
      ...SIZE_OF_EVENT,
    ],
    rows: 4,
    rowsRead: 100,
    statements: 1,
  }),
  'the newest 3 of active nodes': () => ({
    path: '/reports',
    parameters: {
      query: ['extract', 'hash', ['=', ['node', 'active'], true]],
      order_by: [{ field: 'producer_timestamp', order: 'desc' }],
      limit: 3,
    },
    plan: ['SCAN reports', 'LIST SUBQUERY 1', 'SCAN target USING INDEX nodes_inactive'],
    rows: 3,
    rowsRead: 7,
    statements: 1,
  }),
  'event counts of the latest reports by node': () => ({
    path: '/event-counts',
    parameters: { query: LATEST, summarize_by: 'certname' },
    plan: [
      'CO-ROUTINE counted',
      'SEARCH reports USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 2',
      'SCAN nodes',
      'USE TEMP B-TREE FOR GROUP BY',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH target USING INTEGER PRIMARY KEY (rowid=?)',
      'SCAN counted',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    rows: 4,
    rowsRead: 6 * NODES,
    statements: 1,
  }),
}

describe('a query is answered in one round trip, by its index', () => {
  it.each(Object.entries(cases))('%s', async (_, make) => {
    const { path, parameters = {}, plan, rows, rowsRead, statements, roundTrips = 1 } = make()
    const url = `/query/v4${path}`
    const response = await request(`${url}?${parametersOf(parameters)}`)
    expect(await response.json()).toHaveLength(rows)
    const cost = costOf(response)
    // One more in each round trip reads the row of the database's generation.
    expect(cost).toMatchObject({ roundTrips, statements: statements + roundTrips, rowsWritten: 0 })
    expect(cost.rowsRead).toBeLessThanOrEqual(rowsRead + roundTrips)
    if (plan) {
      const [explained] = await ask(url, { ...parameters, explain: 'analyze' })
      // Bloom filters are listed by some versions of SQLite only.
      const lines = explained['query plan'].filter((line: string) => line !== 'CREATE BLOOM FILTER')
      expect(lines).toEqual(plan)
    }
  })

  it('of an isolate that knows no words yet, which reads them along', async () => {
    const response = await request('/query/v4/reports?limit=1', {}, {
      withSession: () => env.DB.withSession(),
    } as unknown as D1Database)
    expect(await response.json()).toHaveLength(1)
    expect(costOf(response)).toMatchObject({ roundTrips: 1, statements: 5 })
  })
})
