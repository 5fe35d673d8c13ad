/** Responses: the only place that knows status numbers and headers of answers and of errors. */

import {
  CommandError,
  Denied,
  NotFound,
  QueryError,
  Refused,
  TooMany,
  Unavailable,
} from '../lib/errors.ts'
import { log } from '../lib/log.ts'
import { Misconfigured } from '../schema/settings.ts'
import { prettyJson } from '../lib/pretty.ts'
import type { Answer } from '../store/answer.ts'
import type { Database } from '../store/database.ts'

const JSON_TYPE = 'application/json;charset=utf-8'
const TEXT_TYPE = 'text/plain;charset=utf-8'

/** A JSON text as the whole answer. */
export const jsonResponse = (text: string, headers: HeadersInit = {}): Response =>
  new Response(text, { headers: { 'content-type': JSON_TYPE, ...headers } })

/** One object, which PuppetDB always lays out for reading. */
export const objectResponse = (
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Response =>
  new Response(prettyJson(JSON.stringify(value)), {
    status,
    headers: { 'content-type': JSON_TYPE, ...headers },
  })

export const textResponse = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': TEXT_TYPE } })

/** What an answer cost, and where a later read must begin to see what it saw. */
export function costHeaders(database: Database): Record<string, string> {
  const { roundTrips, statements, rowsRead, rowsWritten, sqlMilliseconds } = database.usage
  return {
    'server-timing': `sql;dur=${sqlMilliseconds.toFixed(2)}, round-trips;desc="${roundTrips}", statements;desc="${statements}", rows-read;desc="${rowsRead}", rows-written;desc="${rowsWritten}"`,
    ...bookmarkHeader(database),
  }
}

/** Where a later read must begin to see what this one saw. */
export function bookmarkHeader(database: Database): Record<string, string> {
  const bookmark = database.bookmark()
  return bookmark === null ? {} : { 'x-d1-bookmark': bookmark }
}

/**
 * Rows as a JSON array that is sent page by page. The first page has been read, so the status stands;
 * each further page is read when the client has taken what came before.
 */
export function rowsResponse(
  answers: readonly Answer[],
  options: { readonly pretty: boolean; readonly headers: Record<string, string> },
): Response {
  const total = answers[0]?.total ?? null
  return jsonStream(arrayText(answers, options.pretty), {
    ...options.headers,
    ...(total === null ? {} : { 'x-records': String(total) }),
  })
}

async function* arrayText(answers: readonly Answer[], pretty: boolean): AsyncGenerator<string> {
  const separator = pretty ? ', ' : ','
  let before = pretty ? '[ ' : '['
  for (const { pages } of answers) {
    for await (const page of pages) {
      if (page.length === 0) continue
      const rows = pretty ? page.map((row) => prettyJson(row)) : page
      yield before + rows.join(separator)
      before = separator
    }
  }
  const empty = before !== separator
  yield empty ? `${before}]` : pretty ? ' ]' : ']'
}

function jsonStream(pieces: AsyncGenerator<string>, headers: Record<string, string>): Response {
  const encoder = new TextEncoder()
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
  return new Response(body, { headers: { 'content-type': JSON_TYPE, ...headers } })
}

/** The response to an error of our vocabulary; anything else is our bug, told to the log and not to the asker. */
export function errorResponse(error: unknown): Response {
  if (error instanceof QueryError) return textResponse(error.message, 400)
  if (error instanceof CommandError) return objectResponse({ error: error.message }, 400)
  if (error instanceof NotFound) return objectResponse({ error: error.message }, 404)
  if (error instanceof Refused) return textResponse(error.message, error.status)
  if (error instanceof Denied) {
    const response = textResponse(error.message, error.status)
    if (error.challenge !== null) response.headers.set('www-authenticate', error.challenge)
    return response
  }
  if (error instanceof Unavailable || error instanceof TooMany) {
    const response = textResponse(error.message, error instanceof TooMany ? 429 : 503)
    response.headers.set('retry-after', String(error.retryAfterSeconds))
    return response
  }
  if (error instanceof Misconfigured) {
    log('error', { error: error.message })
    return textResponse(error.message, 500)
  }
  log('error', { error: String(error), stack: stackOf(error) })
  return textResponse('Internal error. It has been logged.', 500)
}

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack : undefined
