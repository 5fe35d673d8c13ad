/** Which requests a reader answers: those that only read. And how long each may take. */

import { URL, URLSearchParams } from 'node:url'
import { getPathNoStrict } from 'hono/utils/url'
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

/** A path that is spelt as its route is. */
const PLAIN = /^[\w/-]*(?:\?|$)/

/** The target with the path by which the Worker finds the route: a query that is spelt oddly would else reach the process that writes. */
function spelledOut(target: string): string {
  if (PLAIN.test(target) || !target.startsWith('/')) return target
  const url = `http://localhost${target}`
  return URL.canParse(url) ? getPathNoStrict({ url: new URL(url).href } as Request) : target
}

/** Whether a reader may answer a request. */
export function isForReader(method: string, target: string): boolean {
  if (method === 'GET' || method === 'HEAD') return !OF_WRITER.test(spelledOut(target))
  return method === 'POST' && POSTED.test(spelledOut(target))
}

/** Requests of senders, which bring reports. */
const REPORT = /^\/(?:pdb\/cmd\/v1|reports)(?:[/?]|$)/

export const isReport = (target: string): boolean => REPORT.test(spelledOut(target))

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

/** Of the address, or of the JSON of a body, read as the Worker reads them. Null without one that it would take. */
function ownTimeout(target: string, body: Buffer): number | null {
  const value = timeoutInAddress(target) ?? timeoutIn(body)
  const seconds = value === null || value === '' ? NaN : Number(value)
  return seconds >= 0 ? seconds : null
}

/** Any letter of the name may be encoded. */
const MAY_HAVE_TIMEOUT = /timeout|%/

function timeoutInAddress(target: string): string | null {
  const from = target.indexOf('?') + 1
  const search = from === 0 ? '' : target.slice(from)
  return MAY_HAVE_TIMEOUT.test(search) ? new URLSearchParams(search).get('timeout') : null
}

const timeoutIn = (body: Buffer): unknown =>
  body.includes('timeout') || body.includes('\\u')
    ? ((jsonOrNull(body.toString()) as { readonly timeout?: unknown } | null)?.timeout ?? null)
    : null

/** The answer to a read that took too long, as the service words it. */
export const timeoutSentence = (seconds: number): string =>
  `The query exceeded its timeout of ${seconds} seconds.`

/** After which a client may come again, as the service says it. */
export const TIMEOUT_RETRY_SECONDS = 5

/** The beginning of a target and of a body: enough to know a request again. */
export const lineOf = (target: string, body: Buffer): string =>
  `${target.slice(0, MOST_COMPARED)} ${body.toString('latin1', 0, MOST_COMPARED)}`
const MOST_COMPARED = 2000
