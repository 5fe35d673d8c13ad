/** What pages over years share: what they read from, how far they looked, and which files are missing. */

import type { Looked } from '../../insight/years/looked.ts'
import { counted } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { wholeView, type Visit } from '../visit.ts'
import { card } from './list.ts'
import { table, type TableColumn } from './table.ts'
import { moment } from './time.ts'

/** The history, and all nodes that the reader sees. */
export const yearsSource = async (visit: Visit) => ({
  database: visit.database,
  view: await wholeView(visit),
  history: visit.history,
})

export function yearsReach({ from, until, files, reads }: Looked, now: number): Html {
  const read =
    files === 0 ? '' : `: ${counted(files, 'file')} of the history, in ${counted(reads, 'read')}`
  return from === null
    ? html`Everything that is kept was read${read}.`
    : html`Read from ${moment(from, now)} to ${moment(until, now)}${read}.`
}

/** @param columns of the table, after the month */
export const monthsCard = <Month extends { readonly month: string }>(
  months: readonly Month[],
  columns: readonly (TableColumn<Month> | (keyof Month & string))[],
): Html => card({ name: 'Months', note: 'UTC' }, table<Month>(months, ['month', ...columns]))

/** @param what is missing with the files */
export const missingFiles = ({ unreadable }: Looked, what: string): Html =>
  unreadable.length === 0
    ? NONE
    : html`<p class="note failed">
        ${counted(unreadable.length, 'file')} of the history could not be read, and its ${what} are
        missing here: ${unreadable.join(', ')}
      </p>`
