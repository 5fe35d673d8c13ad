/**
 * Every index is paid for by something that needs it: on D1 each of its entries is one more row written.
 * Plans are asked of the statements that the service really sends; then each index is taken away in
 * turn, to see what becomes of them.
 */

import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { parametersOf, request, submit } from './client.ts'
import { planOf, recording } from './database.ts'
import { at, event, report, resource, type Payload } from './reports.ts'

type Asking = (database: D1Database) => Promise<Response>

const reading =
  (path: string, parameters: Payload = {}): Asking =>
  (database) =>
    request(`${path}?${parametersOf(parameters)}`, {}, database)

const reports = (...parts: readonly Payload[]): Asking =>
  reading('/query/v4/reports', Object.assign({ query: ['extract', 'hash'] }, ...parts))

/** The first rows by a time, perhaps of some nodes. */
const newest = (field: string, filter: readonly unknown[] = [], more: readonly Payload[] = []) =>
  reports({
    query: ['extract', 'hash', ...(filter.length > 0 ? [filter] : [])],
    order_by: [{ field, order: 'desc' }, ...more],
    limit: 10,
  })

/** A failed run of a node, of which nothing is known yet. */
const storing: Asking = (database) =>
  submit(
    report({
      certname: 'web1',
      status: 'failed',
      resources: [resource({ events: [event({ status: 'failure' })] })],
    }),
    {},
    database,
  )

const OF_A_NODE = ['=', 'certname', 'web1']
const COUNT = ['function', 'count']

/** What needs an index: the line of its plan that tells, and the line, or the error, that comes in its place once the index is gone. */
const PAYERS: readonly (readonly [
  index: string,
  what: string,
  ask: Asking,
  uses: string,
  otherwise: string,
])[] = [
  [
    'strings_value',
    'the ids of words, while a report is stored',
    storing,
    'SEARCH strings USING COVERING INDEX strings_value (kind=? AND value=?)',
    'SCAN strings',
  ],
  [
    'strings_value',
    'equality on the field of a word',
    reports({ query: ['extract', 'hash', ['=', 'status', 'failed']] }),
    'SEARCH target USING COVERING INDEX strings_value (kind=? AND value=?)',
    'SCAN target',
  ],
  [
    'strings_value',
    'all environments',
    reading('/query/v4/environments'),
    'SEARCH strings USING COVERING INDEX strings_value (kind=?)',
    'SCAN strings',
  ],
  [
    'resources_value',
    'the id of what an event is about, while it is stored',
    storing,
    'SEARCH resources USING COVERING INDEX resources_value (type=? AND title=? AND path=?)',
    'SCAN resources',
  ],
  [
    'resources_value',
    'the types of resources that are known',
    reading('/insight/v1/complete', { q: 'events { resource_type = "' }),
    'SEARCH s USING COVERING INDEX resources_value (type>?)',
    'SEARCH s',
  ],
  [
    'metric_sets_names',
    'the id of a list of metrics, while its report is stored',
    storing,
    'SEARCH metric_sets USING COVERING INDEX metric_sets_names (names=?)',
    'SCAN metric_sets',
  ],
  [
    'causes_name',
    'the id of a cause, while a report that has it is stored',
    storing,
    'SEARCH causes USING COVERING INDEX causes_name (name=?)',
    'SCAN causes',
  ],
  [
    'causes_name',
    'a cause by its name',
    reading('/insight/v1/causes/x'),
    'SEARCH causes USING INDEX causes_name (name=?)',
    'SCAN causes',
  ],
  [
    'cause_days_cause',
    'the days of a cause of which runs were deleted',
    reading('/insight/v1/causes/x'),
    'SEARCH cause_days USING INDEX cause_days_cause (cause=?)',
    // Each of its rows, for the last of all.
    'SEARCH cause_days USING PRIMARY KEY',
  ],
  [
    'nodes_certname',
    'the node of a report, while it is stored',
    storing,
    'SEARCH nodes USING COVERING INDEX nodes_certname (certname=?)',
    'SCAN nodes',
  ],
  [
    'nodes_certname',
    'reports of a node by its name',
    reports({ query: ['extract', 'hash', OF_A_NODE] }),
    'SEARCH target USING COVERING INDEX nodes_certname (certname=?)',
    'SCAN target',
  ],
  [
    'nodes_inactive',
    'reports of active nodes',
    reports({ query: ['extract', 'hash', ['=', ['node', 'active'], true]] }),
    'SCAN target USING INDEX nodes_inactive',
    'SCAN target',
  ],
  [
    'nodes_failed',
    'the nodes that fail by each cause',
    reading('/insight/v1/causes'),
    'SCAN n USING INDEX nodes_failed',
    'SCAN n',
  ],
  [
    'reports_hash',
    'whether a report is there, while it is stored',
    storing,
    'SEARCH reports USING INDEX reports_hash (<expr>=?)',
    'SCAN reports',
  ],
  [
    'reports_hash',
    'a part of a report',
    reading(`/query/v4/reports/${'ab'.repeat(20)}/logs`),
    'SEARCH r USING INDEX reports_hash (<expr>=?)',
    'SCAN r',
  ],
  [
    'reports_node',
    'the newest reports of a node',
    newest('producer_timestamp', OF_A_NODE),
    'SEARCH reports USING INDEX reports_node (node=?)',
    'SCAN reports',
  ],
  [
    'reports_end',
    'the newest by end_time',
    newest('end_time'),
    'SCAN reports USING INDEX reports_end',
    'SCAN reports',
  ],
  [
    'reports_end',
    'the newest by start_time',
    newest('start_time'),
    'SCAN reports USING COVERING INDEX reports_end',
    'SCAN reports',
  ],
  [
    'reports_end',
    'counts of each node by status, environment and noop',
    reports({
      query: [
        'extract',
        ['certname', 'status', 'environment', 'noop', 'noop_pending', COUNT],
        ['group_by', 'certname', 'status', 'environment', 'noop', 'noop_pending'],
      ],
    }),
    'SCAN reports USING COVERING INDEX reports_end',
    'SCAN reports',
  ],
  [
    'reports_skewed',
    'the newest by start_time, some of which have clocks that stray',
    newest('start_time'),
    'SEARCH reports USING INDEX reports_skewed (<expr>>?)',
    'D1_ERROR: no such index: reports_skewed: SQLITE_ERROR',
  ],
  [
    'reports_skewed',
    'counts since an end_time, some of which have clocks that stray',
    reports({ query: ['extract', [COUNT], ['>', 'end_time', at(0)]] }),
    'SCAN reports USING INDEX reports_skewed',
    'D1_ERROR: no such index: reports_skewed: SQLITE_ERROR',
  ],
  [
    'reports_skewed_node',
    'the newest of a node by start_time, some of which have clocks that stray',
    newest('start_time', OF_A_NODE),
    'SEARCH reports USING INDEX reports_skewed_node (node=? AND <expr>>?)',
    'D1_ERROR: no such index: reports_skewed_node: SQLITE_ERROR',
  ],
  [
    'reports_late',
    'the newest by receive_time, some of which came late',
    newest('receive_time'),
    'SEARCH reports USING INDEX reports_late (receive_time>?)',
    'D1_ERROR: no such index: reports_late: SQLITE_ERROR',
  ],
  [
    'reports_late',
    'counts since a receive_time, some of which came late',
    reports({ query: ['extract', [COUNT], ['>', 'receive_time', at(0)]] }),
    'SEARCH reports USING INDEX reports_late (receive_time>?)',
    'D1_ERROR: no such index: reports_late: SQLITE_ERROR',
  ],
  [
    'reports_late_node',
    'the newest of a node by receive_time, some of which came late',
    newest('receive_time', OF_A_NODE),
    'SEARCH reports USING INDEX reports_late_node (node=? AND receive_time>?)',
    'D1_ERROR: no such index: reports_late_node: SQLITE_ERROR',
  ],
  [
    'reports_moved',
    'the newest by producer_timestamp and another field, some of which their keys can’t hold',
    newest('producer_timestamp', [], [{ field: 'certname' }]),
    'SEARCH reports USING INDEX reports_moved (producer_timestamp>?)',
    'D1_ERROR: no such index: reports_moved: SQLITE_ERROR',
  ],
  [
    'report_causes_report',
    'the causes of a report',
    reading(`/insight/v1/reports/${'0'.repeat(40)}`),
    'SEARCH rc USING INDEX report_causes_report (report=?)',
    'D1_ERROR: no such index: report_causes_report: SQLITE_ERROR',
  ],
  [
    'reports_notable',
    'the newest that failed',
    reading('/insight/v1/reports', { state: 'failed' }),
    'SEARCH reports USING INDEX reports_notable (state=? AND rowid>? AND rowid<?)',
    'D1_ERROR: no such index: reports_notable: SQLITE_ERROR',
  ],
]

