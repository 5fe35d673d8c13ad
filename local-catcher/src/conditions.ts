import { isDeepStrictEqual } from 'node:util'
import { reasonOf } from './errors.js'
import type { CapturedRequest } from './request.js'
import { pathMatches } from './rules.js'
import { safeLine } from './show/safe-text.js'
import { formatDuration } from './values.js'

/** What a request has to be: everything given must hold. `json` may leave out keys of objects. */
export interface Conditions {
  readonly method?: string
  /** '/pay' or '/hooks/*'. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

export type Wanted = Conditions | ((request: CapturedRequest) => boolean)

const MOST_LISTED = 20

/** Whether a request came in whole and is what is wanted. */
export const fits = (wanted: Wanted, request: CapturedRequest): boolean =>
  request.complete && miss(wanted, request) === null

/** Says that none of the requests was wanted, and why the nearest of them was not. */
export function explainMiss(
  wanted: Wanted,
  held: readonly CapturedRequest[],
  timeout: number,
): string {
  const first = `no request matched within ${formatDuration(timeout)}`
  if (held.length === 0) return `${first}: none arrived`
  const misses = held.map((request) => {
    return { request, ...(miss(wanted, request) ?? { kept: 0, reason: request.outcome }) }
  })
  const nearest = misses.reduce((best, each) => (each.kept > best.kept ? each : best))
  const lines = misses.slice(-MOST_LISTED).map(({ request: { n, method, url }, reason }) => {
    return `  #${n} ${safeLine(`${method} ${url}`)}: ${reason}`
  })
  const last = held.length > MOST_LISTED ? `, the last ${MOST_LISTED}` : ''
  const why = `nearest: #${nearest.request.n}, because ${nearest.reason}`
  return [first, why, `${held.length} arrived${last}:`, ...lines].join('\n')
}

/** The first condition that did not hold, and how many held before it; null when all did. */
function miss(wanted: Wanted, request: CapturedRequest): { kept: number; reason: string } | null {
  const reasons = typeof wanted === 'function' ? [judge(wanted, request)] : check(wanted, request)
  const kept = reasons.findIndex((reason) => reason !== null)
  return kept === -1 ? null : { kept, reason: reasons[kept]! }
}

function judge(holds: (request: CapturedRequest) => boolean, request: CapturedRequest) {
  try {
    return holds(request) ? null : 'the predicate gave false'
  } catch (thrown) {
    return `the predicate threw: ${reasonOf(thrown)}`
  }
}

/** Why each condition does not hold, null where it does, in the order method, path, headers, json. */
function check(wanted: Conditions, request: CapturedRequest): (string | null)[] {
  const { method = request.method, path = '*', headers = {}, json } = wanted
  const fields = Object.entries(headers).map(([name, value]) => {
    const actual = request.header(name)
    return differs(`header ${name}`, actual, value, actual === value)
  })
  return [
    differs('method', request.method, method, request.method === method),
    differs('path', request.path, path, pathMatches(path, request.path)),
    ...fields,
    json === undefined ? null : checkJson(request, json),
  ]
}

function checkJson(request: CapturedRequest, expected: unknown): string | null {
  try {
    return difference('json', request.json(), expected)
  } catch {
    return 'the body is not JSON'
  }
}

const spell = (value: unknown) => safeLine(JSON.stringify(value) ?? 'missing').slice(0, 200)

const differs = (what: string, actual: unknown, expected: unknown, holds: boolean) =>
  holds ? null : `${what} is ${spell(actual)}, not ${spell(expected)}`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where `actual` lacks something of `expected`; objects may have more keys, lists may not differ. */
function difference(where: string, actual: unknown, expected: unknown): string | null {
  if (!isObject(actual) || !isObject(expected)) {
    return differs(where, actual, expected, isDeepStrictEqual(actual, expected))
  }
  for (const [key, value] of Object.entries(expected)) {
    const found = difference(`${where}.${key}`, actual[key], value)
    if (found !== null) return found
  }
  return null
}
