/** The plan of a query: the lines of SQLite's plan that say what is read, and the SQL. */

import { card } from './list.ts'
import type { QueryExplanation } from '../../insight/assist/explanation.ts'
import { html, type Html } from '../html.ts'
import { counted, number } from '../format.ts'

export const explanation = ({ sql, ...explained }: QueryExplanation): Html =>
  card(
    {
      name: 'Query plan',
      note: html`${counted(explained.rows_read, 'row')} read for the first ${number(explained.rows)}
      · ${explained.milliseconds.toFixed(1)} ms`,
    },
    sql === null
      ? html`<p>Nothing is read: the service stores no such rows.</p>`
      : html`<pre class="note">${explained.plan.join('\n')}</pre>
          <pre class="note">${sql}</pre>
          <pre class="note">${JSON.stringify(explained.parameters)}</pre>`,
  )
