/** Says on pages about long spans how far back the database reaches, and where the rest is. */

import { commandText } from '../../lib/command-text.ts'
import type { HistoryReach } from '../../store/history.ts'
import { number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { minuteOf } from '../span.ts'

/** @param sql that asks the history the question of the page */
export const historyNote = (reach: HistoryReach | null, sql: string): Html =>
  reach === null
    ? ''
    : html`<p class="foot">
        The database holds
        ${reach.oldest === null ? 'no reports' : `reports from ${minuteOf(reach.oldest)} on`}. The
        history holds ${reach.first} to ${reach.last}:
        <code>${commandText('history', 'sql')} "${sql}"</code>
        ${reach.bytes === undefined ? '' : `reads up to ${number(Math.ceil(reach.bytes / 1e6))} MB.`}
      </p>`

/** Text in quotes of SQL, in a command line in double quotes. */
export const sqlQuoted = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/["\\$\`]/g, '\\$&')}'`
