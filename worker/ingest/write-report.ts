/** Storing one report with all that hangs on it: one batch, one transaction, one round trip. */

import { CommandError, QueryError } from '../lib/errors.ts'
import { encodeBody } from '../report/body.ts'
import { firstError } from '../report/causes.ts'
import type { Report } from '../report/report.ts'
import { CLOCKS, clockFlags } from '../schema/clocks.ts'
import { keyMillisecond } from '../schema/key.ts'
import { codeOf, isFailed } from '../schema/states.ts'
import { STRING_KINDS } from '../schema/tables.ts'
import { hashBytes } from '../sql/encoding.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Parameter, Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { isConstraint } from '../store/failures.ts'
import { unlessStored } from '../store/hash.ts'
import { freeKey, hourOf } from '../store/key.ts'
import { nodeStatement } from './latest-run.ts'
import { newEntries } from './new-entries.ts'
import { causeStatements } from './write-causes.ts'
import { eventStatements } from './write-events.ts'

/**
 * Stores a report unless one of the same hash is there, and makes it its node's latest where it is
 * an agent's and its producer timestamp is greater than the latest one's. Safe to repeat, and safe
 * beside other submissions of the same node.
 *
 * @param receivedAt when the request was accepted, in ms
 * @param ofCatalog whether its environment is that of the node's catalog as well, where it is the latest
 * @returns whether the report had been stored before
 * @throws Unavailable when nothing could be stored
 */
export async function storeReport(
  database: Database,
  report: Report,
  receivedAt: number,
  ofCatalog = false,
): Promise<{ duplicate: boolean }> {
  const { metricNames, body } = encodeBody(report)
  const state = stateOf(report)
  const attempt = async () => {
    const entries = newEntries(database.memory, report, metricNames)
    const statements = [
      ...entries.statements,
      ...eventStatements(report),
      ...causeStatements(report, isFailed(state)),
      ...bodyPartStatements(report, body),
      hourStatement(report),
      reportStatement(report, { metricNames, body, receivedAt, state }),
      nodeStatement(report, ofCatalog),
    ]
    const rows = await database.batch(statements)
    entries.remember()
    return { duplicate: rows[statements.length - 2]!.length === 0 }
  }
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof QueryError)
      throw new CommandError(`The report can't be stored. ${error.message}`)
    // A node that this isolate knew may have been purged meanwhile: its id is then null.
    if (!isConstraint(error)) throw error
    database.memory.forget()
    return attempt()
  }
}

const word = (kind: keyof typeof STRING_KINDS, parameter: string): string =>
  `(SELECT id FROM strings WHERE kind = ${STRING_KINDS[kind]} AND value = ${parameter})`

const bit = (value: boolean | null): number | null => (value === null ? null : Number(value))

const UUID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** A UUID as its 16 bytes; any other text as it is. */
function uuidParameter(text: string | null): Parameter {
  const match = text === null ? null : UUID.exec(text)
  return match ? new Uint8Array(Buffer.from(match.slice(1).join(''), 'hex')) : text
}

