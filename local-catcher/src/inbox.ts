import { isDeepStrictEqual } from 'node:util'
import { reasonOf } from './errors.js'
import type { CapturedRequest } from './request.js'
import { pathMatches } from './rules.js'
import { safeLine } from './show/safe-text.js'
import { formatDuration } from './units.js'

/** What a request has to be: everything given must hold. `json` may leave out keys of objects. */
export interface Conditions {
  readonly method?: string
  /** '/pay' or '/hooks/*'. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

export type Wanted = Conditions | ((request: CapturedRequest) => boolean)

export interface WaitOptions {
  /** Milliseconds; 5,000 unless given. */
  readonly timeout?: number
}

/** No request matched in time. The message lists what arrived instead. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

/** What did not hold, and how much held before it; null when everything did. */
type Miss = { readonly held: number; readonly reason: string } | null

const MOST_LISTED = 20

/** The requests held, and those who wait for one. */
export class Inbox {
  private held: CapturedRequest[] = []
  private heldBytes = 0
  private listeners = new Set<() => void>()
  private closed = false

  constructor(
    private readonly mostRequests: number,
    private readonly mostBytes: number,
  ) {}

  get requests(): readonly CapturedRequest[] {
    return [...this.held]
  }

  add(request: CapturedRequest) {
    if (this.mostRequests > 0) {
      this.held.push(request)
      this.heldBytes += request.bytes.length
    }
    this.notify()
    while (
      this.held.length > this.mostRequests ||
      (this.heldBytes > this.mostBytes && this.held.length > 1)
    ) {
      this.heldBytes -= this.held.shift()!.bytes.length
    }
  }

  clear() {
    this.held = []
    this.heldBytes = 0
  }

  close() {
    this.closed = true
    this.notify()
  }

  /** The first complete request that matches, held already or still to come. */
  waitFor(wanted: Wanted, { timeout = 5000 }: WaitOptions = {}): Promise<CapturedRequest> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.held.find(
          (request) => request.complete && miss(wanted, request) === null,
        )
        if (!found && !this.closed) return false
        clearTimeout(timer)
        this.listeners.delete(look)
        if (found) resolve(found)
        else reject(new Error('the catcher was closed while a request was waited for'))
        return true
      }
      const giveUp = () => {
        this.listeners.delete(look)
        reject(new WaitTimeoutError(explain(wanted, this.held, timeout)))
      }
      const timer = setTimeout(giveUp, timeout)
      if (!look()) this.listeners.add(look)
    })
  }

  /** Every complete request from the first one held, until the catcher is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CapturedRequest, void> {
    let last = 0
    for (;;) {
      const next = this.held.find((request) => request.n > last)
      if (next) {
        last = next.n
        if (next.complete) yield next
      } else if (this.closed) {
        return
      } else {
        await new Promise<void>((resolve) => {
          const wake = () => {
            this.listeners.delete(wake)
            resolve()
          }
          this.listeners.add(wake)
        })
      }
    }
  }

  private notify() {
    if (this.listeners.size === 0) return
    for (const listener of [...this.listeners]) listener()
  }
}

function miss(wanted: Wanted, request: CapturedRequest): Miss {
  if (typeof wanted === 'function') {
    try {
      return wanted(request) ? null : { held: 0, reason: 'the predicate gave false' }
    } catch (thrown) {
      return { held: 0, reason: `the predicate threw: ${reasonOf(thrown)}` }
    }
  }
  let held = 0
  for (const reason of checks(wanted, request)) {
    if (reason !== null) return { held, reason }
    held++
  }
  return null
}

/** One entry per condition, in the order method, path, headers, json: null where it holds. */
function* checks(wanted: Conditions, request: CapturedRequest): Generator<string | null> {
  const { method, path, headers = {}, json } = wanted
  const differs = (what: string, actual: unknown, expected: unknown) =>
    `${what} is ${spell(actual)}, not ${spell(expected)}`
  if (method !== undefined) {
    yield request.method === method ? null : differs('method', request.method, method)
  }
  if (path !== undefined)
    yield pathMatches(path, request.path) ? null : differs('path', request.path, path)
  for (const [name, value] of Object.entries(headers)) {
    const actual = request.header(name)
    yield actual === value ? null : differs(`header ${name}`, actual, value)
  }
  if (json === undefined) return
  const body = parsed(request)
  if (body === undefined) yield 'the body is not JSON'
  else {
    const difference = firstDifference(body, json, 'json')
    yield difference && differs(difference.where, difference.actual, difference.expected)
  }
}

const spell = (value: unknown) => safeLine(JSON.stringify(value) ?? 'missing').slice(0, 200)

const parsed = (request: CapturedRequest): unknown => {
  try {
    return request.json()
  } catch {
    return undefined
  }
}

/** Where `actual` lacks something of `expected`; objects may have more keys, lists may not differ. */
function firstDifference(
  actual: unknown,
  expected: unknown,
  where: string,
): { where: string; actual: unknown; expected: unknown } | null {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(actual) || !isObject(expected)) {
    return isDeepStrictEqual(actual, expected) ? null : { where, actual, expected }
  }
  for (const [key, value] of Object.entries(expected)) {
    const difference = firstDifference(actual[key], value, `${where}.${key}`)
    if (difference) return difference
  }
  return null
}

function explain(wanted: Wanted, held: readonly CapturedRequest[], timeout: number): string {
  const first = `no request matched within ${formatDuration(timeout)}`
  if (held.length === 0) return `${first}: none arrived`
  const misses = held.map((request) => ({
    request,
    miss: miss(wanted, request) ?? { held: 0, reason: request.outcome },
  }))
  const nearest = misses.reduce((best, each) => (each.miss.held > best.miss.held ? each : best))
  const line = ({ request, miss }: (typeof misses)[number]) =>
    `  #${request.n} ${safeLine(`${request.method} ${request.url}`)}: ${miss.reason}`
  const listed = misses.slice(-MOST_LISTED).map(line)
  return [
    first,
    `nearest: #${nearest.request.n}, because ${nearest.miss.reason}`,
    `${held.length} arrived${held.length > MOST_LISTED ? `, the last ${MOST_LISTED}` : ''}:`,
    ...listed,
  ].join('\n')
}
