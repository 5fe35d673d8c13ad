/** Says on pages about long spans how far back the database reaches, and where the rest is. */

import { commandText } from '../../lib/command-text.ts'
import type { HistoryReach } from '../../store/history.ts'
import { number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { minuteOf } from '../span.ts'

/** The question of a page, put to the history: rows of one of its tables, by the first column. */
interface HistoryQuestion {
  readonly table: 'reports' | 'events' | 'logs'
  readonly columns: string
  /** Conditions that all rows fulfil. */
  readonly where: readonly string[]
}

const commandFor = ({ table, columns, where }: HistoryQuestion): string =>
  `${commandText('history', 'sql')} "select ${columns} from ${table}${where.length === 0 ? '' : ` where ${where.join(' and ')}`} order by 1"`

export const historyNote = (reach: HistoryReach | null, question: HistoryQuestion): Html =>
  reach === null
    ? ''
    : html`<p class="foot">
        The database holds
        ${reach.oldest === null ? 'no reports' : `reports from ${minuteOf(reach.oldest)} on`}. The
        history holds ${reach.first} to ${reach.last}:
        <code>${commandFor(question)}</code>
        ${reach.bytes === undefined ? '' : `reads up to ${number(Math.ceil(reach.bytes / 1e6))} MB.`}
      </p>`

/** Text in quotes of SQL, in a command line in double quotes. */
export const sqlQuoted = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/["\\$\`]/g, '\\$&')}'`
