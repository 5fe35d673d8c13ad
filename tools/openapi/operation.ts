/** An operation of the API as its description needs it, and the forms of its answers. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import type { Status } from '../../worker/http/respond.ts'
import { listOf, TEXT } from './json-schema.ts'
import type { ApiParameter } from './parameters.ts'

/** Media type → what a body of it holds. */
export type MediaContent = Readonly<Record<string, JsonSchema>>

export interface Operation {
  readonly summary: string
  readonly tag: Tag
  /** Beside the path's. */
  readonly parameters?: readonly ApiParameter[]
  readonly body?: MediaContent
  readonly status?: Status
  /** None for an empty answer. */
  readonly answer: MediaContent | null
  readonly errors: readonly FailureName[]
  readonly rows?: true
}

/** The parts of the API, with a sentence each. */
export const TAGS = {
  query: "PuppetDB's query API, version 4.",
  insight: 'Answers to what operators ask first.',
  submit: 'Reports and other commands.',
  admin: 'Retention, archives, notifications and the integrity check.',
  metrics: 'Figures for Prometheus, and the beans that dashboards of PuppetDB read.',
  service: 'The service itself.',
} as const
export type Tag = keyof typeof TAGS

/** How a request can fail, as `components/responses` names it. */
export const PROBLEMS = {
  BadQuery: {
    status: 'bad request',
    about: 'A parameter or the query cannot be understood. The text says what is wrong, and where.',
    text: "Unsupported query parameter 'limt'. Did you mean 'limit'?",
  },
  BadCommand: {
    status: 'bad request',
    about: 'The body cannot be understood. Nothing was stored.',
    json: {
      error: "Invalid command: Valid commands types are: 'clean' and 'delete', not null.",
    },
  },
  Unauthenticated: {
    status: 'unauthenticated',
    about: 'The request has no valid credentials.',
    text: 'These credentials give no access here.',
  },
  Forbidden: {
    status: 'forbidden',
    about: 'The credentials lack the scope, or their restrictions exclude the request.',
    text: "This needs the scope admin; token 'board' has read.",
  },
  NotFound: {
    status: 'not found',
    about: 'What the path names does not exist, or is hidden from the caller.',
    json: { error: 'No information is known about node web9.example.com' },
  },
  NotAcceptable: {
    status: 'not acceptable',
    about: 'The Accept header allows no form of the answer.',
    text: 'must accept application/json',
  },
  Conflict: {
    status: 'conflict',
    about: 'Another cleanup is running.',
    json: { kind: 'conflict', msg: 'Another cleanup is already in progress', details: null },
  },
  TooLarge: {
    status: 'too large',
    about: 'The body or the query is longer than the service allows.',
    text: 'Command size exceeds max-command-size: at most 8388608 bytes are allowed, unpacked.',
  },
  UnsupportedMediaType: {
    status: 'unsupported media type',
    about: 'The body has another type or encoding than the endpoint takes.',
    text: 'content type text/plain not supported',
  },
  TooMany: {
    status: 'too many requests',
    about:
      'Too many commands about one node. Nothing was stored; `Retry-After` says when to try again.',
    text: "Too many commands for the node 'web1' within ten seconds. Nothing was stored; try again later.",
  },
  Unavailable: {
    status: 'unavailable',
    about:
      'The database cannot answer now, or a timeout has passed. `Retry-After` says when to try again.',
    text: 'The database is not available right now; try again. Retrying is safe: no report is stored twice.',
  },
} as const satisfies Record<
  string,
  { status: Status; about: string; text?: string; json?: JsonSchema }
>
export type FailureName = keyof typeof PROBLEMS

/** Failures of any request that asks the database. */
export const ALWAYS: readonly FailureName[] = ['Unauthenticated', 'Forbidden', 'Unavailable']
export const OF_READING: readonly FailureName[] = ['BadQuery', 'NotAcceptable', ...ALWAYS]
export const OF_SUBMITTING: readonly FailureName[] = [
  'BadCommand',
  'TooLarge',
  'UnsupportedMediaType',
  'TooMany',
  ...ALWAYS,
]

export const jsonContent = (schema: JsonSchema): MediaContent => ({ 'application/json': schema })
export const textContent: MediaContent = { 'text/plain': TEXT }

/** Rows in each form that `Accept` can choose. */
export const rowsContent = (row: JsonSchema): MediaContent => ({
  'application/json': listOf(row),
  'application/x-ndjson': { ...TEXT, description: 'A line of JSON for each row.' },
  'text/csv': { ...TEXT, description: 'A line of names, then a line for each row.' },
})

/** An operation of administrators. */
export const adminOperation = (
  summary: string,
  answer: MediaContent | null,
  rest: Partial<Pick<Operation, 'parameters' | 'body' | 'status' | 'errors'>> = {},
): Operation => ({ summary, tag: 'admin', answer, errors: ALWAYS, ...rest })
