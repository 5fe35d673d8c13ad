/** A table of reports. */

import type { ReportRow } from '../../insight/reports/report-row.ts'
import { reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { columns, cut } from './plain-table.ts'
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
    ${columns(...(named ? ['Node'] : []), 'Time', 'State', 'Events', ...(named ? ['Environment', 'Agent'] : []), 'Code', '#Took')}
    <tbody>
      ${each(
        rows,
        (row) =>
          html`<tr>
            ${named ? html`<th scope="row" class="name">${nameOf(row.certname)}</th>` : ''}${timeCell(row, now, named)}
            <td class="state">${mark(row)}</td>
            <td class="last">${happened(row)}</td>
            ${
              named
                ? html`<td class="env">${cut(row.environment)}</td>
                    <td class="t minor">${row.agent_version}</td>`
                : ''
            }
            <td class="code hide">${row.code_version === null ? '' : short(row.code_version)}</td>
            <td class="n hide">${duration(row.seconds)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** The time of a run leads to its report; where the row names no node, it names the row. */
function timeCell(
  { hash, producer_timestamp: time }: ReportRow,
  now: number,
  named: boolean,
): Html {
  const link = html`<a href="${reportAddress(hash)}">${when(time, now)}</a>`
  return named ? html`<td class="t">${link}</td>` : html`<th scope="row" class="t">${link}</th>`
}
