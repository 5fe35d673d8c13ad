/** What a query answers: its rows as a table, or how they are read. Numbers keep every digit of the answer. */

import {
  explainQuery,
  refuseToExplain,
  type QueryExplanation,
} from '../../insight/assist/explanation.ts'
import { Denied, QueryError } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { isNumber, isRecord, parseJson } from '../../lib/lossless.ts'
import type { Query } from '../../query/ast.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { problemOf, type QueryInput } from '../query-input.ts'
import { somePages } from '../run-query.ts'
import type { Visit } from '../visit.ts'
import { card, nothing, pager } from './list.ts'
import { isExplained, problemNote } from './query-form.ts'
import { table, valueCell, type TableColumn } from './table.ts'

const SHOWN = 100

/** @param attached what is read in the same round trip */
export async function queryResult(
  visit: Visit,
  { query, problem, text }: QueryInput,
  attached: BatchRead<unknown>,
): Promise<Html> {
  if (problem !== null) return problemNote(problem, text)
  if (query === null) return NONE
  try {
    if (!isExplained(visit))
      return html`${await rowsOf(visit, query, attached)}${curl(visit, text)}`
    const isRestricted = visit.reader.restrictions !== null
    refuseToExplain(isRestricted)
    return explanation(await explainQuery(visit.database, query, isRestricted))
  } catch (error) {
    if (error instanceof Denied)
      return problemNote({ message: error.message, from: null, to: null })
    if (!(error instanceof QueryError)) throw error
    return problemNote(problemOf(error.message, text), text)
  }
}

async function rowsOf(visit: Visit, query: Query, attached: BatchRead<unknown>): Promise<Html> {
  const began = performance.now()
  const from = Math.max(0, Math.floor(Number(visit.url.searchParams.get('cursor')) || 0))
  const { rows, more } = await somePages(visit, query, { from, most: SHOWN, attached })
  const { rowsRead } = visit.database.usage
  const some = more || from > 0
  const count = some
    ? `Rows ${number(from + 1)}–${number(from + rows.length)} (export for all)`
    : counted(rows.length, 'row')
  const summary = html`<p class="muted">
    ${count} · ${Math.round(performance.now() - began)}
    ms${visit.reader.restrictions === null ? ` · ${counted(rowsRead, 'row')} read` : ''}
  </p>`
  if (rows.length === 0)
    return html`${summary}${nothing(from > 0 ? 'No more rows.' : 'No rows match this query.')}`
  return html`${summary}${resultTable(visit, rows.map(rowOf))}${some ? pager(visit, more ? String(from + SHOWN) : null, NONE) : NONE}`
}

type Row = Readonly<Record<string, Json>>

/** A row from its JSON text. Numbers that JavaScript would round keep their digits. */
function rowOf(text: string): Row {
  const row = parseJson(text)
  return isRecord(row) ? row : {}
}

/** A table in the order of the query, with its own headings. */
const resultTable = ({ now }: Visit, rows: readonly Row[]): Html =>
  html`<div class="card wide" tabindex="0" role="region" aria-label="Result">
    ${table(
      rows,
      Object.keys(rows[0] ?? {}).map((name): TableColumn<Row> => [
        name,
        rows.some((row) => isNumber(row[name])) ? 'n' : '',
        (row) => valueCell(name, row[name] ?? null, now),
      ]),
      { look: 'list' },
    )}
  </div>`

/** The query as a curl command. Single quotes keep the shell from changing the query. */
const curl = ({ url }: Visit, query: string): Html =>
  html`<details>
    <summary>curl command</summary>
    <pre class="note">
curl -G ${url.origin}/query/v4 -H 'Authorization: Bearer TOKEN' --data-urlencode 'query=${query.replaceAll("'", "'\\''")}'</pre>
  </details>`

/** The lines of SQLite's plan that say what is read, and the SQL. */
const explanation = ({ sql, ...explained }: QueryExplanation): Html =>
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
