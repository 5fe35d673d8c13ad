/** Stores reports and everything that belongs to them: one batch, one transaction, one round trip. */

import { CommandError, QueryError } from '../lib/errors.ts'
import { encodeBody } from '../report/body.ts'
import { causesOf, failedRunOf, type Cause } from '../report/causes.ts'
import { runErrorsOf } from '../report/failure/log-lines.ts'
import type { Report, ReportWithoutBody } from '../report/report.ts'
import { codeOf, isFailed, isNotFailedCode } from '../schema/states.ts'
import { hourOfKey, unhexOf, hashBytes, hexOf, producerTimestampOf } from '../sql/encoding.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Statement } from '../sql/statement.ts'
import { Restored, type Database } from '../store/database.ts'
import { isConstraint } from '../store/failures.ts'
import { hashIn, unlessStored } from '../store/identity.ts'
import { freeKey, keyParameters } from './report-key.ts'
import { newEntries } from './new-entries.ts'
import { EVENT_COUNTS, pieceOf, REPORT_COLUMNS, type ReportContext } from './report-columns.ts'
import { causeStatements } from './write-causes.ts'
import { eventStatements } from './write-events.ts'
import { isHash } from '../sql/hash.ts'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import { runsWith, usualIntervalOf } from '../store/runs.ts'

/** Sets `column` from the report if that is now the latest one; otherwise keeps it. */
const ifNewer = (column: string, ofReport = column): string =>
  `${column} = case when stored.newer then stored.${ofReport} else nodes.${column} end`

/**
 * Makes the report its node's latest if it is newer, adds it to the node's last runs, and reactivates a node
 * that was deactivated or expired before it. Idempotent, so a duplicate needs no guard; PuppetDB reactivates
 * the node for a duplicate too. Writes nothing where nothing changes. Reads the report's type from the stored
 * report, because a report that differs in its type alone is a duplicate too.
 * ?1 hash, ?2 certname, ?3 producer timestamp.
 */
const UPDATE_NODE = `update nodes set
  ${ifNewer('latest', 'id')}, ${COPIED_FROM_LATEST.map((column) => ifNewer(column)).join(', ')},
  good = stored.good, newest = stored.newest, runs = stored.runs,
  usual = iif(stored.runs is nodes.runs, nodes.usual, ${usualIntervalOf(hexOf('stored.runs'))}),
  deactivated = case when deactivated < ?3 then null else deactivated end,
  expired = case when expired < ?3 then null else expired end
from (
  select r.id, ${COPIED_FROM_LATEST.map((column) => `r.${column}`).join(', ')},
    r.type = 0 and (n.latest is null or coalesce(${producerTimestampOf('r')} > ${producerTimestampOf('l')}, 1)) as newer,
    case when r.type = 0 and ${isNotFailedCode('r.state')} then max(r.id, coalesce(n.good, r.id)) else n.good end as good,
    case when r.type = 0 then max(r.id, coalesce(n.newest, r.id)) else n.newest end as newest,
    case when r.type = 0 then ${runsWith('r', 'n')} else n.runs end as runs
  from reports r, nodes n left join reports l on l.id = n.latest
  where ${isHash('r.hash', '?1')} and n.certname = ?2
) stored
where nodes.certname = ?2 and (stored.newer or stored.good is not nodes.good or stored.runs is not nodes.runs
  or nodes.deactivated < ?3 or nodes.expired < ?3)`

const nodeStatement = (report: Report): Statement => ({
  sql: UPDATE_NODE,
  params: [hashBytes(report.hash), report.certname, report.producerTimestamp],
})

/** Attempts at reports whose isolate turns out to remember what the database does not know. */
const MOST_ATTEMPTS = 3

/** A report with what is computed of it, ready to be stored. Drops fields that its statements already contain. */
export interface PreparedReport {
  readonly report: ReportWithoutBody
  readonly causes: readonly Cause[]
  readonly metricNames: string | null
  /** The statements that store it, without the statements of dictionaries. */
  readonly statements: readonly Statement[]
  /** One of them: inserts the report and returns its key, if it is new. */
  readonly insert: Statement
}

/**
 * Computes what a report is stored by.
 *
 * @param receivedAt when the request was accepted, in ms
 */
