/** All fields of a report that its page doesn't show elsewhere, and its metrics. */

import type { ReportPage } from '../../insight/reports/report-page.ts'
import { listed, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { table } from './table.ts'

/** The report's own fields in the section Details. */
const DETAILS = [
  'hash',
  'start_time',
  'end_time',
  'receive_time',
  'configuration_version',
  'code_id',
  'producer',
  'status',
  'cached_catalog_status',
  'transaction_uuid',
  'catalog_uuid',
  'job_id',
  'report_format',
] as const

export function reportFieldList(report: ReportPage): Html {
  const other = report.metrics.filter(({ category }) => category !== 'time')
  const groups = Object.entries(Object.groupBy(other, ({ category }) => category))
  return html`<details class="card fold">
    <summary>All fields of the report</summary>
    <div class="two">
      ${table(
        DETAILS.filter((name) => report[name]).map((name) => ({ name })),
        [
          ['Field', 'row muted', ({ name }) => name.replaceAll('_', ' ')],
          ['Value', 'mono', ({ name }) => String(report[name])],
        ],
        { look: '', hasHead: false },
      )}
      ${table(
        groups,
        [
          ['Category', 'row muted', ([category]) => category],
          [
            'Metrics',
            '',
            ([, metrics = []]) =>
              listed(
                metrics.map(({ name, value }) => `${number(value)} ${name.replaceAll('_', ' ')}`),
              ),
          ],
        ],
        { look: '', hasHead: false },
      )}
    </div>
  </details>`
}
