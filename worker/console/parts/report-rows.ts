/** A table of reports. */

import type { ReportRow } from '../../insight/reports/report-row.ts'
import { nodeAddress, reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { columns } from './plain-table.ts'
import { duration, short } from '../format.ts'
import { mark } from './mark.ts'
import { happened } from './node-rows.ts'
import { when } from './time.ts'

/** @param named whether rows name their node */
export const reportTable = (rows: readonly ReportRow[], now: number, named: boolean): Html =>
  html`<table class="list cards">
    ${columns('Time', 'State', ...(named ? ['Node'] : []), 'Events', '#Took', 'Environment', 'Agent', 'Code')}
    <tbody>
      ${each(
        rows,
        (row) =>
          html`<tr>
            <th scope="row" class="t">
              <a href="${reportAddress(row.hash)}">${when(row.producer_timestamp, now)}</a>
            </th>
            <td>${mark(row)}</td>
            ${named ? html`<td><a href="${nodeAddress(row.certname)}">${row.certname}</a></td>` : ''}
            <td>${happened(row)}</td>
            <td class="n">${duration(row.seconds)}</td>
            <td>${row.environment}</td>
            <td>${row.agent_version}</td>
            <td class="code">${row.code_version === null ? '' : short(row.code_version)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
