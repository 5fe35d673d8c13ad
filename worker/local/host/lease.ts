/** One request at a reader: what its reader pool and the port that sent it tell each other. */

import type { Supervisor } from './supervisor.ts'

/** A request that wants a reader. */
export interface ReadRequest {
  /** What it asks for, the same for each that asks the same. */
  readonly line: string
  /** When its time is over, in ms of `performance.now()`; null for never. */
  readonly until: number | null
  /** Called to end the connection of a client that takes nothing while others wait, or whose time is over. */
  readonly cut: () => void
}

/** Why the pool ended a reader under a request: its time was over, or others waited for too long. */
export type LeaseEnding = 'deadline' | 'for others'

/** What the pool does with it. */
export interface LeaseKeeper {
  /** The reader of the lease may take another request. */
  readonly free: (lease: Lease) => void
  /** The reader must be ended, as it is at work for nobody. */
  readonly discard: (lease: Lease) => void
  /** The client has left. */
  readonly left: (lease: Lease) => void
  /** @returns whether so many more bytes may wait for their clients */
  readonly mayPark: (bytes: number) => boolean
}

/** A reader that takes longer than this for a request is taken by a slow one. */
const SLOW_MS = 250
/** Bytes of an answer without a length that wait for its client: a page, and what the sockets hold. */
const PAGE_BYTES = 4 * 1024 * 1024
/** How long a client may take nothing before another request may have the reader meanwhile. */
const STALL_MS = 100
/** After its timeout the service itself says that a query took too long; a reader that can't is ended this much later. */
const GRACE_MS = 250

export class Lease {
  readonly #begun = performance.now()
  readonly #deadline: NodeJS.Timeout | null
  #isOver = false
  #stalledSince: number | null = null
  #stall: NodeJS.Timeout | null = null
  /** Whether another request may have its reader meanwhile. */
  #sharesReader = false
  /** Bytes that wait for the client while another request has the reader. */
  parkedBytes = 0
  /** Whether a byte of the answer has come. */
  isAnswering = false
  /** Null while it has its reader. */
  ending: LeaseEnding | null = null

  constructor(
    readonly reader: number,
    readonly supervisor: Supervisor,
    readonly request: ReadRequest,
    private readonly keeper: LeaseKeeper,
  ) {
    const { until } = request
    this.#deadline =
      until === null
        ? null
        : setTimeout(() => this.#expire(), until - performance.now() + GRACE_MS).unref()
  }

  /** Whether its reader has been at work for long. */
  get isSlow(): boolean {
    return performance.now() - this.#begun > SLOW_MS
  }

  /** How long the client has taken nothing, in ms. */
  get stalledMs(): number {
    return this.#stalledSince === null ? 0 : performance.now() - this.#stalledSince
  }

  get age(): number {
    return performance.now() - this.#begun
  }

  /** The client takes nothing for now. @param bytes that are left of the answer, where that is known */
  park(bytes: number | null): void {
    if (this.#isOver || this.#stalledSince !== null) return
    this.#stalledSince = performance.now()
    this.#stall = setTimeout(() => this.#shareReader(bytes ?? PAGE_BYTES), STALL_MS).unref()
  }

  /** The client takes more. */
  resume(): void {
    if (this.#stall !== null) clearTimeout(this.#stall)
    this.#stalledSince = null
    this.parkedBytes = 0
  }

  #shareReader(waiting: number): void {
    if (this.#isOver || !this.keeper.mayPark(waiting)) return
    this.parkedBytes = waiting
    this.#sharesReader = true
    this.keeper.free(this)
  }

  /** The answer is complete, or its connection to the reader has ended. */
  release(): void {
    if (this.#end()) this.keeper.free(this)
  }

  /** The client has left before the answer was complete: the reader may still be at work. */
  abandon(): void {
    if (this.#end()) this.keeper.left(this)
  }

  /** Ends the reader under it. */
  endFor(ending: LeaseEnding): void {
    this.ending = ending
    this.keeper.discard(this)
  }

  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.resume()
    if (this.#deadline !== null) clearTimeout(this.#deadline)
    return true
  }

  #expire(): void {
    if (this.#sharesReader) this.request.cut()
    else this.endFor('deadline')
  }
}
