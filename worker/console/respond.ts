/** Pages and exports as responses: headers, the order in which a document is sent, rows as JSON, NDJSON and CSV. */

import { opening, rest } from './document.ts'
import type { Html } from './html.ts'
import type { ExportRow, Page } from './page.ts'
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
  const text = String(await opening(visit)) + String(await rest(visit, page))
  return new Response(text, {
    status: page.status ?? 200,
    headers: { ...PAGE_HEADERS, ...costOf(visit) },
  })
}

const after = (milliseconds: number): Promise<null> =>
  new Promise((resolve) => setTimeout(() => resolve(null), milliseconds))

/** What the page cost, as the API says it. */
function costOf({ database: { usage } }: Visit): Record<string, string> {
  return {
    'server-timing': `sql;dur=${usage.sqlMilliseconds.toFixed(2)}, round-trips;desc="${usage.roundTrips}", statements;desc="${usage.statements}", rows-read;desc="${usage.rowsRead}"`,
  }
}

function inPieces(visit: Visit, made: Promise<Page>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async start(controller) {
      const send = (text: Html): void => controller.enqueue(encoder.encode(String(text)))
      send(await opening(visit))
      const page = await made
      // The head of a redirect has gone out as a page already.
      const { redirect } = page
      if (redirect === undefined) send(await rest(visit, page))
      else send(await rest(visit, { ...page, body: page.body }))
      controller.close()
    },
  })
}

export const FORMATS = ['json', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

const TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json;charset=utf-8',
  csv: 'text/csv;charset=utf-8',
  ndjson: 'application/x-ndjson;charset=utf-8',
}

/** All rows of a list, page by page as they are read. The first page is read before anything is answered. */
export async function respondRows(
  rows: AsyncIterable<readonly ExportRow[]>,
  format: Format,
  name: string,
): Promise<Response> {
  const pages = rows[Symbol.asyncIterator]()
  const first = await pages.next()
  const encoder = new TextEncoder()
  const pieces = printed(first, pages, format)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next()
        if (piece.done) controller.close()
        else controller.enqueue(encoder.encode(piece.value))
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': TYPES[format],
      'content-disposition': `${format === 'csv' ? 'attachment' : 'inline'}; filename="${name}.${format}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    },
  })
}

async function* printed(
  first: IteratorResult<readonly ExportRow[]>,
  pages: AsyncIterator<readonly ExportRow[]>,
  format: Format,
): AsyncGenerator<string> {
  let columns: readonly string[] | null = null
  let before = '['
  for (let page = first; !page.done; page = await pages.next()) {
    for (const row of page.value) {
      if (format === 'ndjson') yield `${JSON.stringify(row)}\n`
      else if (format === 'json') {
        yield before + JSON.stringify(row)
        before = ',\n'
      } else {
        if (columns === null) {
          columns = Object.keys(row)
          yield `${columns.map(cell).join(',')}\r\n`
        }
        yield `${columns.map((column) => cell(row[column])).join(',')}\r\n`
      }
    }
  }
  if (format === 'json') yield before === '[' ? '[]\n' : ']\n'
}

/** RFC 4180; what a spreadsheet would take for a formula is kept from being one by an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
