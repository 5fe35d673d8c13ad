/** The reference: settings, endpoints, parameters, fields, metrics, tools and limits, as the build has listed them. */

import type { Call } from '../../http/context.ts'
import { readReference, type ReferenceList } from '../../http/description.ts'
import { counted } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, field, filters, nothing, title } from '../parts/list.ts'
import { table } from '../parts/plain-table.ts'
import type { Visit } from '../visit.ts'

export async function show(visit: Visit, call: Call): Promise<Page> {
  const text = (visit.url.searchParams.get('q') ?? '').trim()
  const lists = (await readReference(call)).flatMap((list) => withRowsOf(list, text))
  const count = lists.reduce((sum, { rows }) => sum + rows.length, 0)
  return {
    title: 'Reference',
    timeless: true,
    body: html`${title(html`Reference <span class="muted">${counted(count, 'entry', 'entries')}</span>`)}
      ${filters(visit, field(visit, 'q', 'Part of a name', 'Part of a name'))}
      ${count === 0 ? nothing('No entry has this text.') : contents(lists)} ${each(lists, listOf)}
      <p class="muted">For programs, <code>/openapi.json</code> describes the API.</p>`,
  }
}

/** The list with the rows that have the text in any cell; nothing without such rows. */
function withRowsOf(list: ReferenceList, text: string): ReferenceList[] {
  const wanted = text.toLowerCase()
  const rows = list.rows.filter((cells) =>
    cells.some((cell) => cell.toLowerCase().includes(wanted)),
  )
  return rows.length === 0 ? [] : [{ ...list, rows }]
}

const idOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const contents = (lists: readonly ReferenceList[]): Html =>
  html`<p>
    ${each(lists, ({ title }, index) => html`${index > 0 ? ' · ' : ''}<a href="#${idOf(title)}">${title}</a>`)}
  </p>`

const listOf = ({ title: name, about, columns, rows }: ReferenceList): Html =>
  card(
    { name, id: idOf(name) },
    html`<p class="muted">${withCode(about)}</p>
      ${table(
        columns,
        rows.map(([name = '', ...others]) => [html`<code>${name}</code>`, ...others.map(withCode)]),
      )}`,
  )

/** A text with what stands in backticks as code. */
const withCode = (text: string): Html =>
  html`${each(text.split('`'), (part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
