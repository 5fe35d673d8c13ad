/** How a query is answered, in words first. */

import type { QueryExplanation } from '../../insight/shapes.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { counted, number } from '../words.ts'

export const explanation = (explained: QueryExplanation): Html =>
  html`<section>
    <div class="head">
      <h2>How it is answered</h2>
      <small
        >${counted(explained.rows_read, 'row')} read for the first ${number(explained.rows)} ·
        ${explained.milliseconds.toFixed(1)} ms</small
      >
    </div>
    <ol>
      ${each(explained.words, (words) => html`<li>${words}</li>`)}
    </ol>
    ${
      explained.sql === null
        ? NONE
        : html`<details>
            <summary>SQL, and SQLite’s plan of it</summary>
            <pre class="note">${explained.sql}</pre>
            <pre class="note">${JSON.stringify(explained.parameters)}</pre>
            <pre class="note">${explained.plan.join('\n')}</pre>
          </details>`
    }
  </section>`
