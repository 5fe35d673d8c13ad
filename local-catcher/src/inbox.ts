// The requests that a catcher holds, and those who wait for one.
import { EventEmitter, on } from 'node:events'
import { explainMiss, fits, WaitTimeoutError, type Wanted } from './conditions.js'
import type { CapturedRequest } from './request.js'

const MOST_BYTES = 64 * 1024 * 1024

/** The requests held, and those who wait for one. */
export class Inbox implements AsyncIterable<CapturedRequest> {
  private held: CapturedRequest[] = []
  private heldBytes = 0
  private closed = false
  /** `request` with each one once it is answered, then `end`. */
  private readonly events = new EventEmitter().setMaxListeners(0)

  /** Holds `most` requests. */
  constructor(private readonly most: number) {}

  /** The requests held, oldest first. */
  get requests(): readonly CapturedRequest[] {
    return [...this.held]
  }

  /** Forgets the requests held; the record file stays as it is. */
  clear(): void {
    this.held = []
    this.heldBytes = 0
  }

  /** Calls `follower` with each request to come. */
  subscribe(follower: (request: CapturedRequest) => void): void {
    this.events.on('request', follower)
  }

  /**
   * The first complete request that matches, held already or to come. Rejects with WaitTimeoutError
   * if there is none within `timeout` milliseconds, 5,000 unless given.
   */
  async waitFor(wanted: Wanted, { timeout = 5000 } = {}): Promise<CapturedRequest> {
    const late = AbortSignal.timeout(timeout)
    try {
      for await (const request of this[Symbol.asyncIterator](late)) {
        if (fits(wanted, request)) return request
      }
    } catch {
      throw new WaitTimeoutError(explainMiss(wanted, this.held, timeout))
    }
    throw new Error('the catcher was closed while a request was waited for')
  }

  /** Every complete request from the first one held, until the catcher is closed, or `signal` fires. */
  async *[Symbol.asyncIterator](signal?: AbortSignal): AsyncGenerator<CapturedRequest, void> {
    // Listens before it gives the first, so that none is missed in between.
    const coming = on(this.events, 'request', { close: ['end'], signal })
    if (this.closed) this.events.emit('end')
    try {
      yield* this.held.filter(({ complete }) => complete)
      for await (const [request] of coming as AsyncIterable<[CapturedRequest]>) {
        if (request.complete) yield request
      }
    } finally {
      await coming.return?.()
    }
  }

  /** @internal */
  hold(request: CapturedRequest) {
    this.held.push(request)
    this.heldBytes += request.bytes.length
    this.events.emit('request', request)
    // A follower may have cleared them.
    const { held, most } = this
    while (held.length > most || (held.length > 1 && this.heldBytes > MOST_BYTES)) {
      this.heldBytes -= held.shift()!.bytes.length
    }
  }

  /** @internal */
  end() {
    this.closed = true
    this.events.emit('end')
  }
}
