/** Reports and all that hangs on them: what a page of keys holds is read at one moment, and recounted here. */

import type { Database } from '../store/database.ts'
import type { CheckedPage, Problem } from './checked-page.ts'
import { readBody } from './bodies.ts'
import { RULES_OF_REPORT } from './report-rules.ts'
import { asReport, READ_REPORTS, REPORT_PAGE, STRAYS } from './report-rows.ts'

export async function checkReports(database: Database, after: number): Promise<CheckedPage> {
  const statements = [READ_REPORTS, ...STRAYS.map(({ sql }) => sql)]
  const [rows, ...strays] = await database.batch(
    statements.map((sql) => ({ sql, params: [after] })),
  )
  const problems: Problem[] = STRAYS.flatMap(({ invariant }, index) =>
    strays[index]!.map(([where]) => ({ invariant, where: String(where) })),
  )
  for (const row of rows!) {
    const stored = asReport(row)
    const { problem: unreadable, ...body } = await readBody(database, stored)
    const report = { ...stored, ...body }
    const where = `report ${report.hash} of ${report.certname ?? 'nobody'} (${report.id})`
    for (const { invariant, broken } of RULES_OF_REPORT) {
      const how = broken(report)
      if (how !== null) problems.push({ invariant, where: `${where}${how}` })
    }
    if (unreadable !== null) {
      problems.push({
        invariant: 'logs and metrics of a report can be read',
        where: `${where}: ${unreadable}`,
      })
    }
  }
  const last = rows!.at(-1)?.[0] as number | undefined
  return { checked: rows!.length, problems, next: rows!.length < REPORT_PAGE ? null : last! }
}
