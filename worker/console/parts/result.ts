/** The rows of a query as a table, a chart or JSON. Numbers keep every digit of the answer. */

import type { Json } from '../../lib/json.ts'
import { isNumber, isRecord, jsonText, parseJson } from '../../lib/lossless.ts'
import { prettyJson } from '../../lib/pretty.ts'
import { address } from '../address.ts'
import { html, type Html } from '../html.ts'
import { share } from '../svg/spark.ts'
import type { Visit } from '../visit.ts'
import { counted } from '../format.ts'
import { nothing } from './list.ts'
import { table, valueCell, type TableColumn } from './table.ts'

type Row = Readonly<Record<string, Json>>

const CHARTED = 50

/** A row from its JSON text. Numbers that JavaScript would round keep their digits. */
export function rowOf(text: string): Row {
  const row = parseJson(text)
  return isRecord(row) ? row : {}
}

export const columnsOf = (rows: readonly Row[]): readonly string[] => Object.keys(rows[0] ?? {})

export const isNumeric = (rows: readonly Row[], column: string): boolean =>
  rows.some((row) => isNumber(row[column]))

export const resultJson = (texts: readonly string[]): Html =>
  html`<pre class="note">${prettyJson(`[${texts.join(',')}]`)}</pre>`

/** A table in the order of the query, with its own headings. */
export const resultTable = ({ now }: Visit, rows: readonly Row[]): Html =>
  html`<div class="card wide" tabindex="0" role="region" aria-label="Result">
    ${table(
      rows,
      columnsOf(rows).map((name): TableColumn<Row> => [
        name,
        isNumeric(rows, name) ? 'n' : '',
        (row) => valueCell(name, row[name] ?? null, now),
      ]),
      { look: 'list' },
    )}
  </div>`

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
    ${table<(typeof bars)[number]>(
      bars,
      [
        [x, 'row', ({ name }) => name],
        [y, 'n', ({ text }) => text],
        ['~Bar', 'length', ({ length }) => share(Math.max(0, length) / most, 'f-changed')],
      ],
      { look: 'times' },
    )}
    ${rows.length > CHARTED ? html`<p class="muted">The first ${CHARTED} of ${counted(rows.length, 'row')}.</p>` : ''}
  </section>`
}
