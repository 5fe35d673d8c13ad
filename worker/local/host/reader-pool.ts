/**
 * The processes that answer what only reads, beside the one that writes. Each gets one request at a time, so that the
 * request that takes too long is known, and can be ended with its process. One reader stays free of requests that took
 * long before; where all are taken by long ones nevertheless, the youngest of these is asked again later.
 */

import { Lease, type ReadRequest } from './lease.ts'
import type { Supervisor } from './supervisor.ts'

/** Requests that are remembered, those that were met last. */
const MOST_LINES = 500

/** Which requests took long, so that they leave a reader to others. */
class SlowLines {
  readonly #lines = new Set<string>()

  has(line: string): boolean {
    return this.#lines.has(line)
  }

  /** @param isSlow whether the request took long this time */
  note(line: string, isSlow: boolean): void {
    this.#lines.delete(line)
    if (!isSlow) return
    this.#lines.add(line)
    const [oldest] = this.#lines
    if (this.#lines.size > MOST_LINES) this.#lines.delete(oldest!)
  }
}

/** Bytes of answers that wait for their clients while their readers do other work. With 32 MB a reader of long logs took 450. */
const MOST_PARKED_BYTES = 16 * 1024 * 1024
/** How long a request waits for readers that long ones have. */
const LONGEST_WAIT_MS = 100
/** Between two looks at readers that others wait for. */
const LOOK_MS = 50
/** Between two looks whether no reader is at work. */
const QUIET_LOOK_MS = 2
/** How long a reader may be at work for a client that has left. */
const LONGEST_LEFT_MS = 1000
/** How long a client may take nothing of an answer that holds a reader while others wait. */
const LONGEST_STALL_MS = 5000
/** How long a reader without work may take to say that it lives. */
const LONGEST_SILENCE_MS = 5000
/** How long a request waits until another reader is started. */
const SHORT_WAIT_MS = 40
/** How long a reader that was started on demand stays without work. */
const LONGEST_REST_MS = 60_000

/** `none`: no reader has run yet, or none ever does, so the process that writes has to answer. `busy`: none was free in time. */
export type NoLease = 'none' | 'busy'

interface Waiting {
  readonly request: ReadRequest
  readonly since: number
  readonly settle: (result: Lease | NoLease) => void
}

interface Slot {
  readonly supervisor: Supervisor
  /** When it last got or ended a request. */
  usedAt: number
  /** The request that it is at work for. */
  holder: Lease | null
  /** Whether it is looked at, and gets no request. */
  isTried: boolean
}

export interface PoolOptions {
  /** The first is kept running; the others are started while requests need them. */
  readonly readers: readonly Supervisor[]
  /** Asks a reader whether it lives, on its own socket. */
  readonly alive: (reader: number) => Promise<unknown>
  /** How long a request without a timeout may wait for a reader, in ms. */
  readonly patienceMs: number
}

export class ReaderPool {
  readonly #slots: readonly Slot[]
  readonly #queue: Waiting[] = []
  readonly #slow = new SlowLines()
  /** Requests whose answers wait for their clients while others have their readers. */
  readonly #parked = new Set<Lease>()
  #look: NodeJS.Timeout | null = null
  #isQuiet = false
  #hasServed = false

