/** Answers of `/insight/v1`: scope and parameters in, JSON with an ETag out. */

import { createHash } from 'node:crypto'
import { rowPolicyOf, type Restrictions } from '../access/restrictions.ts'
import { readOne } from '../store/batch-read.ts'
import { readScope } from '../insight/scope.ts'
import { askStamp } from '../insight/data-version.ts'
import { viewOf } from '../insight/view.ts'
import { prettyJson } from '../lib/pretty.ts'
import { Database } from '../store/database.ts'
import { formOf, type Form } from './accept.ts'
import { accountOf } from './account.ts'
import { flag, readParameters, SCOPE } from './insight-parameters.ts'
import type { InsightRoute } from './insights.ts'
import { bookmarkOf } from './bookmark.ts'
import { costFor, jsonResponse, rowsResponse } from './respond.ts'

/** A request for an insight, taken apart by the router. */
export interface InsightRequest {
  readonly request: Request
  readonly route: InsightRoute
  readonly names: Readonly<Record<string, string>>
  readonly binding: D1Database
  /** What whoever asks may see; null where they may see all. */
  readonly restrictions: Restrictions | null
  /** The form that the path's suffix asks all rows in; null where there is none. */
  readonly suffix: Form | null
}

/** One round trip, or one of a row where the asker has the answer already; all rows of a list take one a page. */
export async function answerInsight(asked: InsightRequest): Promise<Response> {
  const { request, route, names, binding, restrictions, suffix } = asked
  const { searchParams } = new URL(request.url)
  const values = readParameters(searchParams, { ...route.takes, pretty: flag })
  const texts = Object.fromEntries(SCOPE.map((name) => [name, searchParams.get(name) ?? undefined]))
  const database = Database.nearest(binding, bookmarkOf(request))
  const account = accountOf(request)
  account.usage = database.usage
  // A page of a list is an object: another form than JSON, and any suffix, ask for all rows.
  const form = suffix ?? formOf(request.headers.get('accept'))!
  const table = suffix !== null || form !== 'json' ? route.table : undefined
  const known = request.headers.get('if-none-match')
  if (known !== null && !table) {
    const etag = etagOf(await readOne(database, askStamp()), asked)
    if (known === etag)
      return new Response(null, { status: 304, headers: headersOf(database, etag, restrictions) })
  }
  const view = await viewOf(database, readScope(texts, Date.now(), rowPolicyOf(restrictions)))
  const place = { database, view, restrictions, names }
  if (table) {
    return rowsResponse(table.rows(place, values as never), form, {
      pretty: values.pretty,
      columns: table.columns,
      account,
      headers: () => costFor(restrictions !== null, database),
    })
  }
  const { answer, stamp } = await route.answer(place, values as never)
  const text = JSON.stringify(answer)
  return jsonResponse(
    values.pretty ? prettyJson(text) : text,
    headersOf(database, etagOf(stamp, asked), restrictions),
  )
}

const headersOf = (
  database: Database,
  etag: string,
  restrictions: Restrictions | null,
): Record<string, string> => ({
  ...costFor(restrictions !== null, database),
  etag,
  'cache-control': 'private, no-cache',
})

/** Weak: the same question to the same data, but for what passing time does to it. */
function etagOf(stamp: string, { request, restrictions }: InsightRequest): string {
  const question = JSON.stringify([new URL(request.url).search, restrictions])
  return `W/"${stamp}${createHash('sha1').update(question).digest('base64url').slice(0, 6)}"`
}
