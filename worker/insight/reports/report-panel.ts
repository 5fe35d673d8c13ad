/** Answers one report of any age: from the database, else from the history. */

import { NotFound, QueryError } from '../../lib/errors.ts'
import { asText, type ValuesOf } from '../../schema/readers.ts'
import { readAll } from '../../store/batch-read.ts'
import { dataVersionRead } from '../data-version.ts'
import type { PanelDefinition, PanelSource } from '../panel.ts'
import { archivedReportPage } from '../years/archived-report.ts'
import { reportPageRead, type ReportPage } from './report-page.ts'

const TAKES = {
  certname: asText(
    'The node of the report. With its producer timestamp, the history is read for a report that the database has no more.',
  ),
  producer_timestamp: asText('The producer timestamp of the report, as a timestamp.'),
}
type Given = ValuesOf<typeof TAKES> & { readonly hash: string }

/** Reads the database and, where it has the report no more, the history. @throws NotFound @throws QueryError for no time */
async function reportOfAnyAge(
  source: PanelSource,
  { hash, certname, producer_timestamp: text }: Given,
): Promise<{ readonly answer: ReportPage; readonly version: string }> {
  const time = text === null ? NaN : Date.parse(text)
  if (text !== null && Number.isNaN(time))
    throw new QueryError(`producer_timestamp takes a timestamp, not '${text}'.`)
  const { database, view } = source
  try {
    return await readAll(database, {
      answer: reportPageRead(view, hash),
      version: dataVersionRead(),
    })
  } catch (error) {
    if (!(error instanceof NotFound) || certname === null || text === null) throw error
    const answer = await archivedReportPage(source, hash, { certname, time })
    return { answer, version: hash }
  }
}

export const REPORT_PANEL: PanelDefinition<'/reports/:hash', ReportPage> = {
  path: '/reports/:hash',
  summary:
    'One report with its events, logs, metrics and causes, from the history where it is old.',
  takes: TAKES,
  read: (view, { hash }: Given) => reportPageRead(view, hash),
  answer: reportOfAnyAge,
}
