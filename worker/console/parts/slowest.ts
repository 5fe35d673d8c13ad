/** The slowest resources of a run. Only some senders report these times. */

import type { ReportPage } from '../../insight/reports/report-page.ts'
import type { SlowResourceRow } from '../../insight/reports/report-slowest.ts'
import { address } from '../address.ts'
import { html, type Html } from '../html.ts'
import { share } from '../svg/spark.ts'
import { card } from './list.ts'
import { table } from './table.ts'

/** Empty if the report has no such times. */
export function slowestResources({ slow_resources: slow, seconds }: ReportPage): Html {
  if (slow.length === 0) return ''
  const most = Math.max(seconds, slow[0]!.seconds)
  return card(
    { name: 'Slowest resources', note: 'of the run', id: 'slowest' },
    table<SlowResourceRow>(
      slow,
      [
        ['Resource', 'row', resourceLink],
        'seconds',
        ['~Bar', 'length', (row) => share(row.seconds / most, 'f-quiet')],
      ],
      { look: 'times' },
    ),
  )
}

function resourceLink({ resource_type: type, resource_title: title }: SlowResourceRow): Html {
  const resource = `${type}[${title}]`
  return html`<a href="${address('/console/changes', { resource })}" title="${resource}"
    >${resource}</a
  >`
}
