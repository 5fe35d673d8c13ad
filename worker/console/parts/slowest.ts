/** The slowest resources of a run. Only some senders report these times. */

import type { ReportPage } from '../../insight/reports/report-page.ts'
import type { SlowResourceRow } from '../../insight/reports/report-slowest.ts'
import { address } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { share } from '../svg/spark.ts'
import { duration } from '../format.ts'
import { card } from './list.ts'
import { columns } from './plain-table.ts'

/** Empty if the report has no such times. */
export function slowestResources({ slow_resources: slow, seconds }: ReportPage): Html {
  if (slow.length === 0) return ''
  const most = Math.max(seconds, slow[0]!.seconds)
  const row = ({ resource_type: type, resource_title: title, seconds: own }: SlowResourceRow) => {
    const resource = `${type}[${title}]`
    return html`<tr>
      <th scope="row">
        <a href="${address('/console/changes', { resource })}" title="${resource}">${resource}</a>
      </th>
      <td class="n">${duration(own)}</td>
      <td class="length">${share(own / most, 'f-quiet')}</td>
    </tr>`
  }
  return card(
    { name: 'Slowest resources', note: 'of the run', id: 'slowest' },
    html`<table class="times">
      ${columns('Resource', '#Time', '~Bar')}
      <tbody>
        ${each(slow, row)}
      </tbody>
    </table>`,
  )
}