/** Column → SQL, in which `?` is the column's own parameter. */
const REPORT_COLUMNS: readonly (readonly [
  column: string,
  sql: string,
  value: (report: Report, context: ReportContext) => Parameter,
])[] = [
  ['node', '(SELECT id FROM nodes WHERE certname = ?)', (r) => r.certname],
  ['status', word('reportStatus', '?'), (r) => r.status],
  ['environment', word('environment', '?'), (r) => r.environment],
  ['producer', word('producer', '?'), (r) => r.producer],
  ['agent_version', word('agentVersion', '?'), (r) => r.agentVersion],
  ['report_format', '?', (r) => r.reportFormat],
  ['type', '?', (r) => Number(r.type === 'plan')],
  ['configuration_version', '?', (r) => r.configurationVersion],
  ['start_time', '?', (r) => r.startTime],
  ['end_time', '?', (r) => r.endTime],
  ['receive_time', '?', (_, c) => c.receivedAt],
  ['transaction_uuid', '?', (r) => uuidParameter(r.transactionUuid)],
  ['catalog_uuid', '?', (r) => uuidParameter(r.catalogUuid)],
  ['code_id', word('codeId', '?'), (r) => r.codeId],
  ['cached_catalog_status', word('cachedCatalogStatus', '?'), (r) => r.cachedCatalogStatus],
  ['noop', '?', (r) => bit(r.noop)],
  ['noop_pending', '?', (r) => bit(r.noopPending)],
  ['corrective_change', '?', (r) => bit(r.correctiveChange)],
  ['job_id', '?', (r) => r.jobId],
  ['events', '?', (r) => r.events.length],
  ['failures', '?', countOf('failure')],
  ['successes', '?', countOf('success')],
  ['noops', '?', countOf('noop')],
  ['skips', '?', countOf('skipped')],
  [
    'clock_flags',
    `CAST(? AS INTEGER) | CASE WHEN CAST(?3 AS INTEGER) <> key.id >> 10 THEN ${CLOCKS.producer_timestamp.bit} ELSE 0 END`,
    (r, c) => clockFlags({ ...r, receiveTime: c.receivedAt }),
  ],
  ['state', '?', (_, c) => c.state],
  ['metric_set', '(SELECT id FROM metric_sets WHERE names = ?)', (_, c) => c.metricNames],
  ['body', 'unhex(?)', (_, c) => pieceOf(c.body, 0)],
]

interface ReportContext {
  readonly receivedAt: number
  readonly metricNames: string | null
  readonly body: Uint8Array
  readonly state: number
}

const stateOf = (report: Report): number =>
  codeOf({
    ...report,
    failures: countOf('failure')(report),
    successes: countOf('success')(report),
    errors: firstError(report) >= 0,
  })

function countOf(status: string): (report: Report) => number {
  return (report) => report.events.filter((event) => event.status === status).length
}

/** ?1 hash, ?2 millisecond of the key, ?3 exact producer timestamp, then a parameter a column. */
const INSERT_REPORT = `INSERT INTO reports (id, hash, producer_timestamp, ${REPORT_COLUMNS.map(([name]) => name).join(', ')})
SELECT key.id, ?1, nullif(CAST(?3 AS INTEGER), key.id >> 10), ${REPORT_COLUMNS.map(([, sql], index) => sql.replace('?', `?${index + 4}`)).join(', ')}
FROM (SELECT ${freeKey('?2')} AS id) key WHERE ${unlessStored('?1')} RETURNING id`

const reportStatement = (report: Report, context: ReportContext): Statement => ({
  sql: INSERT_REPORT,
  params: [
    hashBytes(report.hash),
    keyMillisecond(report.producerTimestamp),
    report.producerTimestamp,
    ...REPORT_COLUMNS.map(([, , value]) => value(report, context)),
  ],
})

/** Marks the report's hour for counting: a row a fleet and hour, as it is ignored where it stands already. */
const hourStatement = (report: Report): Statement => ({
  sql: `INSERT OR IGNORE INTO open_hours (hour) SELECT ${hourOf(`${freeKey('?2')} >> 10`)} WHERE ${unlessStored('?1')}`,
  params: [hashBytes(report.hash), keyMillisecond(report.producerTimestamp)],
})

/** A piece of a body in hex: bytes travel to D1 as a JSON list of numbers, which is twice as long and far slower to read. */
const pieceOf = (body: Uint8Array, index: number): string =>
  Buffer.from(body.subarray(index * LONGEST_BODY, (index + 1) * LONGEST_BODY)).toString('hex')

/** The pieces of a body beyond the first, which stands in the report's own row. */
const bodyPartStatements = (report: Report, body: Uint8Array): Statement[] =>
  Array.from({ length: Math.ceil(body.length / LONGEST_BODY) - 1 }, (_, index) => ({
    sql: `INSERT INTO body_parts (report, part, data) SELECT ${freeKey('?2')}, ?3, unhex(?4) WHERE ${unlessStored('?1')}`,
    params: [
      hashBytes(report.hash),
      keyMillisecond(report.producerTimestamp),
      index + 1,
      pieceOf(body, index + 1),
    ],
  }))
