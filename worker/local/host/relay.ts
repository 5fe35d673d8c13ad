/**
 * The port for plain HTTP: passes the bytes of each connection to workerd's socket, and back.
 *
 * The launcher holds the port, so that it stays open while the runtime restarts: requests wait for the
 * runtime, and get 503 with Retry-After if that takes too long. It answers `Expect: 100-continue`,
 * which workerd never does, and keeps idle connections open longer than workerd would.
 */

import { connect, createServer, type Server, type Socket } from 'node:net'
import { Exchanges } from './exchanges.ts'
import { beforeMark } from './failure-mark.ts'
import type { Timings } from '../timings.ts'
import type { Supervisor } from './supervisor.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
export const RESTARTING = 'The service is starting again.\n'
const UNAVAILABLE = `HTTP/1.1 503 Service Unavailable\r
retry-after: 1\r
content-type: text/plain;charset=utf-8\r
content-length: ${RESTARTING.length}\r
connection: close\r
\r
${RESTARTING}`

/** Until the next try, where the runtime has died and the launcher does not know it yet. */
export const PAUSE_MS = 20
/** How long a client may keep an idle connection open. */
export const CLIENT_SILENCE_MS = 60_000

/** Bytes that are read of an answer at a time. Memory that was never read into costs nothing. */
const newBuffer = (): Buffer => Buffer.allocUnsafeSlow(SIZE)
const SIZE = 256 * 1024

export type RelayTimings = Pick<Timings, 'idleMs' | 'patienceMs'>

/** @param path of workerd's socket */
export function createRelay(path: string, supervisor: Supervisor, timings: RelayTimings): Server {
  return createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    new Relayed(client, path, supervisor, timings)
  })
}

/** One connection of a client, and its successive connections to workerd. */
class Relayed {
  readonly #exchanges = new Exchanges()
  #runtime: Socket | null = null
  /** Bytes from the client that wait for a connection to workerd. */
  #waiting: Buffer[] = []
  /** Whether the waiting bytes begin with a new request, which another connection may carry. */
  #waitingIsWhole = false
  #clientEnded = false
  /** The one request whose answer is awaited, where it may be sent again; once. */
  #repeatable: Buffer | null = null
  /** The head of an answer whose body has not begun: a runtime that dies now has answered nothing. */
  #head: Buffer | null = null

  constructor(
    private readonly client: Socket,
    private readonly path: string,
    private readonly supervisor: Supervisor,
    private readonly timings: RelayTimings,
  ) {
    client.on('error', () => client.destroy())
    client.on('data', (bytes) => this.#fromClient(bytes))
    client.on('drain', () => this.#runtime?.resume())
    client.on('end', () => {
      this.#clientEnded = true
      if (this.#runtime === null && this.#waiting.length === 0) client.end()
      else if (!this.#runtime?.connecting) this.#runtime?.end()
    })
    client.on('close', () => this.#runtime?.destroy())
    client.setTimeout(CLIENT_SILENCE_MS, () => client.destroy())
  }

  #fromClient(bytes: Buffer): void {
    const { isIdle } = this.#exchanges
    const head = this.#exchanges.takeRequest(bytes)
    this.#repeatable = isIdle && head?.isRepeatable ? bytes : null
    if (head?.expectsContinue) this.client.write(CONTINUE)
    if (this.#runtime?.writable && !this.#runtime.connecting) {
      if (!this.#runtime.write(bytes)) this.client.pause()
      this.#endAfterLast(this.#runtime)
      return
    }
    if (this.#waiting.length === 0) this.#waitingIsWhole = isIdle
    this.#waiting.push(bytes)
    this.client.pause()
    if (this.#runtime === null) void this.#connect()
  }

  /** @param until when the request has waited long enough, in ms */
  async #connect(until = performance.now() + this.timings.patienceMs): Promise<void> {
    if (!(await this.supervisor.whenReady(until - performance.now()))) return this.#refuse()
    if (this.client.destroyed) return
    let buffer: Buffer | null = null
    const runtime = connect({
      path: this.path,
      allowHalfOpen: true,
      onread: {
        // What the client has not taken yet stays where it is.
        buffer: () => (this.client.writableLength > 0 ? newBuffer() : (buffer ??= newBuffer())),
        callback: (length, read) =>
          this.#fromRuntime(Buffer.from(read.buffer, read.byteOffset, length)),
      },
    })
    this.#runtime = runtime
    let isReached = false
    runtime.on('connect', () => {
      isReached = true
      for (const bytes of this.#waiting) runtime.write(bytes)
      this.#waiting = []
      if (this.#clientEnded) runtime.end()
      this.#endAfterLast(runtime)
      this.client.resume()
    })
    runtime.on('drain', () => this.client.resume())
    runtime.on('error', () => runtime.destroy())
    runtime.on('end', () => runtime.end())
    runtime.on('close', () => (isReached ? this.#closed() : this.#missed(until)))
    runtime.setTimeout(this.timings.idleMs, () => {
      if (this.#exchanges.isIdle) runtime.end()
    })
  }

  /** @returns whether the client takes more */
  #fromRuntime(bytes: Buffer): boolean {
    this.#repeatable = null
    const answer = this.#head === null ? bytes : Buffer.concat([this.#head, bytes])
    // The runtime writes a head and its body apart. Together, they are also one packet.
    const isHead = this.#exchanges.takeAnswer(bytes)
    if (this.#exchanges.hasFailed) return this.#breakOff(answer)
    this.#head = isHead ? Buffer.from(answer) : null
    return isHead || this.client.write(answer)
  }

  /** Ends the connection within the body, as its terminator would tell the client that it is whole. */
  #breakOff(answer: Buffer): boolean {
    this.client.end(beforeMark(answer))
    this.client.destroySoon()
    return true
  }

  /** Tries again: nobody has taken the waiting bytes. */
  #missed(until: number): void {
    this.#runtime = null
    if (this.client.destroyed) return
    if (performance.now() >= until) return this.#refuse()
    setTimeout(() => void this.#connect(until), PAUSE_MS)
  }

  /** workerd does not close a connection when the client asks for it. */
  #endAfterLast(runtime: Socket): void {
    if (this.#exchanges.isOver && !this.#exchanges.isWithinRequest) runtime.end()
  }

  /** Handles the end of the connection to workerd: it was idle, sent its last answer, or workerd died. */
  #closed(): void {
    this.#runtime = null
    if (this.client.destroyed) return
    if (this.#head !== null) return this.#refuse()
    if (this.#repeatable !== null) return this.#repeat(this.#repeatable)
    const { isIdle, isOver, isLastAnswered, awaitsAnswer } = this.#exchanges
    // Requests behind the last one that was answered get no answer (RFC 9112, 9.6).
    if (isOver && (isLastAnswered || !awaitsAnswer)) return this.client.destroySoon()
    if (this.#waiting.length > 0 && this.#waitingIsWhole) return void this.#connect()
    if (awaitsAnswer) return this.#refuse()
    if (!isIdle || this.#clientEnded || this.supervisor.isStopping) this.client.destroySoon()
  }

  #repeat(request: Buffer): void {
    this.#repeatable = null
    this.#waiting = [request]
    this.#waitingIsWhole = true
    this.client.pause()
    setTimeout(() => void this.#connect(), PAUSE_MS)
  }

  #refuse(): void {
    this.client.end(UNAVAILABLE)
    this.client.destroySoon()
  }
}
