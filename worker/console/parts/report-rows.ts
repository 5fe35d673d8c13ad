/** A table of reports. */

import type { ReportRow } from '../../insight/reports/report-row.ts'
import { reportAddress } from '../address.ts'
import { html } from '../html.ts'
import { duration } from '../format.ts'
import { mark } from './mark.ts'
import { happened } from './node-rows.ts'
import { cut, table, type TableColumn } from './table.ts'
import { when } from './time.ts'

/** @param named whether rows name their node, with what its own page says once; otherwise the time names the row */
export function reportTable(rows: readonly ReportRow[], now: number, named: boolean) {
  const state: readonly TableColumn<ReportRow>[] = [
    [
      'Time',
      named ? 't' : 't name',
      ({ hash, producer_timestamp: time }) =>
        html`<a href="${reportAddress(hash)}">${when(time, now)}</a>`,
    ],
    ['State', 'state', (row) => mark(row)],
    ['Events', 'last', (row) => happened(row)],
  ]
  const took: TableColumn<ReportRow> = ['Took', 'n hide', ({ seconds }) => duration(seconds)]
  return named
    ? table<ReportRow>(rows, [
        'certname',
        ...state,
        ['Environment', 'env', ({ environment }) => cut(environment)],
        'agent_version',
        'code_version',
        took,
      ])
    : table<ReportRow>(rows, [...state, 'code_version', took])
}
