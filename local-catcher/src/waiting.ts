// Waiting for requests: what it takes, and how it says that they did not come.
import type { Miss } from './conditions.js'
import type { Given } from './fields.js'
import type { CapturedRequest } from './request.js'
import { safeLine } from './show/safe-text.js'
import { formatDuration, parseDuration, wholeNumber } from './values.js'

/** No request matched in time. The message lists what arrived instead. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

/** A request came that was expected not to. */
export class UnexpectedRequestError extends Error {
  override readonly name = 'UnexpectedRequestError'

  constructor(readonly request: CapturedRequest) {
    super(`a request came that was not expected: ${nameOf(request)}`)
  }
}

/** Reads milliseconds or '2s'; Infinity is no limit. */
const readTime = (given: number | string): number =>
  given === Infinity ? Infinity : parseDuration(given)

/** How the options of each way of waiting are read. */
export const READERS = {
  waitFor: { timeout: readTime, count: wholeNumber(1, 1e9) },
  expectNone: { for: readTime },
}

/** Milliseconds or '2s' to wait, 5,000 unless given; and for how many requests, one unless given. */
export type WaitOptions = Given<typeof READERS.waitFor>
/** How long none may come, 500 ms unless given. */
export type NoneOptions = Given<typeof READERS.expectNone>

const MOST_LISTED = 20

const nameOf = ({ n, method, url }: CapturedRequest) => `#${n} ${safeLine(`${method} ${url}`)}`

/**
 * Says that too few of the requests were wanted, and why the nearest of the others was not. `looked`
 * has why each request that was looked at is not wanted, null for those that are.
 */
export function explainMiss(
  held: readonly CapturedRequest[],
  looked: ReadonlyMap<CapturedRequest, Miss | null>,
  timeout: number,
  count: number | null,
): string {
  const within = `within ${formatDuration(timeout)}`
  const misses = held.flatMap((request) => {
    const miss = looked.get(request)
    return miss === null ? [] : [{ request, ...(miss ?? { kept: 0, reason: request.outcome }) }]
  })
  const matched = held.length - misses.length
  const some = count === null ? 'no request' : `${matched} of ${count} requests`
  const first = `${some} matched ${within}`
  if (held.length === 0) return `${first}: none arrived`
  if (misses.length === 0) return `${first}: no other arrived`
  const nearest = misses.reduce((best, each) => (each.kept > best.kept ? each : best))
  const shown = misses.slice(-MOST_LISTED)
  const lines = shown.map(({ request, reason }) => `  ${nameOf(request)}: ${reason}`)
  const others = `${misses.length}${matched > 0 ? ` more` : ''}`
  const last = misses.length > MOST_LISTED ? `, the last ${MOST_LISTED}` : ''
  const why = `nearest: #${nearest.request.n}, because ${nearest.reason}`
  return [first, why, `${others} arrived${last}:`, ...lines].join('\n')
}
