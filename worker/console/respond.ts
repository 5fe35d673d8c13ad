/** Pages and exports as responses: headers, the order in which a document is sent, rows as JSON, NDJSON and CSV. */

import type { Form } from '../http/accept.ts'
import type { RequestTrace } from '../http/request-trace.ts'
import { emptyResponse, respond, type Headers } from '../http/respond.ts'
import type { Pages } from '../http/row-forms.ts'
import { rowsResponse } from '../http/rows-response.ts'
import { tracedStream } from '../http/stream.ts'
import { opening, rest } from './document.ts'
import type { Page } from './page.ts'
import type { Visit } from './visit.ts'

/** No foreign and no inline content, so that text from a managed node stays text. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export const PAGE_HEADERS: Headers = {
  'content-type': 'text/html;charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'Cookie, Authorization, Accept',
}

/** How long a page may take before its head is sent ahead, so that the browser has something to fetch. */
export const AHEAD_MS = 200

/**
 * The response to a visit. A fast page is sent whole. For a slow page the head is sent first, and then
 * its status is always 200. What a form changed has the status that it came to, however long it takes.
 *
 * @param trace the request; ends when a page whose head was sent ahead ends
 * @param headers further ones than pages have
 * @param failed makes the page for an error
 */
export async function respondPage(
  visit: Visit,
  {
    method,
    trace,
    headers,
  }: { readonly method: string; readonly trace: RequestTrace; readonly headers: Headers },
  making: Promise<Page>,
  failed: (error: unknown) => Page | Promise<Page>,
): Promise<Response> {
  const made = making.catch(failed)
  const page = await (method === 'GET' ? within(AHEAD_MS, made) : made)
  if (page === null)
    return respond(tracedStream([], inPieces(visit, made), trace), { ...PAGE_HEADERS, ...headers })
  if (page.redirect !== undefined)
    return emptyResponse('found', { location: page.redirect, 'cache-control': 'private' })
  const text = String(opening(visit)) + String(rest(visit, page))
  return respond(text, { ...PAGE_HEADERS, ...headers, ...costOf(visit) }, page.status)
}

/** The result of the work; null if it takes longer. The timer is cleared, because a running timer delays the end of the response. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The cost of the page, as in the API. Restricted readers don't get it: the number of rows read would reveal rows they may not see. */
function costOf({ database: { usage }, reader }: Visit): Headers {
  if (reader.restrictions !== null) return {}
  return {
    'server-timing': `sql;dur=${usage.sqlMilliseconds.toFixed(2)}, round-trips;desc="${usage.roundTrips}", statements;desc="${usage.statements}", rows-read;desc="${usage.rowsRead}"`,
  }
}

async function* inPieces(visit: Visit, made: Promise<Page>): AsyncGenerator<string> {
  yield String(opening(visit))
  yield String(rest(visit, await made))
}

/** Responds with all rows of a list, page by page as they are read. */
export const respondRows = (
  trace: RequestTrace,
  rows: Pages,
  form: Form,
  name: string,
): Promise<Response> =>
  rowsResponse(rows, form, {
    pretty: false,
    columns: null,
    trace,
    headers: () => ({
      'content-disposition': `${form === 'csv' ? 'attachment' : 'inline'}; filename="${name}.${form}"`,
      'cache-control': 'private, no-cache',
    }),
  })
