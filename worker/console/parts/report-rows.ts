/** A table of reports. */

import type { ReportRow } from '../../insight/reports/report-row.ts'
import { reportAddress } from '../address.ts'
import { html, type Html } from '../html.ts'
import { duration } from '../format.ts'
import { mark, saidState } from './mark.ts'
import { nodeNames } from './node-name.ts'
import { happened } from './node-rows.ts'
import { cut, table, type TableColumn } from './table.ts'
import { saidWhen, when } from './time.ts'

/** @param named whether rows name their node, with what its own page says once */
export function reportTable(rows: readonly ReportRow[], now: number, named: boolean): Html {
  const nameOf = nodeNames(rows)
  const ofNode: readonly TableColumn<ReportRow>[] = [
    ['Node', 'name', ({ certname }) => nameOf(certname, html` tabindex="-1"`)],
  ]
  const environment: TableColumn<ReportRow> = ['Environment', 'env', (row) => cut(row.environment)]
  const columns: readonly (TableColumn<ReportRow> | 'agent_version' | 'code_version')[] = [
    ...(named ? ofNode : []),
    ['Time', named ? 't said' : 't name said', (row) => timeLink(row, now, named)],
    ['State', 'state', (row) => mark(row)],
    ['Events', 'last', (row) => happened(row)],
    ...(named ? ([environment, 'agent_version'] as const) : []),
    'code_version',
    ['Took', 'n hide', ({ seconds }) => duration(seconds)],
  ]
  return table<ReportRow>(rows, columns, { ofLinks: true })
}

/** The link to a report, whose name says the row once: `5 min ago, web-01, failed`. */
function timeLink(row: ReportRow, now: number, named: boolean): Html {
  const { hash, producer_timestamp: time, certname } = row
  const words = [saidWhen(time, now), ...(named ? [certname] : []), saidState(row)]
  return html`<a href="${reportAddress(hash)}" aria-label="${words.join(', ')}"
    ><span aria-hidden="true">${when(time, now)}</span></a
  >`
}
