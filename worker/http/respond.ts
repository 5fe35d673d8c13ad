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
import type { Account } from './account.ts'
import type { Database } from '../store/database.ts'
import type { Form } from './accept.ts'
import { ROW_FORMS, type Pages } from './rows.ts'
import { streamOf } from './stream.ts'

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

export const textResponse = (
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response => new Response(text, { status, headers: { 'content-type': TEXT_TYPE, ...headers } })

/**
 * What an answer has cost until its head is made, and where a later read must begin to see what it saw.
 * `d1` is the time until D1 had answered, `sql` what D1 says it needed for it.
 */
export function costHeaders(
  database: Database,
  stages: Readonly<Record<string, number>> = {},
): Record<string, string> {
  const { usage } = database
  const times = { ...stages, d1: usage.waitMilliseconds, sql: usage.sqlMilliseconds }
  const counts = {
    'round-trips': usage.roundTrips,
    statements: usage.statements,
    'rows-read': usage.rowsRead,
    'rows-written': usage.rowsWritten,
  }
  const figures = [
    ...Object.entries(times).map(([name, time]) => `${name};dur=${time.toFixed(2)}`),
    ...Object.entries(counts).map(([name, count]) => `${name};desc="${count}"`),
  ]
  return { 'server-timing': figures.join(', '), ...bookmarkHeader(database) }
}

/** The same for those with bounds: the rows that were read tell of rows that they may not see. */
export const costFor = (
  restricted: boolean,
  database: Database,
  stages: Readonly<Record<string, number>> = {},
): Record<string, string> => (restricted ? bookmarkHeader(database) : costHeaders(database, stages))

/** Where a later read must begin to see what this one saw. */
export function bookmarkHeader(database: Database): Record<string, string> {
  const bookmark = database.bookmark()
  return bookmark === null ? {} : { 'x-d1-bookmark': bookmark }
}

interface RowsOptions {
  readonly pretty: boolean
  /** Names of the fields of a row; null where the first row says them. */
  readonly columns: readonly string[] | null
  readonly total?: number | null
  /** The first page is all there is. */
  readonly whole?: boolean
  readonly account: Account
  /** Made when the first rows have been printed. */
  readonly headers: () => Record<string, string>
}

/**
 * Rows in a form. Those of one page are sent as they are; more are sent page by page, each read
 * when the client has taken what came before. The first page is read before anything is answered.
 */
export async function rowsResponse(
  pages: Pages,
  form: Form,
  options: RowsOptions,
): Promise<Response> {
  const { total = null, whole = false, account } = options
  const { type, text } = ROW_FORMS[form]
  const pieces = text(pages, options)
  const first: Uint8Array[] = []
  do {
    const piece = await account.time('rows', () => pieces.next())
    if (piece.done) break
    first.push(encoder.encode(piece.value))
  } while (whole)
  const headers = {
    ...options.headers(),
    'content-type': type,
    ...(total === null ? {} : { 'x-records': String(total) }),
  }
  if (!whole) return new Response(accounted(first, pieces, account), { headers })
  const body = Buffer.concat(first)
  account.bytes = body.length
  return new Response(body, { headers })
}

const encoder = new TextEncoder()

/** A body of pieces that are printed as they are taken, and whose end is the account's. */
export function accounted(
  first: readonly Uint8Array[],
  pieces: AsyncGenerator<string>,
  account: Account,
): ReadableStream<Uint8Array> {
  account.stream()
  const ready = [...first]
  let bytes = 0
  const next = async (): Promise<Uint8Array | null> => {
    let piece = ready.shift()
    if (!piece) {
      const printed = await account.time('rows', () => pieces.next())
      if (printed.done) return null
      piece = encoder.encode(printed.value)
    }
    bytes += piece.length
    return piece
  }
  return streamOf(next, async (ending) => {
    account.bytes = bytes
    account.end(ending)
    if (ending === 'aborted') await pieces.return(undefined)
  })
}

/** The response to an error of our vocabulary; anything else is our bug, told to the log and not to the asker. */
export function errorResponse(error: unknown): Response {
  if (error instanceof QueryError) return textResponse(error.message, 400)
  if (error instanceof CommandError) return objectResponse({ error: error.message }, 400)
  if (error instanceof NotFound) return objectResponse({ error: error.message }, 404)
  if (error instanceof Refused) return textResponse(error.message, error.status)
  if (error instanceof Denied) {
    return textResponse(
      error.message,
      error.status,
      error.challenge === null ? {} : { 'www-authenticate': error.challenge },
    )
  }
  if (error instanceof Unavailable || error instanceof TooMany) {
    return textResponse(error.message, error instanceof TooMany ? 429 : 503, {
      'retry-after': String(error.retryAfterSeconds),
    })
  }
  const known = error instanceof Misconfigured
  log('error', known ? { error: error.message } : { error: String(error), stack: stackOf(error) })
  return textResponse(known ? error.message : 'Internal error. It has been logged.', 500)
}

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack : undefined