  constructor(private readonly options: PoolOptions) {
    this.#slots = options.readers.map((supervisor) => ({
      supervisor,
      usedAt: 0,
      holder: null,
      isTried: false,
    }))
  }

  /** Waits for a reader. The lease has to be released, or abandoned. */
  lease(request: ReadRequest): Promise<Lease | NoLease> {
    return new Promise((resolve) => {
      const since = performance.now()
      const patienceMs = request.until === null ? this.options.patienceMs : request.until - since
      const late = setTimeout(() => settle('busy'), patienceMs)
      const settle = (result: Lease | NoLease): void => {
        clearTimeout(late)
        const at = this.#queue.indexOf(waiting)
        if (at !== -1) this.#queue.splice(at, 1)
        resolve(result)
      }
      const waiting = { request, since, settle }
      this.#queue.push(waiting)
      this.dispatch()
    })
  }

  /** Gives waiting requests to free readers. To be called when a reader is ready, or has ended. */
  dispatch(): void {
    const waiting = [...this.#queue]
    this.#hasServed ||= this.#slots.some(({ supervisor }) => supervisor.pid !== null)
    if (!this.#isServing) for (const { settle } of waiting) settle('none')
    else if (!this.#isQuiet)
      for (const one of waiting) {
        const reader = this.#readerFor(one.request.line)
        if (reader !== null) one.settle(this.#begin(reader, one.request))
      }
    if (this.#queue.length > 0)
      this.#look ??= setTimeout(() => {
        this.#look = null
        this.#openForWaiting()
        this.#makeRoom()
        this.dispatch()
      }, LOOK_MS)
  }

  /** Starts the first reader; the others are started once requests need them. */
  open(): void {
    this.#slots[0]?.supervisor.open()
  }

  /** Closes readers that have rested for long, and replaces readers without work that don't say that they live. */
  async tryIdle(): Promise<void> {
    for (const slot of this.#slots.slice(1)) {
      const isResting = performance.now() - slot.usedAt > LONGEST_REST_MS
      const isParking = [...this.#parked].some(({ supervisor }) => supervisor === slot.supervisor)
      if (isFree(slot) && isResting && !isParking) slot.supervisor.close()
    }
    const idle = [...this.#slots.entries()].filter(([, slot]) => isFree(slot))
    const tries = idle.map(async ([reader, slot]) => {
      slot.isTried = true
      if (!(await this.#lives(reader, LONGEST_SILENCE_MS))) slot.supervisor.replace()
      slot.isTried = false
    })
    await Promise.all(tries)
    this.dispatch()
  }

  /** Does work while no reader is at work, if that comes about within so many ms. @returns whether it was done */
  async whenQuiet(patienceMs: number, work: () => Promise<unknown>): Promise<boolean> {
    this.#isQuiet = true
    try {
      const until = performance.now() + patienceMs
      while (this.#slots.some(({ holder }) => holder !== null)) {
        if (performance.now() > until) return false
        await pause(QUIET_LOOK_MS)
      }
      await work()
      return true
    } finally {
      this.#isQuiet = false
      this.dispatch()
    }
  }

  /** Ends all requests at the readers, to be asked again where nothing of their answers was sent. */
  endAll(): void {
    for (const { holder } of this.#slots) holder?.endFor('for others')
  }

  /** Starts all readers again, as the files of the database are others. Resolves once those of the earlier files have ended. */
  replaceAll(): Promise<unknown> {
    return Promise.all(this.#slots.map(({ supervisor }) => supervisor.replaceAnyway()))
  }

  /**
   * Whether a reader runs, or one that died or is replaced starts again: a read waits for it, since the process that writes can
   * end no query. Before the first one runs, at the start of the service, that process answers.
   */
  get #isServing(): boolean {
    return this.#hasServed && this.#slots.some(({ supervisor }) => !supervisor.isStopping)
  }

  #openForWaiting(): void {
    const now = performance.now()
    if (this.#queue.some(({ since }) => now - since >= SHORT_WAIT_MS)) this.#openOneMore()
  }

  #openOneMore(): void {
    const closed = this.#slots.find(({ supervisor }) => !supervisor.isOpen)
    if (closed === undefined) return
    closed.usedAt = performance.now()
    closed.supervisor.open()
  }

  /** A free reader for the request; slow ones leave one to others. */
  #readerFor(line: string): number | null {
    const free = this.#slots.findIndex(isFree)
    if (free === -1) return null
    if (!this.#slow.has(line) || this.#slots.length === 1) return free
    const slow = this.#slots.filter(
      ({ holder }) => holder !== null && (holder.isSlow || this.#slow.has(holder.request.line)),
    )
    return slow.length < this.#slots.length - 1 ? free : null
  }

  #begin(reader: number, request: ReadRequest): Lease {
    const slot = this.#slots[reader]!
    const lease = new Lease(reader, slot.supervisor, request, {
      free: (one) => this.#free(slot, one),
      discard: (one) => {
        if (slot.holder === one) slot.supervisor.replace()
      },
      left: (one) => void this.#left(slot, one),
      mayPark: (bytes) => this.#parkedBytes + bytes <= MOST_PARKED_BYTES,
    })
    slot.holder = lease
    slot.usedAt = performance.now()
    // Another request would have to wait for its start.
    if (this.#slow.has(request.line)) this.#openOneMore()
    return lease
  }

  get #parkedBytes(): number {
    return [...this.#parked].reduce((sum, { parkedBytes }) => sum + parkedBytes, 0)
  }

  #free(slot: Slot, lease: Lease): void {
    if (lease.parkedBytes > 0) this.#parked.add(lease)
    else this.#parked.delete(lease)
    if (slot.holder !== lease) return
    this.#slow.note(lease.request.line, lease.isSlow)
    slot.holder = null
    slot.usedAt = performance.now()
    this.dispatch()
  }

  async #left(slot: Slot, lease: Lease): Promise<void> {
    if (slot.holder === lease && slot.supervisor.pid !== null) {
      const lives = await this.#lives(lease.reader, LONGEST_LEFT_MS)
      if (!lives && slot.holder === lease) slot.supervisor.replace()
    }
    this.#free(slot, lease)
  }

  #lives(reader: number, patienceMs: number): Promise<boolean> {
    const alive = this.options.alive(reader).then(
      () => true,
      () => false,
    )
    return Promise.race([alive, pause(patienceMs)])
  }

  /** Makes room for requests that wait: cuts a client that takes nothing, or ends a long request where a short one waits. */
  #makeRoom(): void {
    const now = performance.now()
    const late = this.#queue.filter(({ since }) => now - since >= LONGEST_WAIT_MS)
    const holders = this.#slots.flatMap(({ holder }) => holder ?? [])
    const isEnding = holders.some(({ ending }) => ending !== null)
    if (late.length === 0 || isEnding) return
    const stalled = holders.find(({ stalledMs }) => stalledMs > LONGEST_STALL_MS)
    if (stalled) return stalled.request.cut()
    const isShort = late.some(({ request }) => !this.#slow.has(request.line))
    if (!isShort || holders.length < this.#slots.length) return
    const areUp = this.#slots.every(({ supervisor }) => supervisor.pid !== null)
    if (this.#slots.length < 2 || !areUp || !holders.every(({ isSlow }) => isSlow)) return
    const [youngest] = holders
      .filter(({ isAnswering }) => !isAnswering)
      .sort((one, other) => one.age - other.age)
    if (!youngest) return
    this.#slow.note(youngest.request.line, true)
    youngest.endFor('for others')
  }
}

const pause = (ms: number): Promise<false> =>
  new Promise((resolve) => setTimeout(resolve, ms, false).unref())

const isFree = ({ supervisor, holder, isTried }: Slot): boolean =>
  supervisor.pid !== null && !supervisor.isStopping && holder === null && !isTried
