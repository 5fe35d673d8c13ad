// Conditions on a request, and why a request does not fulfil them.
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

/** No request matched in time. The message lists what arrived instead. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

const MOST_LISTED = 20

/** Whether a request came in whole and is what is wanted. */
export const fits = (wanted: Wanted, request: CapturedRequest): boolean =>
  request.complete && miss(wanted, request) === null

/** Says that none of the requests was wanted, and why the nearest of them was not. */
export function explainMiss(wanted: Wanted, held: readonly CapturedRequest[], timeout: number) {
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

/** The first condition that does not hold, and how many held before it; null when all do. */
function miss(wanted: Wanted, request: CapturedRequest): { kept: number; reason: string } | null {
  let kept = 0
  try {
    for (const reason of checks(wanted, request)) {
      if (reason !== null) return { kept, reason }
      kept++
    }
    return null
  } catch (thrown) {
    const what = typeof wanted === 'function' ? 'the predicate threw' : 'the body is not JSON'
    return { kept, reason: `${what}: ${reasonOf(thrown)}` }
  }
}

/** Why each condition does not hold, null where it does, in the order method, path, headers, json. */
function* checks(wanted: Wanted, request: CapturedRequest): Generator<string | null> {
  if (typeof wanted === 'function') {
    yield wanted(request) ? null : 'the predicate gave false'
    return
  }
  const { method = request.method, path = '*', headers = {}, json } = wanted
  yield difference('method', request.method, method)
  yield pathMatches(path, request.path) ? null : difference('path', request.path, path)
  for (const [name, value] of Object.entries(headers)) {
    yield difference(`header ${name}`, request.header(name), value)
  }
  if (json !== undefined) yield difference('json', request.json(), json)
}

const spell = (value: unknown) => safeLine(JSON.stringify(value) ?? 'missing').slice(0, 200)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where `actual` lacks something of `expected`; objects may have more keys, lists may not differ. */
function difference(where: string, actual: unknown, expected: unknown): string | null {
  if (!isObject(actual) || !isObject(expected)) {
    const isSame = isDeepStrictEqual(actual, expected)
    return isSame ? null : `${where} is ${spell(actual)}, not ${spell(expected)}`
  }
  for (const [key, value] of Object.entries(expected)) {
    const found = difference(`${where}.${key}`, actual[key], value)
    if (found !== null) return found
  }
  return null
}
