/** Answers `/insight/v1`: scope and parameters in, JSON with an ETag out. */

import { dataVersionRead } from '../../insight/data-version.ts'
import { createHash } from 'node:crypto'
import { rowPolicyOf } from '../../access/restrictions.ts'
import { readOne } from '../../store/batch-read.ts'
import { readScope } from '../../insight/scope.ts'
import { viewOf } from '../../insight/view.ts'
import { prettyJson } from '../../lib/pretty.ts'
import type { Database } from '../../store/database.ts'
import { formOf, type Form } from '../accept.ts'
import { bookmarkOf } from '../bookmark.ts'
import type { Call, Handler } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { emptyResponse, jsonResponse, type Headers } from '../respond.ts'
import { rowsResponse } from '../rows-response.ts'
import { visibleHistory } from '../history/visible-history.ts'
import type { PanelDefinition } from '../../insight/panel.ts'
import { COMMON_PARAMETERS, readParameters, SCOPE_PARAMETERS } from './parameters.ts'

/**
 * Answers a panel in one round trip, which reads one row if an unrestricted client has the answer already. All
 * rows of a list take a round trip for each page.
 *
 * @param suffix the form that the path's suffix names; null without one
 */
export const answerInsight =
  (panel: PanelDefinition, suffix: Form | null = null): Handler =>
  async (call) => {
    const { restrictions } = call.var.principal
    const { searchParams } = new URL(call.req.url)
    const { pretty } = COMMON_PARAMETERS
    const sent = readParameters(searchParams, { ...panel.takes, pretty })
    const given = { ...sent, ...call.req.param() } as never
    const scope = Object.fromEntries(
      Object.keys(SCOPE_PARAMETERS).map((name) => [name, searchParams.get(name) ?? undefined]),
    )
    const database = call.var.databases.nearest(bookmarkOf(call.req.raw))
    // A page of a list is one object. Any other form than JSON, and any suffix, asks for all rows.
    const form = suffix ?? formOf(call.req.header('accept'))!
    const table = suffix !== null || form !== 'json' ? panel.table : undefined
    const presented = call.req.header('if-none-match')
    if (presented !== undefined && !table && restrictions === null) {
      const etag = etagOf(await readOne(database, dataVersionRead()), call.req.url)
      if (presented === etag) return emptyResponse('not modified', headersOf(call, database, etag))
    }
    const view = await viewOf(
      database,
      readScope(scope, Date.now(), rowPolicyOf(restrictions), call.var.settings),
    )
    const history = visibleHistory(call, restrictions)
    const source = { database, view, history }
    if (table) {
      return rowsResponse(table.rows(source, given, searchParams.has('limit')), form, {
        pretty: sent.pretty,
        columns: table.columns,
        trace: call.var.trace,
        headers: () => costHeaders(call, database),
      })
    }
    const { answer, version } = await panel.answer(source, given)
    const text = JSON.stringify(answer)
    // The version of the data changes when a report arrives that restricted readers may not see.
    const etag = etagOf(restrictions === null ? version : text, call.req.url)
    const headers = headersOf(call, database, etag)
    if (presented === etag) return emptyResponse('not modified', headers)
    return jsonResponse(sent.pretty ? prettyJson(text) : text, headers)
  }

const headersOf = (call: Call, database: Database, etag: string): Headers => ({
  ...costHeaders(call, database),
  etag,
  'cache-control': 'private, no-cache',
})

/** Weak: the same question about the same data, except for what passing time changes. @param version of the data, or the data */
function etagOf(version: string, url: string): string {
  const question = JSON.stringify([new URL(url).search, version])
  return `W/"${createHash('sha1').update(question).digest('base64url').slice(0, 18)}"`
}
