/** A table of reports. */

import type { ReportRow } from '../../insight/reports/report-row.ts'
import { reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { columns } from './plain-table.ts'
import { duration } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { mark } from './mark.ts'
import { nodeNames } from './node-name.ts'
import { happened } from './node-rows.ts'
import { when } from './time.ts'

/** @param named whether rows name their node, with what its own page says once */
export const reportTable = (rows: readonly ReportRow[], now: number, named: boolean): Html => {
  const nameOf = nodeNames(rows)
  return html`<table class="list cards">
    ${columns('Time', 'State', ...(named ? ['Node'] : []), 'Events', '#Took', ...(named ? ['Environment', 'Agent'] : []), 'Code')}
    <tbody>
      ${each(
        rows,
        (row) =>
          html`<tr>
            <th scope="row" class="t">
              <a href="${reportAddress(row.hash)}">${when(row.producer_timestamp, now)}</a>
            </th>
            <td>${mark(row)}</td>
            ${named ? html`<td>${nameOf(row.certname)}</td>` : ''}
            <td>${happened(row)}</td>
            <td class="n" data-l="took">${duration(row.seconds)}</td>
            ${
              named
                ? html`<td>${row.environment}</td>
                    <td class="t minor">${row.agent_version}</td>`
                : ''
            }
            <td class="code">${row.code_version === null ? '' : short(row.code_version)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
