/** Checks reports with their events, logs and metrics, a page at a time. */

import type { Json } from '../lib/json.ts'
import { decodeBody } from '../report/body.ts'
import { bytesOfHex } from '../sql/encoding.ts'
import { bodyStatement } from '../sql/expand.ts'
import { batchRead, readAll } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { readProblems, type CheckedPage, type Problem } from './checked-page.ts'
import { indexRulesOfReports } from './indexes.ts'
import {
  OF_PAGE,
  REPORT_PAGE,
  reportsAfter,
  RULES_OF_PAGE,
  type CheckedReportRow,
} from './report-rows.ts'
import { RULES_OF_REPORT } from './report-rules.ts'

export async function checkReports(database: Database, after: number): Promise<CheckedPage> {
  const indexRules = await indexRulesOfReports(database, OF_PAGE('r.id'))
  const { reports, found } = await readAll(database, {
    reports: batchRead([reportsAfter(after)], ([rows]) => rows),
    found: readProblems([...RULES_OF_PAGE, ...indexRules], [after]),
  })
  const problems: Problem[] = [...found]
  for (const stored of reports) {
    const { problem: unreadable, ...body } = await readBody(database, stored)
    const report = { ...stored, ...body }
    const where = `report ${report.hash} of ${report.certname ?? 'nobody'} (${report.id})`
    for (const { invariant, broken, mends } of RULES_OF_REPORT) {
      const how = broken(report)
      if (how === null) continue
      problems.push({ invariant, where: `${where}${how}`, ...(mends && { mends: mends(report) }) })
    }
    if (unreadable !== null) {
      problems.push({
        invariant: 'logs and metrics of a report can be read',
        where: `${where}: ${unreadable}`,
      })
    }
  }
  const next = reports.length < REPORT_PAGE ? null : reports.at(-1)!.id
  return { checked: reports.length, problems, next }
}

/** The result of reading the body of a report. */
interface ReadBody {
  /** Why the body can't be read; null if it can. */
  readonly problem: string | null
  /** Undefined without a body: retention deletes bodies and keeps the report. */
  readonly logs?: readonly Json[] | null
  readonly metrics?: readonly Json[] | null
}

async function readBody(
  database: Database,
  { id, body, metricNames, hasMetricSet }: CheckedReportRow,
): Promise<ReadBody> {
  // Missing names are a problem of their own.
  if (hasMetricSet && metricNames === null) return { problem: null }
  const hex = body ?? (await wholeBody(database, id))
  if (hex === null || hex === '') return { problem: null }
  try {
    const { logs, metrics } = decodeBody(metricNames, bytesOfHex(hex))
    return {
      problem: null,
      logs: JSON.parse(logs) as Json[] | null,
      metrics: JSON.parse(metrics) as Json[] | null,
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The body in hex; null if the report was deleted meanwhile. */
async function wholeBody(database: Database, key: number): Promise<string | null> {
  const [pieces] = await database.batch([bodyStatement(key)])
  return pieces.length === 0 ? null : pieces.map(({ piece }) => piece).join('')
}
