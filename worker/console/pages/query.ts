/** The query page: PQL or AST in, a table, a chart, JSON or the plan out. */

import { QueryError } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { address, changed, nodeAddress, queryAddress, reportAddress } from '../address.ts'
import { ASSETS } from '../assets.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import { exports, nothing } from '../parts/list.ts'
import { when } from '../parts/time.ts'
import { PRESETS } from '../queries.ts'
import { explainQuery, firstRows, runQuery, type QueryRow } from '../run-query.ts'
import { chosen } from '../states.ts'
import { share } from '../svg/spark.ts'
import type { Visit } from '../visit.ts'
import { counted, number } from '../words.ts'

const VIEWS = ['table', 'chart', 'json', 'explain'] as const
const SHOWN = 500
const CHARTED = 50

async function show(visit: Visit): Promise<Page> {
  const { searchParams } = visit.url
  const query = (searchParams.get('q') ?? '').trim()
  const view = chosen(searchParams, 'view', VIEWS, 'table')
  const result = query === '' ? NONE : await resultOf(visit, query, view)
  return {
    title:
      query === ''
        ? 'Query'
        : `${/^\s*([\w]+|\[)/.exec(query)?.[1]?.replace('[', 'AST') ?? 'query'}: ${query.slice(0, 60)}`,
    body: html`<h1 class="sr">Query</h1>
      ${form(visit, query)}${result}${LIBRARY}`,
  }
}

const form = (visit: Visit, query: string): Html =>
  html`<form class="query" action="/console/query">
    <label for="q">Query in PQL or AST</label
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
      data-history
    >
${query}</textarea>
    <div class="row">
      <button class="primary">Run</button><small>Ctrl Enter</small
      ><span class="tabs"
        >${
          query === ''
            ? NONE
            : each(
                VIEWS,
                (name) =>
                  html`<a
                    href="${changed(visit.url, { view: name === 'table' ? null : name })}"
                    ${chosen(visit.url.searchParams, 'view', VIEWS, 'table') === name ? html` aria-current="true"` : ''}
                    >${name}</a
                  >`,
              )
        }</span
      ><span class="right">${query === '' ? NONE : exports(visit, null)}</span>
    </div>
  </form>`

async function resultOf(visit: Visit, query: string, view: (typeof VIEWS)[number]): Promise<Html> {
  try {
    if (view === 'explain') return explained(await explainQuery(visit, query))
    const began = performance.now()
    const { rows, more } = await firstRows(visit, query, SHOWN)
    const { rowsRead } = visit.database.usage
    const count = more
      ? `first ${counted(SHOWN, 'row')}; the exports have all`
      : counted(rows.length, 'row')
    const says = html`<p class="muted">
      ${count} · ${Math.round(performance.now() - began)} ms · ${counted(rowsRead, 'row')} read
    </p>`
    if (rows.length === 0)
      return html`${says}${nothing('The query is right, and nothing matches it.')}`
    if (view === 'json')
      return html`${says}
        <pre class="note">${JSON.stringify(rows, null, 2)}</pre>
        ${curl(visit, query)}`
    return html`${says}${view === 'chart' ? chart(visit, rows) : table(visit, rows)}${curl(visit, query)}`
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return html`<div class="note failed" role="alert"><pre>${error.message}</pre></div>`
  }
}

const columnsOf = (rows: readonly QueryRow[]): readonly string[] => Object.keys(rows[0] ?? {})
const isNumeric = (rows: readonly QueryRow[], column: string): boolean =>
  rows.some((row) => typeof row[column] === 'number')

/** In the order of the query: nothing is sorted anew. */
function table(visit: Visit, rows: readonly QueryRow[]): Html {
  const columns = columnsOf(rows)
  const numeric = new Set(columns.filter((column) => isNumeric(rows, column)))
  return html`<div class="wide" tabindex="0" role="region" aria-label="Result">
    <table class="list">
      <thead>
        <tr>
          ${each(columns, (column) => html`<th scope="col" ${numeric.has(column) ? html` class="n"` : ''}>${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${each(
          rows,
          (row) =>
            html`<tr>
              ${each(columns, (column) => html`<td${numeric.has(column) ? html` class="n"` : ''}>${cell(visit, column, row[column] ?? null)}</td>`)}
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
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string')
    return html`<span class="mono">${JSON.stringify(value).slice(0, 400)}</span>`
  const href = Object.hasOwn(LINKS, column) ? LINKS[column]!(value) : null
  if (href !== null)
    return html`<a href="${href}">${/^[0-9a-f]{40}$/.test(value) ? value.slice(0, 8) : value}</a>`
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? when(value, now) : value
}

function chart(visit: Visit, rows: readonly QueryRow[]): Html {
  const columns = columnsOf(rows)
  const { searchParams } = visit.url
  const y = searchParams.get('y') ?? columns.find((column) => isNumeric(rows, column))
  const x = searchParams.get('x') ?? columns.find((column) => column !== y)
  if (y === undefined || x === undefined || !columns.includes(x) || !isNumeric(rows, y)) {
    return nothing(
      html`A chart needs a column of numbers and one to tell them apart, as in
        <a
          href="${address('/console/query', { q: 'reports[status, count()] { group by status }', view: 'chart' })}"
          ><code>reports[status, count()] { group by status }</code></a
        >.`,
    )
  }
  const values = rows
    .slice(0, CHARTED)
    .map((row) => [String(row[x] ?? 'null'), Number(row[y] ?? 0)] as const)
  const most = Math.max(1e-9, ...values.map(([, value]) => value))
  return html`<table class="times">
      <thead>
        <tr>
          <th scope="col">${x}</th>
          <th scope="col" class="n">${y}</th>
          <th scope="col"><span class="sr">Bar</span></th>
        </tr>
      </thead>
      <tbody>
        ${each(
          values,
          ([name, value]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="n">${number(value)}</td>
              <td class="bar">${share(0, Math.max(0, value) / most, 'f-changed')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${rows.length > CHARTED ? html`<p class="muted">The first ${CHARTED} of ${counted(rows.length, 'row')}.</p>` : ''}`
}

const explained = (plan: unknown): Html =>
  html`<section>
    <h2>How it is answered</h2>
    <pre class="note">${JSON.stringify(plan, null, 2).replaceAll('\\n', '\n    ')}</pre>
  </section>`

/** A shell takes what stands in single quotes as it is. */
const curl = ({ url }: Visit, query: string): Html =>
  html`<details>
    <summary>With curl</summary>
    <pre class="note">
curl -G ${url.origin}/query/v4 -H 'Authorization: Bearer TOKEN' --data-urlencode 'query=${query.replaceAll("'", "'\\''")}'</pre>
  </details>`

const LIBRARY = html`<section>
    <h2>Queries to begin with</h2>
    <ul class="bare list">
      ${each(PRESETS, ({ title, query }) => html`<li><a href="${queryAddress(query)}">${title}</a></li>`)}
    </ul>
  </section>
  <section class="history" hidden>
    <h2>What you asked before</h2>
    <ul class="bare list"></ul>
  </section>`

export const query: PageRoute = {
  path: '/query',
  show,
  rows: (visit) => runQuery(visit, visit.url.searchParams.get('q') ?? ''),
}