/** The statements that something is done by, and the plan of each: its lines, or why there is none. */
async function statementsOf(ask: Asking) {
  const { database, statements } = recording()
  await (await ask(database)).text()
  return statements
}
const linesOf = (statement: Parameters<typeof planOf>[0]): Promise<string[]> =>
  planOf(statement).catch((error: unknown) => [(error as Error).message])

const indexes = async (): Promise<{ name: string; sql: string }[]> => {
  const { results } = await env.DB.prepare(
    `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  ).all<{ name: string; sql: string }>()
  return results
}
const unpaid = async (): Promise<string[]> =>
  (await indexes())
    .map(({ name }) => name)
    .filter((name) => !PAYERS.some(([index]) => index === name))

describe('an index', () => {
  const all = indexes()
  afterEach(async () => {
    const there = new Set((await indexes()).map(({ name }) => name))
    const gone = (await all).filter(({ name }) => !there.has(name))
    for (const { sql } of gone) await env.DB.prepare(sql).run()
  })

  it('is used by some statement', async () => {
    expect(await unpaid()).toEqual([])
    await env.DB.prepare('CREATE INDEX reports_job ON reports (job_id)').run()
    expect(await unpaid()).toEqual(['reports_job'])
    await env.DB.prepare('DROP INDEX reports_job').run()
  })

  it.each(PAYERS)('%s is there for %s', async (index, _, ask, uses, otherwise) => {
    const statements = await statementsOf(ask)
    const plans = await Promise.all(statements.map(linesOf))
    expect(plans.flat()).toContain(uses)
    const payer = plans.findIndex((lines) => lines.includes(uses))
    await env.DB.prepare(`DROP INDEX ${index}`).run()
    const without = await linesOf(statements[payer]!)
    expect(without.filter((line) => !plans[payer]!.includes(line))).toContain(otherwise)
  })

  it('causes_name finds out whether a cause exists', async () => {
    const statements = await statementsOf(storing)
    const failing = async () =>
      (await Promise.all(statements.map(linesOf))).flat().filter((line) => line.startsWith('D1_'))
    expect(await failing()).toEqual([])
    await env.DB.prepare('DROP INDEX causes_name').run()
    expect(await failing()).toEqual([
      'D1_ERROR: ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint: SQLITE_ERROR',
    ])
  })
})
