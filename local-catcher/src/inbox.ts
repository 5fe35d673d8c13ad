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

const MOST_LISTED = 20

/** The requests held, and those who wait for one. */
export class Inbox {
  private held: CapturedRequest[] = []
  private heldBytes = 0
  private readonly watchers = new Set<() => void>()
  private closed = false

  constructor(
    private readonly mostRequests: number,
    private readonly mostBytes: number,
  ) {}

  get requests(): readonly CapturedRequest[] {
    return [...this.held]
  }

  add(request: CapturedRequest) {
    if (this.mostRequests === 0) return
    this.held.push(request)
    this.heldBytes += request.bytes.length
    this.notify()
    const isOver = () =>
      this.held.length > this.mostRequests ||
      (this.heldBytes > this.mostBytes && this.held.length > 1)
    while (isOver()) this.heldBytes -= this.held.shift()!.bytes.length
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
    return new Promise<CapturedRequest>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        this.watchers.delete(look)
      }
      const look = () => {
        const found = this.held.find((request) => request.complete && !miss(wanted, request))
        if (!found && !this.closed) return
        stop()
        if (found) resolve(found)
        else reject(new Error('the catcher was closed while a request was waited for'))
      }
      const timer = setTimeout(() => {
        stop()
        reject(new WaitTimeoutError(explain(wanted, this.held, timeout)))
      }, timeout)
      this.watchers.add(look)
      look()
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
          const wake = () => resolve(void this.watchers.delete(wake))
          this.watchers.add(wake)
        })
      }
    }
  }

  private notify() {
    for (const watcher of this.watchers) watcher()
  }
}

/** What did not hold, and how many conditions held before it; null when everything did. */
function miss(wanted: Wanted, request: CapturedRequest): { held: number; reason: string } | null {
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
  const { method = request.method, path = '*', headers = {}, json } = wanted
  yield differs('method', request.method, method, request.method === method)
  yield differs('path', request.path, path, pathMatches(path, request.path))
  for (const [name, value] of Object.entries(headers)) {
    const actual = request.header(name)
    yield differs(`header ${name}`, actual, value, actual === value)
  }
  if (json === undefined) return
  let body: unknown
  try {
    body = request.json()
  } catch {
    return yield 'the body is not JSON'
  }
  yield difference('json', body, json)
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

function explain(wanted: Wanted, held: readonly CapturedRequest[], timeout: number): string {
  const first = `no request matched within ${formatDuration(timeout)}`
  if (held.length === 0) return `${first}: none arrived`
  const misses = held.map((request) => ({
    request,
    ...(miss(wanted, request) ?? { held: 0, reason: request.outcome }),
  }))
  const nearest = misses.reduce((best, each) => (each.held > best.held ? each : best))
  return [
    first,
    `nearest: #${nearest.request.n}, because ${nearest.reason}`,
    `${held.length} arrived${held.length > MOST_LISTED ? `, the last ${MOST_LISTED}` : ''}:`,
    ...misses.slice(-MOST_LISTED).map(({ request: { n, method, url }, reason }) => {
      return `  #${n} ${safeLine(`${method} ${url}`)}: ${reason}`
    }),
  ].join('\n')
}