export function prepareReport(report: Report, receivedAt: number): PreparedReport {
  const { metricNames, body } = encodeBody(report)
  const state = stateOf(report)
  const causes = isFailed(state) ? causesOf(failedRunOf(report)) : []
  const insert = reportStatement(report, { metricNames, body, receivedAt, state })
  const statements = [
    ...eventStatements(report),
    ...causeStatements(report, causes, receivedAt),
    ...bodyPartStatements(report, body),
    hourStatement(report),
    insert,
    nodeStatement(report),
  ]
  const { metrics: _metrics, logs: _logs, ...rest } = report
  return { report: rest, causes, metricNames, statements, insert }
}

/**
 * Stores reports in one batch, each unless it or its run is already stored (store/identity.ts). Makes a report its node's
 * latest if an agent sent it and its producer timestamp is greater than the latest one's. Safe to repeat, and safe with
 * concurrent submissions for the same node.
 *
 * @returns of each, whether it was already stored
 * @throws Unavailable when nothing could be stored
 */
export async function storeReports(
  database: Database,
  prepared: readonly PreparedReport[],
  receivedAt: number,
): Promise<{ duplicate: boolean }[]> {
  const attempt = async () => {
    const entries = newEntries(database.memory, prepared, receivedAt)
    const statements = [...entries.statements, ...prepared.flatMap((one) => one.statements)]
    const places = new Map(statements.map((statement, index) => [statement, index]))
    const rows = await database.batchOnMemory(statements)
    entries.remember()
    return prepared.map(({ insert }) => ({ duplicate: rows[places.get(insert)!]!.length === 0 }))
  }
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof QueryError)
        throw new CommandError(`The report can't be stored. ${error.message}`)
      // A node in this isolate's memory may have been purged since: its id is then null. After a restore, any id may be.
      if (attempts === MOST_ATTEMPTS || !(error instanceof Restored || isConstraint(error)))
        throw error
      if (!(error instanceof Restored)) database.memory.forget()
    }
  }
}

/** How many statements `storeReports` sends for them, in one attempt. */
export const countStatements = (
  { memory }: Database,
  prepared: readonly PreparedReport[],
  receivedAt: number,
): number =>
  prepared.reduce(
    (sum, { statements }) => sum + statements.length,
    // And the check of the generation.
    newEntries(memory, prepared, receivedAt).statements.length + 1,
  )

const stateOf = (report: Report): number =>
  codeOf({
    ...report,
    failures: EVENT_COUNTS.failures(report),
    successes: EVENT_COUNTS.successes(report),
    ...runErrorsOf(report),
  })

/** ?1 identity, ?2 millisecond of the key, ?3 exact producer timestamp, then a parameter for each column. */
const INSERT_REPORT = `insert into reports (id, hash, ${REPORT_COLUMNS.map(({ name }) => name).join(', ')})
select key.id, ${hashIn('?1')}, ${REPORT_COLUMNS.map(({ sql }, index) => sql.replace('?', `?${index + 4}`)).join(', ')}
from (select ${freeKey('?2')} as id) key where ${unlessStored('?1')} returning id`

const reportStatement = (report: Report, context: ReportContext): Statement => ({
  sql: INSERT_REPORT,
  params: [
    ...keyParameters(report),
    report.producerTimestamp,
    ...REPORT_COLUMNS.map(({ value }) => value(report, context)),
  ],
})

/**
 * Opens the report's hour, so that it is counted again. Writes a row only where the hour is not yet open, or is counted beyond
 * the report's key, which a new row has with a minus.
 */
const hourStatement = (report: Report): Statement => ({
  sql: `insert into open_hours (hour, counted) select ${hourOfKey('key.id')}, -key.id from (select ${freeKey('?2')} as id) key where ${unlessStored('?1')}
on conflict (hour) do update set counted = 0 where counted > -excluded.counted`,
  params: keyParameters(report),
})

/** The pieces of a body after the first, which is in the report's own row. */
const bodyPartStatements = (report: Report, body: Uint8Array): Statement[] =>
  Array.from({ length: Math.ceil(body.length / LONGEST_BODY) - 1 }, (_, index) => ({
    sql: `insert into body_parts (report, part, data) select ${freeKey('?2')}, ?3, ${unhexOf('?4')} where ${unlessStored('?1')}`,
    params: [...keyParameters(report), index + 1, pieceOf(body, index + 1)],
  }))
