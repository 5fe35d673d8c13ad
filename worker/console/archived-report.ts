/** A report that the database has no more: its address, and how it is read. */

import type { ReportHint } from '../http/history/archived-report.ts'
import type { ReportPage } from '../insight/reports/report-page.ts'
import { QueryError } from '../lib/errors.ts'
import { hintOf, type Changes } from './address.ts'
import { wholeView, type Visit } from './visit.ts'

/** The node and time in the address of a report of the history. @throws QueryError for no time */
export function hintIn({ url: { searchParams } }: Visit): ReportHint | null {
  const [certname, text] = [searchParams.get('certname'), searchParams.get('producer_timestamp')]
  if (certname === null || text === null) return null
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw new QueryError(`producer_timestamp takes a timestamp, not '${text}'.`)
  return { certname, time }
}

/** @throws NotFound where the history doesn't show it to the reader */
export async function readArchived(
  visit: Visit,
  hash: string,
  hint: ReportHint,
): Promise<ReportPage> {
  const { archivedReportPage } = await import('../http/insights/routes.ts')
  const { database, history } = visit
  return archivedReportPage({ database, history, view: await wholeView(visit) }, hash, hint)
}

/** The parameters of links to this report, or another one of the history. */
export const parametersOf = ({ archived, certname }: ReportPage, time: string): Changes =>
  archived === undefined ? {} : hintOf(certname, time)
