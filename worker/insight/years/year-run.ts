/** A run as pages over years show it, from a row of the history or of the database. */

import { sql, type SQL } from 'drizzle-orm'
import type { ArchivedRow } from '../../history/group-rows.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { stateOf, type StateName } from '../../schema/states.ts'
import { json } from '../../sql/columns.ts'
import { reportRowOf, type StoredReport } from '../reports/report-row.ts'

export interface YearRun {
  readonly time: Timestamp
  readonly hash: string
  readonly state: StateName
  /** The run changed nothing. */
  readonly noop: boolean
  readonly environment: string
  readonly seconds: number
  readonly events: number
  readonly code_version: string | null
  readonly agent_version: string
  /** Why it failed. */
  readonly causes: readonly string[]
}

export const YEAR_RUN_COLUMNS = [
  ...['time', 'hash', 'state', 'noop', 'environment', 'seconds', 'events'],
  ...['code_version', 'agent_version', 'causes'],
] as const satisfies readonly (keyof YearRun)[]

/** The causes of a row `reports`. */
export const CAUSES_COLUMN = json<readonly string[], SQL>(
  sql`(select json_group_array(c.name) from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
    where rc.report = reports.id)`,
)

export function storedRunOf(report: StoredReport, causes: readonly string[]): YearRun {
  const { hash, producer_timestamp, state, noop, ...row } = reportRowOf(report)
  return {
    ...{ time: producer_timestamp, hash, state, noop },
    environment: row.environment,
    seconds: row.seconds,
    events: row.failures + row.successes + row.noops + row.skips,
    code_version: row.code_version,
    agent_version: row.agent_version,
    causes,
  }
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const timeOf = (value: unknown): Timestamp => formatTimestamp(Number(value))
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

export function archivedRunOf(row: ArchivedRow): {
  readonly certname: string
  readonly run: YearRun
  readonly isOfAgent: boolean
} {
  const { noop } = stateOf({
    status: textOf(row['status']),
    noop: flagOf(row['noop']),
    noopPending: flagOf(row['noop_pending']),
    correctiveChange: flagOf(row['corrective_change']),
    ...{ failures: 0, successes: 0, errors: row['state'] === 'failed', factErrors: false },
  })
  const [start, end] = [Number(row['start_time']), Number(row['end_time'])]
  const run = {
    time: timeOf(row['producer_timestamp']),
    hash: String(row['hash']),
    state: row['state'] as StateName,
    noop,
    environment: textOf(row['environment']) ?? '',
    seconds: (end - start) / 1000,
    events: Number(row['event_count']),
    code_version: codeVersionOf({
      codeId: textOf(row['code_id']),
      configurationVersion: String(row['configuration_version']),
    }),
    agent_version: String(row['agent_version']),
    causes: row['causes'] as readonly string[],
  }
  return { certname: String(row['certname']), run, isOfAgent: row['type'] === 'agent' }
}
