/** Pages and exports as responses: headers, the order in which a document is sent, rows as JSON, NDJSON and CSV. */

import type { Form } from '../http/accept.ts'
import { ROW_FORMS } from '../http/rows.ts'
import { encoded, streamResponse } from '../http/stream.ts'
import { isRecord, parseJson } from '../lib/lossless.ts'
import { opening, rest } from './document.ts'
import type { Html } from './html.ts'
import type { Page } from './page.ts'
import type { Visit } from './visit.ts'

/** Nothing from elsewhere, nothing inline: what a managed node wrote can be text only. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html;charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'Cookie, Authorization, Accept',
}

/** How long a page may take before its head is sent ahead, so that the browser has something to fetch. */
const AHEAD_MS = 200

/**
 * The response to a visit. A page that is made at once is sent whole; of a slow one the head goes
 * ahead, and then its status is 200, whatever the page comes to say.
 *
 * @param failed the page that says what went wrong
 */
export async function respondPage(
  visit: Visit,
  making: Promise<Page>,
  failed: (error: unknown) => Page,
): Promise<Response> {
  const made = making.catch(failed)
  const page = await Promise.race([made, after(AHEAD_MS)])
  if (page === null) return new Response(inPieces(visit, made), { headers: PAGE_HEADERS })
  if (page.redirect !== undefined) {
    return new Response(null, {
      status: 302,
      headers: { location: page.redirect, 'cache-control': 'private' },
    })
  }
  const text = String(opening(visit)) + String(rest(visit, page))
  return new Response(text, {
    status: page.status ?? 200,
    headers: { ...PAGE_HEADERS, ...costOf(visit) },
  })
}

const after = (milliseconds: number): Promise<null> =>
  new Promise((resolve) => setTimeout(() => resolve(null), milliseconds))

/** What the page cost, as the API says it: not to those with bounds, as the rows that were read tell of others. */
function costOf({ database: { usage }, reader }: Visit): Record<string, string> {
  if (reader.bounds !== null) return {}
  return {
    'server-timing': `sql;dur=${usage.sqlMilliseconds.toFixed(2)}, round-trips;desc="${usage.roundTrips}", statements;desc="${usage.statements}", rows-read;desc="${usage.rowsRead}"`,
  }
}

function inPieces(visit: Visit, made: Promise<Page>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async start(controller) {
      const send = (text: Html): void => controller.enqueue(encoder.encode(String(text)))
      send(opening(visit))
      send(rest(visit, await made))
      controller.close()
    },
  })
}

export const FORMATS = Object.keys(ROW_FORMS) as readonly Form[]

/** All rows of a list, page by page as they are read. The first page is read before anything is answered. */
export async function respondRows(
  rows: AsyncIterable<readonly string[]>,
  form: Form,
  name: string,
): Promise<Response> {
  const { type, text } = ROW_FORMS[form]
  const pages = rows[Symbol.asyncIterator]()
  const first = await pages.next()
  const row = parseJson((first.done ? undefined : first.value[0]) ?? '{}')
  const options = { pretty: false, columns: isRecord(row) ? Object.keys(row) : [] }
  return streamResponse(encoded(text(resumed(first, pages), options)), {
    'content-type': type,
    'content-disposition': `${form === 'csv' ? 'attachment' : 'inline'}; filename="${name}.${form}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  })
}

async function* resumed<Page>(
  first: IteratorResult<Page>,
  others: AsyncIterator<Page>,
): AsyncGenerator<Page> {
  for (let page = first; !page.done; page = await others.next()) yield page.value
}
