/** Checks reports with their events, logs and metrics, a page at a time. */

import { batchRead, readAll } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { readBody } from './bodies.ts'
import type { CheckedPage, Problem } from './checked-page.ts'
import { indexRulesOfReports } from './indexes.ts'
import { OF_PAGE, REPORT_PAGE, reportsAfter, RULES_OF_PAGE } from './report-rows.ts'
import { RULES_OF_REPORT } from './report-rules.ts'
import { readProblems } from './sql-rules.ts'

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
