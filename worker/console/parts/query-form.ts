/** The form of the query page, and what is wrong with a query. */

import { ASSETS } from '../../http/assets.ts'
import type { QueryProblem } from '../../insight/assist/editor-answers.ts'
import { changed } from '../address.ts'
import { html, NONE, type Html } from '../html.ts'
import type { QueryInput } from '../query-input.ts'
import type { Visit } from '../visit.ts'
import { exports, keepOthers, tabs } from './list.ts'

/** Whether the page shows the plan of the query, and not its rows. */
export const isExplained = ({ url }: Pick<Visit, 'url'>): boolean =>
  url.searchParams.get('view') === 'explain'

export const queryForm = (visit: Visit, { text }: QueryInput): Html =>
  html`<form class="query" action="/console/query">
    <label for="q">Query in PQL</label
    ><textarea
      id="q"
      name="q"
      spellcheck="false"
      autocapitalize="off"
      autocomplete="off"
      placeholder="${'reports[certname, end_time] { status = "failed" order by end_time desc limit 20 }'}"
      data-editor="${ASSETS.editor}"
      data-complete="/console/complete"
      data-check="/console/check"
    >
${text}</textarea>
    ${keepOthers(visit, ['q'])}
    <div class="row">
      <button class="primary">Run</button
      ><small>Ctrl Enter</small>${text === '' ? NONE : views(visit)}
    </div>
  </form>`

function views({ url, now }: Visit): Html {
  const rows = new URL(changed(url, { view: null }), url)
  // An export has all rows, and not only those shown.
  return html`${tabs('View', [
      [rows.pathname + rows.search, 'Table', !isExplained({ url })],
      [changed(url, { view: 'explain' }), 'Explain', isExplained({ url })],
    ])}<span class="push">${exports({ url: rows, now }, null)}</span>`
}

/** @param text the query, in which the place of the problem is marked */
export const problemNote = ({ message, from, to }: QueryProblem, text = ''): Html =>
  html`<div class="note failed" role="alert">
    <pre>${guessFirst(message)}</pre>
    ${from === null || to === null || message.includes('column') ? NONE : placeOf(text, from, to)}
  </div>`

/** The guess that ends a message stands in front of it: most readers need no more. */
const guessFirst = (message: string): string =>
  message.replace(/^(.*?\.)( Known .*\.)( Did you mean .*\?)$/s, '$1$3$2')

/** The line of a query with the marked place, and its number among the characters for who reads it aloud. */
function placeOf(text: string, from: number, to: number): Html {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', from)
  const line = text.slice(begin, end < 0 ? text.length : end)
  const [left, right] = [from - begin, to - begin]
  return html`<small>At character ${from + 1}:</small>
    <pre>${line.slice(0, left)}<mark>${line.slice(left, right)}</mark>${line.slice(right)}</pre>`
}
