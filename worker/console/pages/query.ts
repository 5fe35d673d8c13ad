/** The query page: takes PQL, or a whole query in AST, and shows a table, a chart, JSON or the query plan. */

import type { QueryProblem } from '../../insight/assist/editor-answers.ts'
import { queryLibraryRead } from '../../insight/assist/query-library.ts'
import { refuseToExplain, explainQuery } from '../../insight/assist/explanation.ts'
import { attach, type BatchRead } from '../../store/batch-read.ts'
import { Denied, QueryError } from '../../lib/errors.ts'
import { changed } from '../address.ts'
import { ASSETS } from '../../http/assets.ts'
import { html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import {
  exports,
  filters,
  keep,
  nothing,
  pager,
  selectField,
  tabs,
  type Choice,
} from '../parts/list.ts'
import { library } from '../parts/library.ts'
import {
  columnsOf,
  isNumeric,
  resultChart,
  resultJson,
  resultTable,
  rowOf,
} from '../parts/result.ts'
import { explanation } from '../parts/explanation.ts'
import { problemOf, queryInputOf, type QueryInput } from '../query-input.ts'
import { runQuery, somePages } from '../run-query.ts'
import { chosen } from '../states.ts'
import { panels, type Visit } from '../visit.ts'
import { counted, number } from '../format.ts'

const VIEWS = ['table', 'chart', 'json', 'explain'] as const
type View = (typeof VIEWS)[number]
const SHOWN = 100

const viewOf = ({ url: { searchParams } }: Visit): View =>
  chosen(searchParams, 'view', VIEWS, 'table')

/** @param refusal why a form of the page was refused */
export const show = (visit: Visit): Promise<Page> => showQuery(visit)

export async function showQuery(visit: Visit, refusal: string | null = null): Promise<Page> {
  const input = queryInputOf(visit.url.searchParams)
  const attached = attach(queryLibraryRead())
  const readSaved = () => panels(visit, { saved: queryLibraryRead() })
  const [result, early] = await Promise.all([
    resultOf(visit, input, attached),
    // explain counts the rows it reads, so the saved queries are read separately.
    viewOf(visit) === 'explain' ? readSaved() : null,
  ])
  const saved = early?.saved ?? attached.found() ?? (await readSaved()).saved
  return {
    title: titleOf(input),
    inTitle: ['q'],
    body: html`<h1 class="sr">Query</h1>
      ${refusal === null ? NONE : problemNote({ message: refusal, from: null, to: null })}
      ${form(visit, input)}${result}${library(visit, saved, input.query === null ? null : input.text)}`,
  }
}

const titleOf = ({ text, query }: QueryInput): string =>
  text === '' ? 'Query' : `${query?.entity ?? 'Query'}: ${text}`

const form = (visit: Visit, { text }: QueryInput): Html =>
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
      data-history
    >
${text}</textarea>
    ${keep(visit, ['view'])}
    <div class="row">
      <button class="primary">Run</button><small>Ctrl Enter</small>${
        text === ''
          ? NONE
          : html`${tabs(
                'View',
                VIEWS.map((view) => [
                  changed(visit.url, { view }),
                  LABELS[view],
                  view === viewOf(visit),
                ]),
              )}<span class="push">${exports(visit, null, { search: searchOf(visit) })}</span>`
      }
    </div>
  </form>`

/** The parameters of an export, which has all rows and not only those shown. */
const searchOf = ({ url }: Visit): string =>
  new URL(changed(url, { view: null, x: null, y: null }), url).search

const LABELS: Readonly<Record<View, string>> = {
  table: 'Table',
  chart: 'Chart',
  json: 'JSON',
  explain: 'Explain',
}

/** @param text the query, in which the place of the problem is marked */
const problemNote = ({ message, from, to }: QueryProblem, text = ''): Html =>
  html`<div class="note failed" role="alert">
    <pre>${guessFirst(message)}</pre>
    ${from === null || message.includes('column') ? NONE : placeOf(text, from, to ?? from)}
  </div>`

/** The guess that ends a message stands in front of it: most readers need no more. */
const guessFirst = (message: string): string =>
  message.replace(/^(.*?\.)( Known .*\.)( Did you mean .*\?)$/s, '$1$3$2')

/** The line of a query with the marked place, and its number among the characters for who reads it aloud. */
function placeOf(text: string, from: number, to: number): Html {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', from)
  const line = text.slice(begin, end < 0 ? text.length : end)
  const [left, right] = [from - begin, Math.max(to, from + 1) - begin]
  return html`<small>At character ${from + 1}:</small>
    <pre>
${line.slice(0, left)}<mark>${line.slice(left, right) || ' '}</mark>${line.slice(right)}</pre>`
}

async function resultOf(
  visit: Visit,
  input: QueryInput,
  attached: BatchRead<unknown>,
): Promise<Html> {
  const { query, problem, text } = input
  if (problem !== null) return problemNote(problem, text)
  if (query === null) return NONE
  try {
    const view = viewOf(visit)
    const restricted = visit.reader.restrictions !== null
    if (view !== 'explain')
      return html`${await rowsOf(visit, query, view, attached)}${curl(visit, text)}`
    refuseToExplain(restricted)
    return explanation(await explainQuery(visit.database, query, restricted))
  } catch (error) {
    if (error instanceof Denied)
      return problemNote({ message: error.message, from: null, to: null })
    if (!(error instanceof QueryError)) throw error
    return problemNote(problemOf(error.message, text), text)
  }
}

async function rowsOf(
  visit: Visit,
  query: NonNullable<QueryInput['query']>,
  view: View,
  attached: BatchRead<unknown>,
): Promise<Html> {
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
  if (rows.length === 0) {
    return html`${summary}${nothing(from > 0 ? 'No more rows.' : 'No rows match this query.')}`
  }
  return html`${summary}${shownAs(visit, rows, view)}${some ? pager(visit, more ? String(from + SHOWN) : null, NONE) : NONE}`
}

function shownAs(visit: Visit, texts: readonly string[], view: View): Html {
  if (view === 'json') return resultJson(texts)
  const rows = texts.map(rowOf)
  return view === 'chart'
    ? html`${axes(
        visit,
        columnsOf(rows),
        columnsOf(rows).filter((name) => isNumeric(rows, name)),
      )}${resultChart(visit, rows)}`
    : resultTable(visit, rows)
}

/** The choice of the chart's columns. */
const axes = (visit: Visit, columns: readonly string[], numeric: readonly string[]): Html => {
  const choices = (names: readonly string[]): Choice[] => names.map((name): Choice => [name, name])
  return numeric.length === 0
    ? NONE
    : filters(
        selectField(visit, 'y', 'Values', choices(numeric), numeric[0]),
        selectField(
          visit,
          'x',
          'Labels',
          choices(columns),
          columns.find((name) => name !== numeric[0]),
        ),
      )
}

/** The query as a curl command. Single quotes keep the shell from changing the query. */
const curl = ({ url }: Visit, query: string): Html =>
  html`<details>
    <summary>curl command</summary>
    <pre class="note">
curl -G ${url.origin}/query/v4 -H 'Authorization: Bearer TOKEN' --data-urlencode 'query=${query.replaceAll("'", "'\\''")}'</pre>
  </details>`

export async function* rows(visit: Visit) {
  const { query, problem } = queryInputOf(visit.url.searchParams)
  if (query === null) throw new QueryError(problem?.message ?? 'There is no query in `q`.')
  yield* runQuery(visit, query)
}
