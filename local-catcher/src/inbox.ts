import { explainMiss, fits, type Wanted } from './conditions.js'
import type { CapturedRequest } from './request.js'

export interface WaitOptions {
  /** Milliseconds; 5,000 unless given. */
  readonly timeout?: number
}

/** No request matched in time. The message lists what arrived instead. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

/** Hears of each request once it is answered, and of the end, which is null. */
export type Follower = (request: CapturedRequest | null) => void

/** The requests held, and those who wait for one. */
export class Inbox implements AsyncIterable<CapturedRequest> {
  private held: CapturedRequest[] = []
  private heldBytes = 0
  private closed = false
  private readonly followers = new Set<Follower>()

  constructor(
    private readonly mostRequests: number,
    private readonly mostBytes: number,
  ) {}

  /** The requests held, oldest first. */
  get requests(): readonly CapturedRequest[] {
    return [...this.held]
  }

  /** Forgets the requests held; the record file stays as it is. */
  clear(): void {
    this.held = []
    this.heldBytes = 0
  }

  /** Calls `follower` with each request to come; gives the function that ends it. */
  subscribe(follower: Follower): () => void {
    this.followers.add(follower)
    return () => this.followers.delete(follower)
  }

  /** The first complete request that matches, held already or to come; WaitTimeoutError if none. */
  waitFor(wanted: Wanted, { timeout = 5000 }: WaitOptions = {}): Promise<CapturedRequest> {
    return new Promise((resolve, reject) => {
      const follow: Follower = (request) => {
        if (request && !fits(wanted, request)) return
        stop()
        if (request) resolve(request)
        else reject(new Error('the catcher was closed while a request was waited for'))
      }
      const unsubscribe = this.subscribe(follow)
      const timer = setTimeout(() => {
        stop()
        reject(new WaitTimeoutError(explainMiss(wanted, this.held, timeout)))
      }, timeout)
      const stop = () => {
        clearTimeout(timer)
        unsubscribe()
      }
      const there = this.held.find((request) => fits(wanted, request))
      if (there || this.closed) follow(there ?? null)
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
          const stop = this.subscribe(() => resolve(stop()))
        })
      }
    }
  }

  protected hold(request: CapturedRequest) {
    this.held.push(request)
    this.heldBytes += request.bytes.length
    for (const follower of this.followers) follower(request)
    // A follower may have cleared them.
    const { held, mostRequests, mostBytes } = this
    while (held.length > mostRequests || (held.length > 1 && this.heldBytes > mostBytes)) {
      this.heldBytes -= held.shift()!.bytes.length
    }
  }

  protected end() {
    this.closed = true
    for (const follower of this.followers) follower(null)
  }
}
