/** Makes every response. No other file knows status numbers, or which status a failure is answered with. */

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
import { prettyJson } from '../lib/pretty.ts'
import { Misconfigured } from '../schema/settings.ts'

export const STATUS = {
  ok: 200,
  created: 201,
  accepted: 202,
  'no content': 204,
  'partial content': 206,
  found: 302,
  'see other': 303,
  'not modified': 304,
  'bad request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not found': 404,
  'method not allowed': 405,
  'not acceptable': 406,
  conflict: 409,
  'too large': 413,
  'unsupported media type': 415,
  'range not satisfiable': 416,
  'too many requests': 429,
  'internal error': 500,
  unavailable: 503,
} as const
export type Status = keyof typeof STATUS

export type Headers = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json;charset=utf-8'
const TEXT_TYPE = 'text/plain;charset=utf-8'

export const respond = (
  body: ConstructorParameters<typeof Response>[0],
  headers: Headers = {},
  status: Status = 'ok',
): Response => new Response(body, { status: STATUS[status], headers })

export const emptyResponse = (status: Status, headers: Headers = {}): Response =>
  respond(null, headers, status)

/** A JSON text as the whole body. */
export const jsonResponse = (text: string, headers: Headers = {}): Response =>
  respond(text, { 'content-type': JSON_TYPE, ...headers })

/** One object, which PuppetDB always lays out for reading. */
export const objectResponse = (
  value: unknown,
  status: Status = 'ok',
  headers: Headers = {},
): Response =>
  respond(prettyJson(JSON.stringify(value)), { 'content-type': JSON_TYPE, ...headers }, status)

export const textResponse = (
  text: string,
  status: Status = 'ok',
  headers: Headers = {},
): Response => respond(text, { 'content-type': TEXT_TYPE, ...headers }, status)

/** How a kind of failure is answered. */
interface Failure {
  readonly isKindOf: (error: unknown) => boolean
  readonly status: (error: never) => Status
  readonly json?: boolean
  readonly headers?: (error: never) => Headers
}

const failure = <Kind extends Error>(
  kind: abstract new (...parts: never[]) => Kind,
  status: (error: Kind) => Status,
  more: { readonly json?: boolean; readonly headers?: (error: Kind) => Headers } = {},
): Failure => ({ isKindOf: (error) => error instanceof kind, status, ...more })

const retryAfter = ({ retryAfterSeconds }: TooMany | Unavailable): Headers => ({
  'retry-after': String(retryAfterSeconds),
})

const FAILURES: readonly Failure[] = [
  failure(QueryError, () => 'bad request'),
  failure(CommandError, () => 'bad request', { json: true }),
  failure(NotFound, () => 'not found', { json: true }),
  failure(Refused, ({ refusal }) => (refusal === 'incomplete' ? 'bad request' : refusal)),
  failure(Denied, ({ denial }) => denial, {
    headers: ({ challenge }): Headers =>
      challenge === null ? {} : { 'www-authenticate': challenge },
  }),
  failure(TooMany, () => 'too many requests', { headers: retryAfter }),
  failure(Unavailable, () => 'unavailable', { headers: retryAfter }),
]

const failureOf = (error: unknown): Failure | undefined =>
  FAILURES.find(({ isKindOf }) => isKindOf(error))

/** Whether an error is a failure of the client or the platform, and no bug of ours. */
export const isFailure = (error: unknown): error is Error => failureOf(error) !== undefined

/** The status that a failure is answered with. */
export const statusOf = (error: unknown): Status =>
  failureOf(error)?.status(error as never) ?? 'internal error'

const INTERNAL_ERROR = 'Internal error. It has been logged.'

/** What the client is told about an error. */
export const failureMessage = (error: unknown): string =>
  isFailure(error) || error instanceof Misconfigured ? error.message : INTERNAL_ERROR

/** The response to a failure. A bug of ours goes to the log, and the client only learns that it was logged. */
export function errorResponse(error: unknown): Response {
  const failure = failureOf(error)
  if (failure) {
    const { message } = error as Error
    const headers = failure.headers?.(error as never) ?? {}
    const status = failure.status(error as never)
    return failure.json
      ? objectResponse({ error: message }, status, headers)
      : textResponse(message, status, headers)
  }
  if (error instanceof Misconfigured) {
    log('error', { error: error.message })
    return textResponse(error.message, 'internal error')
  }
  const stack = error instanceof Error ? error.stack : undefined
  log('error', { error: String(error), stack })
  return textResponse(INTERNAL_ERROR, 'internal error')
}

export const unknownPath = (): Response => textResponse('Not Found', 'not found')
