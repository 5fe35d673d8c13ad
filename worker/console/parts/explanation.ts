/** The plan of a query: in words, then as SQL. */

import { card } from './list.ts'
import type { QueryExplanation } from '../../insight/assist/explanation.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { counted, number } from '../format.ts'

export const explanation = (explained: QueryExplanation): Html =>
  card(
    {
      name: 'Query plan',
      note: html`${counted(explained.rows_read, 'row')} read for the first ${number(explained.rows)}
      · ${explained.milliseconds.toFixed(1)} ms`,
    },
    html`<ol>
        ${each(explained.words, (words) => html`<li>${words}</li>`)}
      </ol>
      ${
        explained.sql === null
          ? NONE
          : html`<details>
              <summary>SQL and SQLite’s plan</summary>
              <pre class="note">${explained.sql}</pre>
              <pre class="note">${JSON.stringify(explained.parameters)}</pre>
              <pre class="note">${explained.plan.join('\n')}</pre>
            </details>`
      }`,
  )
