// The requests that a catcher holds, and waiting for one: what that takes, and what it says where none came.
import { EventEmitter, on, once } from 'node:events'
import type { Clock } from './clock.js'
import { missOfWanted, readConditions, type Miss, type Wanted } from './conditions.js'
import { readFields, type Given } from './fields.js'
import { seal, type CapturedRequest } from './request.js'
import { safeLine } from './show/safe-text.js'
import { count, formatDuration, parseDuration, wholeNumber } from './values.js'

/** No request matched in time. The message lists what arrived instead. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

const READERS = { timeout: parseDuration, count: wholeNumber(1, 1e9) }

/** Milliseconds or '2s' to wait, 5,000 unless given; and for how many requests, one unless given. */
export type WaitOptions = Given<typeof READERS>

const MOST_BYTES = 64 * 1024 * 1024
// A header takes so much besides its bytes.
const HEADER_BYTES = 128

/** The requests held, and those who wait for one. */
export class Inbox implements AsyncIterable<CapturedRequest> {
  private held: { readonly request: CapturedRequest; readonly length: number }[] = []
  private heldBytes = 0
  private closed = false
  /** `request` with each one once it is answered, then `end`. */
  private readonly events = new EventEmitter().setMaxListeners(0)

  /** Holds `most` requests. */
  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  /** The requests held, oldest first. */
  get requests(): readonly CapturedRequest[] {
    return this.held.map(({ request }) => request)
  }

  /** Forgets the requests held; the record file stays as it is. */
  readonly clear = (): void => {
    this.held = []
    this.heldBytes = 0
  }

  /** Calls `follower` with each request to come; gives the function that ends this. What it throws is not caught. */
  readonly subscribe = (follower: (request: CapturedRequest) => unknown): (() => void) => {
    // The sender of the request gets its answer whatever fails here.
    const follow = (request: CapturedRequest) => void (async () => await follower(request))()
    this.events.on('request', follow)
    return () => void this.events.off('request', follow)
  }

  /**
   * The first complete request that is wanted, held already or to come; with `count`, so many of
   * them. Rejects with WaitTimeoutError if they do not come within `timeout`, 5 s unless given.
   */
  waitFor(wanted: Wanted, options: WaitOptions & { count: number }): Promise<CapturedRequest[]>
  waitFor(wanted: Wanted, options?: Omit<WaitOptions, 'count'>): Promise<CapturedRequest>
  async waitFor(wanted: Wanted, options: WaitOptions = {}) {
    const read = typeof wanted === 'function' ? wanted : readConditions('waitFor', wanted)
    const { timeout = 5000, count = null } = readFields('waitFor', READERS, options)
    const timer = new AbortController()
    const late = timer.signal
    const stop = this.clock.after(timeout, () => timer.abort())
    const looked = new Map<CapturedRequest, Miss | null>()
    const found: CapturedRequest[] = []
    // A predicate may never end.
    const endless = { kept: 0, reason: 'the predicate has not ended' }
    const isLate = once(late, 'abort').then(() => endless)
    try {
      for await (const request of this[Symbol.asyncIterator](late)) {
        const miss = await Promise.race([missOfWanted(read, request), isLate])
        looked.set(request, miss)
        if (miss === null) found.push(request)
        if (found.length === (count ?? 1)) return count === null ? found[0] : found
        late.throwIfAborted()
      }
    } catch (thrown) {
      if (!late.aborted) throw thrown
      throw new WaitTimeoutError(explainMiss(this.requests, looked, timeout, count))
    } finally {
      stop()
    }
    throw new Error('the catcher was closed while a request was waited for')
  }

  async *[Symbol.asyncIterator](signal?: AbortSignal): AsyncGenerator<CapturedRequest, void> {
    // Listens before it gives the first, so that none is missed in between.
    const coming = on(this.events, 'request', { close: ['end'], signal })
    if (this.closed) this.events.emit('end')
    try {
      yield* this.requests.filter(({ complete }) => complete)
      for await (const [request] of coming as AsyncIterable<[CapturedRequest]>) {
        if (request.complete) yield request
      }
    } finally {
      await coming.return?.()
    }
  }

  /** Holds a request that is answered, and tells everybody of it. */
  hold(request: CapturedRequest) {
    const { bytes, raw, forward, headers, trailers } = request
    const ofHeaders = HEADER_BYTES * (headers.length + trailers.length)
    const length = bytes.length + (raw ?? forward?.bytes ?? '').length + ofHeaders
    if (this.most > 0) seal(request)
    else Object.freeze(request)
    this.held.push({ request, length })
    this.heldBytes += length
    this.events.emit('request', request)
    // A follower may have cleared them.
    while (this.held.length > this.most || (this.held.length > 1 && this.heldBytes > MOST_BYTES)) {
      this.heldBytes -= this.held.shift()!.length
    }
  }

  /** Ends every iteration. */
  end() {
    this.closed = true
    this.events.emit('end')
  }
}

const MOST_LISTED = 20

const nameOf = ({ n, method, url }: CapturedRequest) => `#${n} ${safeLine(`${method} ${url}`)}`

/**
 * Says that too few of the requests were wanted, and why the nearest of the others was not. `looked`
 * has why each request that was looked at is not wanted, null for those that are.
 */
function explainMiss(
  held: readonly CapturedRequest[],
  looked: ReadonlyMap<CapturedRequest, Miss | null>,
  timeout: number,
  asked: number | null,
): string {
  const misses = held.flatMap((request) => {
    const miss = looked.get(request)
    return miss === null ? [] : [{ request, ...(miss ?? { kept: 0, reason: request.outcome }) }]
  })
  const matched = held.length - misses.length
  const some = asked === null ? 'no request' : `${matched} of ${asked} requests`
  const first = `${some} matched within ${formatDuration(timeout)}`
  if (misses.length === 0) return `${first}: ${matched === 0 ? 'none' : 'no other'} arrived`
  // Of those that are equally near, the last is the first.
  const nearest = misses.toReversed().sort((one, other) => other.kept - one.kept)
  const lines = nearest.map(({ request, reason }) => `  ${nameOf(request)}: ${reason}`)
  const title = `${first}: ${count(misses.length, 'other')} arrived, the nearest:`
  return [title, ...lines.slice(0, MOST_LISTED)].join('\n')
}
