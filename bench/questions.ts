/** The eleven queries: typical ones of consoles, scripts and dashboards. */

import { queryPath, rowsOf, type Asked } from './client.ts'

export interface Question {
  readonly name: string
  /** Path below the base URL of the server. */
  readonly path: string
  /** Whether its rows are counts, which show whether two servers have the same data. */
  readonly counts?: true
}

const LATEST = ['=', 'latest_report?', true]
const HOURS = 3_600_000
/** The time range begins this long after the first report. */
const INTO_THE_DATA = 6 * HOURS

/** Questions about a node, a failed report and times that exist in the data. @param from where the time range begins, in ms */
export async function questionsAbout(client: Asked, from?: number): Promise<Question[]> {
  const { certname, hash, since: usual } = await examples(client)
  const since = from === undefined ? usual : new Date(from).toISOString()
  const [role] = certname.split('-')
  const [, site] = certname.split('.')
  const pattern = `^${role}-0[0-4].*\\.${site}\\.`
  return [
    ask('latest reports, whole, 100', 'reports', { query: LATEST, limit: '100' }),
    ask('reports of a node, newest 10', 'reports', {
      query: ['=', 'certname', certname],
      order_by: newestBy('receive_time'),
      limit: '10',
    }),
    // PuppetDB 7 and 8 fail on `/reports/<hash>/events`.
    ask('events of a report', 'events', { query: ['=', 'report', hash] }),
    ask('metrics of a report', `reports/${hash}/metrics`),
    ask('failed events, latest', 'events', { query: ['and', LATEST, ['=', 'status', 'failure']] }),
    counting('event counts by node, latest', 'event-counts', {
      summarize_by: 'certname',
      query: LATEST,
    }),
    counting('aggregate event counts, latest', 'aggregate-event-counts', {
      summarize_by: 'certname',
      query: LATEST,
    }),
    counting('count by status', 'reports', {
      query: ['extract', [['function', 'count'], 'status'], ['group_by', 'status']],
    }),
    ask('certname by pattern, 50 brief', 'reports', {
      query: ['extract', ['certname', 'hash', 'status'], ['~', 'certname', pattern]],
      order_by: newestBy('producer_timestamp'),
      limit: '50',
    }),
    ask('all nodes', 'nodes'),
    ask('newest 25 since a time, total', 'reports', {
      query: ['extract', ['certname', 'hash', 'status', 'start_time'], ['>', 'start_time', since]],
      order_by: newestBy('start_time'),
      limit: '25',
      include_total: 'true',
    }),
  ]
}

const ask = (name: string, entity: string, parameters: Record<string, unknown> = {}): Question => ({
  name,
  path: queryPath(entity, parameters),
})

const counting = (...asked: Parameters<typeof ask>): Question => ({
  ...ask(...asked),
  counts: true,
})

const newestBy = (field: string) => [{ field, order: 'desc' }]

/** A node from the middle, a failed report, and a time some hours into the data. */
async function examples(client: Asked) {
  const [nodes, failed, oldest] = await Promise.all([
    rowsOf<{ certname: string }>(
      client,
      queryPath('nodes', {
        query: ['extract', ['certname']],
        order_by: [{ field: 'certname' }],
        limit: '400',
      }),
    ),
    rowsOf<{ report: string }>(
      client,
      queryPath('events', {
        query: ['extract', ['report'], ['=', 'status', 'failure']],
        order_by: [{ field: 'report' }],
        limit: '1',
      }),
    ),
    rowsOf<{ start_time: string }>(
      client,
      queryPath('reports', {
        query: ['extract', ['start_time']],
        order_by: [{ field: 'start_time' }],
        limit: '1',
      }),
    ),
  ])
  const node = nodes[Math.floor(nodes.length / 2)]
  if (!node || !failed[0] || !oldest[0])
    throw new Error('The data holds no node or no failed event to ask about.')
  return {
    certname: node.certname,
    hash: failed[0].report,
    since: new Date(Date.parse(oldest[0].start_time) + INTO_THE_DATA).toISOString(),
  }
}
