/** The rows of a query as a table, a chart or JSON. Numbers keep every digit of the answer. */

import type { Json } from '../../lib/json.ts'
import { ExactNumber, isRecord, jsonText, parseJson } from '../../lib/lossless.ts'
import { prettyJson } from '../../lib/pretty.ts'
import { address, nodeAddress, reportAddress } from '../address.ts'
import { each, html, type Content, type Html } from '../html.ts'
import { share } from '../svg/spark.ts'
import type { Visit } from '../visit.ts'
import { counted } from '../format.ts'
import { nothing } from './list.ts'
import { columns } from './plain-table.ts'
import { when } from './time.ts'

type Row = Readonly<Record<string, Json>>

const CHARTED = 50
const LONGEST_CELL = 160

/** A row from its JSON text. Numbers that JavaScript would round keep their digits. */
export function rowOf(text: string): Row {
  const row = parseJson(text)
  return isRecord(row) ? row : {}
}

export const columnsOf = (rows: readonly Row[]): readonly string[] => Object.keys(rows[0] ?? {})

const isNumber = (value: Json | undefined): value is number =>
  typeof value === 'number' || (value as unknown) instanceof ExactNumber

export const isNumeric = (rows: readonly Row[], column: string): boolean =>
  rows.some((row) => isNumber(row[column]))

export const resultJson = (texts: readonly string[]): Html =>
  html`<pre class="note">${prettyJson(`[${texts.join(',')}]`)}</pre>`

/** A table in the order of the query. */
export function resultTable(visit: Visit, rows: readonly Row[]): Html {
  const names = columnsOf(rows)
  const numeric = new Set(names.filter((column) => isNumeric(rows, column)))
  return html`<div class="card wide" tabindex="0" role="region" aria-label="Result">
    <table class="list">
      ${columns(...names.map((column) => (numeric.has(column) ? `#${column}` : column)))}
      <tbody>
        ${each(
          rows,
          (row) =>
            html`<tr>
              ${each(names, (column) => html`<td${numeric.has(column) ? html` class="n"` : ''}>${cell(visit, column, row[column] ?? null)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const LINKS: Readonly<Record<string, (value: string) => string>> = {
  certname: nodeAddress,
  hash: reportAddress,
  report: reportAddress,
  latest_report_hash: reportAddress,
}

function cell({ now }: Visit, column: string, value: Json): Content {
  if (value === null) return html`<span class="muted">null</span>`
  if (isNumber(value)) return jsonText(value)
  if (typeof value !== 'string') {
    const text = jsonText(value)
    return html`<span class="mono"
      >${text.slice(0, LONGEST_CELL)}${text.length > LONGEST_CELL && '…'}</span
    >`
  }
  const href = Object.hasOwn(LINKS, column) ? LINKS[column]!(value) : null
  if (href !== null)
    return html`<a href="${href}">${/^[0-9a-f]{40}$/.test(value) ? value.slice(0, 8) : value}</a>`
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? when(value, now) : value
}

/** A column of numbers as bars, each beside its label. */
export function resultChart(visit: Visit, rows: readonly Row[]): Html {
  const names = columnsOf(rows)
  const { searchParams } = visit.url
  const y = searchParams.get('y') || names.find((column) => isNumeric(rows, column))
  const x = searchParams.get('x') || names.find((column) => column !== y)
  if (y === undefined || x === undefined || !names.includes(x) || !isNumeric(rows, y)) {
    return nothing(
      html`A chart needs a column of numbers and a column of labels, as in
        <a
          href="${address('/console/query', { q: 'reports[status, count()] { group by status }', view: 'chart' })}"
          ><code>reports[status, count()] { group by status }</code></a
        >.`,
    )
  }
  const bars = rows.slice(0, CHARTED).map((row) => {
    const text = jsonText(row[y] ?? null)
    const name = row[x] ?? null
    return { name: typeof name === 'string' ? name : jsonText(name), text, length: Number(text) }
  })
  const most = Math.max(1e-9, ...bars.map(({ length }) => length))
  return html`<section class="card">
    <table class="times">
      ${columns(x, `#${y}`, '~Bar')}
      <tbody>
        ${each(
          bars,
          ({ name, text, length }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="n">${text}</td>
              <td class="length">${share(Math.max(0, length) / most, 'f-changed')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${rows.length > CHARTED ? html`<p class="muted">The first ${CHARTED} of ${counted(rows.length, 'row')}.</p>` : ''}
  </section>`
}
