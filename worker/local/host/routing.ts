/** Which requests a reader answers: those that only read. And how long each may take. */

import { jsonOrNull } from '../../lib/json.ts'

/** What a reader answers to a request that writes: Misdirected Request (RFC 9110, 15.5.20), which the service itself never answers. */
export const NOT_FOR_READERS = 421

/** Seconds by the names of their settings; 0 is none. */
export interface Timeouts {
  readonly QUERY_TIMEOUT: number
  readonly MAX_QUERY_TIMEOUT: number
}

/** Reads that are sent by POST: queries, tools of assistants, figures of Jolokia. */
const POSTED = /^(?:\/pdb)?\/(?:query\/v4|mcp|metrics\/v2)(?:[/?]|$)/
/** The status, which the process that writes answers for all; and reads of bounded steps that take as long as their client. */
const OF_WRITER = /^(?:\/pdb)?\/(?:status\/|admin\/v1\/(?:archive|history|check)(?:[/?]|$))/

/** Whether a reader may answer a request. An address that is spelt oddly may go to either. */
export const isForReader = (method: string, target: string): boolean =>
  method === 'GET' || method === 'HEAD'
    ? !OF_WRITER.test(target)
    : method === 'POST' && POSTED.test(target)

/** Requests of senders, which bring reports. */
const REPORT = /^\/(?:pdb\/cmd\/v1|reports)(?:[/?]|$)/

export const isReport = (target: string): boolean => REPORT.test(target)

/** Seconds. A timer of Node's that is to take longer than 24.8 days fires at once. */
const LONGEST_TIMEOUT = 2_000_000

/** @param body of a posted query @returns seconds after which a read is given up; null for never */
export function timeoutOf(
  target: string,
  body: Buffer,
  { QUERY_TIMEOUT, MAX_QUERY_TIMEOUT }: Timeouts,
): number | null {
  const own = ownTimeout(target, body)
  const seconds = Math.min(
    own === null ? QUERY_TIMEOUT || Infinity : own || Infinity,
    MAX_QUERY_TIMEOUT || Infinity,
  )
  return seconds > LONGEST_TIMEOUT ? null : seconds
}

/** How long a read may take. */
export interface Limit {
  /** Null for no limit. */
  readonly seconds: number | null
  /** In ms of `performance.now()`; null for never. */
  readonly until: number | null
}

export const limitFrom = (seconds: number | null, now = performance.now()): Limit => ({
  seconds,
  until: seconds === null ? null : now + seconds * 1000,
})

/** Of the address, or of the JSON of a body. Null without one that the service would take. */
function ownTimeout(target: string, body: Buffer): number | null {
  const [, written] = /[?&]timeout=([\d.]{1,20})(?:&|$)/.exec(target) ?? []
  const value = written ?? (body.includes('"timeout"') ? timeoutIn(body) : null)
  const seconds = value === null || value === '' ? NaN : Number(value)
  return seconds >= 0 ? seconds : null
}

const timeoutIn = (body: Buffer): unknown =>
  (jsonOrNull(body.toString()) as { readonly timeout?: unknown } | null)?.timeout ?? null

/** The answer to a read that took too long, as the service words it. */
export const timeoutSentence = (seconds: number): string =>
  `The query exceeded its timeout of ${seconds} seconds.`

/** After which a client may come again, as the service says it. */
export const TIMEOUT_RETRY_SECONDS = 5

/** The beginning of a target and of a body: enough to know a request again. */
export const lineOf = (target: string, body: Buffer): string =>
  `${target.slice(0, MOST_COMPARED)} ${body.toString('latin1', 0, MOST_COMPARED)}`
const MOST_COMPARED = 2000
