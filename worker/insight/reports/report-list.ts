/** Reports, newest first. */

import { formatTimestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { codesOf, decodeState, STATES } from '../../schema/states.ts'
import type { Row } from '../../store/database.ts'
import { reportPage } from './report-row.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import type { ReportRow, Reports, ReportsOptions } from '../shapes.ts'
import type { View } from '../view.ts'

export function askReports(view: View, options: ReportsOptions): BatchRead<Reports> {
  const { states, noop, certname, cursor, limit } = options
  const names = states ?? STATES.map(({ name }) => name)
  const choice = {
    states: states === null && noop === null ? null : codesOf(names, noop),
    certname,
  }
  const below = cursor === null ? null : positionOf(cursor, [0] as const)[0]
  return {
    // One more than the page holds tells whether there is another.
    statements: [reportPage(view, choice, below, limit + 1)],
    read: ([rows]) => ({
      items: rows!.slice(0, limit).map(reportRow),
      next: rows!.length > limit ? cursorOf([rows![limit - 1]![5] as number]) : null,
    }),
  }
}

/** From REPORT_COLUMNS of store/insight/reports.ts. */
export function reportRow(row: Row): ReportRow {
  const [hash, certname, environment, status, state, , time, start, end, agent, codeId, version] =
    row
  return {
    hash: hash as string,
    certname: certname as string,
    environment: environment as string,
    status: status as string | null,
    ...decodeState(state as number),
    producer_timestamp: formatTimestamp(time as number),
    start_time: formatTimestamp(start as number),
    end_time: formatTimestamp(end as number),
    seconds: ((end as number) - (start as number)) / 1000,
    agent_version: agent as string,
    code_version: codeVersionOf({
      codeId: codeId as string | null,
      configurationVersion: version as string,
    }),
    failures: row[12] as number,
    successes: row[13] as number,
    noops: row[14] as number,
    skips: row[15] as number,
  }
}
