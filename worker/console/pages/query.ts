/** The query page: takes PQL, or a whole query in AST, and shows its rows or the query plan. */

import { queryLibraryRead } from '../../insight/assist/query-library.ts'
import { QueryError } from '../../lib/errors.ts'
import { attach } from '../../store/batch-read.ts'
import { html, NONE } from '../html.ts'
import type { Page } from '../page.ts'
import { library } from '../parts/library.ts'
import { isExplained, problemNote, queryForm } from '../parts/query-form.ts'
import { queryResult } from '../parts/result.ts'
import { queryInputOf, type QueryInput } from '../query-input.ts'
import { runQuery } from '../run-query.ts'
import { panels, type Visit } from '../visit.ts'

export const show = (visit: Visit): Promise<Page> => showQuery(visit)

/** @param refusal why a form of the page was refused */
export async function showQuery(visit: Visit, refusal: string | null = null): Promise<Page> {
  const input = queryInputOf(visit.url.searchParams)
  const attached = attach(queryLibraryRead())
  const readSaved = () => panels(visit, { saved: queryLibraryRead() })
  const [result, early] = await Promise.all([
    queryResult(visit, input, attached),
    // explain counts the rows it reads, so the saved queries are read separately.
    isExplained(visit) ? readSaved() : null,
  ])
  const saved = early?.saved ?? attached.found() ?? (await readSaved()).saved
  return {
    title: titleOf(input),
    inTitle: ['q'],
    body: html`<h1 class="sr">Query</h1>
      ${refusal === null ? NONE : problemNote({ message: refusal, from: null, to: null })}
      ${queryForm(visit, input)}${result}${library(visit, saved, input.query === null ? null : input.text)}`,
  }
}

const titleOf = ({ text, query }: QueryInput): string =>
  text === '' ? 'Query' : `${query?.entity ?? 'Query'}: ${text}`

export async function* rows(visit: Visit) {
  const { query, problem } = queryInputOf(visit.url.searchParams)
  if (query === null) throw new QueryError(problem?.message ?? 'There is no query in `q`.')
  yield* runQuery(visit, query)
}
