/** A client's connection to the port for plain HTTP, and its connections to the processes of workerd. */

import { connect, type Socket } from 'node:net'
import { Exchanges, type Head } from './exchanges.ts'
import { beforeMark } from './failure-mark.ts'
import type { Lease } from './lease.ts'
import { BUSY, RESTARTING, unavailable } from './refusal.ts'
import { inOriginForm, INCOMPLETE, refusalOf } from './request-head.ts'
import {
  isForReader,
  isReport,
  limitFrom,
  lineOf,
  NOT_FOR_READERS,
  TIMEOUT_RETRY_SECONDS,
  timeoutOf,
  timeoutSentence,
  type Limit,
} from './routing.ts'
import type { Timings } from '../timings.ts'
import { CLIENT_SILENCE_MS, MOST_GATHERED, PAUSE_MS, type Runtimes } from './runtimes.ts'

export type RelayTimings = Pick<Timings, 'idleMs' | 'patienceMs'>

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
/** The beginning of a reader's answer to a request that writes. */
const WRITES = `HTTP/1.1 ${NOT_FOR_READERS} `

/** How long a reader works on for a client that has closed its sending side, as those do that leave. */
const LONGEST_HALF_OPEN_MS = 1000
/** Bytes that a client may send ahead of an answer. */
const MOST_AHEAD = 64 * 1024

/** Bytes that are read of an answer at a time. Memory that was never read into costs nothing. */
const newBuffer = (): Buffer => Buffer.allocUnsafeSlow(SIZE)
const SIZE = 256 * 1024

/** One connection of a client, and its connections to workerd's processes. */
export class RelayedConnection {
  readonly #exchanges = new Exchanges()
  /** Connections by path, of which one is in use. */
  readonly #sockets = new Map<string, Socket>()
  /** The connection that has the request under way. */
  #runtime: Socket | null = null
  /** Bytes of the client that nothing was done with yet. */
  #received: Buffer[] = []
  /** Where the request under way goes; null while its head is not complete. */
  #way: 'writer' | 'reader' | null = null
  #target = ''
  /** When the whole request under way was passed on to the process that writes, in ms; null before. */
  #passedAt: number | null = null
  /** Bytes of the request whose way is unknown, or that is gathered for a reader. */
  #gathered: Buffer[] = []
  /** Bytes that wait for a connection to the process that writes. */
  #waiting: Buffer[] = []
  /** Whether the waiting bytes begin with a new request, which another connection may carry. */
  #waitingIsWhole = false
  #clientEnded = false
  /** The request whose answer is awaited, where it may be sent again; once. */
  #repeatable: Buffer | null = null
  #lease: Lease | null = null
  /** Of the request under way, from its first try. */
  #limit: Limit | null = null
  /** The head of an answer whose body has not begun: a runtime that dies now has answered nothing. */
  #head: Buffer | null = null

  constructor(
    private readonly client: Socket,
    private readonly runtimes: Runtimes,
    private readonly timings: RelayTimings,
  ) {
    client.on('error', () => client.destroy())
    client.on('data', (bytes) => {
      this.#received.push(bytes)
      this.#advance()
    })
    client.on('drain', () => {
      this.#lease?.resume()
      this.#runtime?.resume()
    })
    client.on('end', () => this.#fromEndedClient())
    client.on('close', () => {
      this.#lease?.abandon()
      for (const socket of this.#sockets.values()) socket.destroy()
    })
    client.setTimeout(CLIENT_SILENCE_MS, () => {
      const awaits = this.#way !== null && !this.#exchanges.isWithinRequest
      if (awaits && client.writableLength === 0) client.setTimeout(CLIENT_SILENCE_MS)
      else client.destroy()
    })
  }

  /** Looks at what the client has sent, up to the end of the request under way. */
  #advance(): void {
    while (this.#received.length > 0 && this.#takesMore) {
      const bytes = this.#received.shift()!
      const { used, head } = this.#exchanges.takeNext(bytes)
      if (used < bytes.length) this.#received.unshift(bytes.subarray(used))
      this.#take(bytes.subarray(0, used), head)
    }
    const isFull = this.#waiting.length > 0 || (this.#runtime?.writableNeedDrain ?? false)
    if (isFull || sizeOf(this.#received) > MOST_AHEAD) this.client.pause()
    else this.client.resume()
  }

  /** Whether a request is being received, or may begin. */
  get #takesMore(): boolean {
    if (this.client.destroyed || this.client.writableEnded) return false
    return this.#exchanges.isWithinRequest || (this.#way === null && !this.#exchanges.isOver)
  }

  #take(bytes: Buffer, head: Head | null): void {
    if (this.#way === 'writer') return this.#pass(bytes)
    this.#gathered.push(bytes)
    if (head !== null && this.#way === null) this.#begin(head)
    if (this.client.writableEnded) return
    if (head?.expectsContinue) this.client.write(CONTINUE)
    const { isLost, isWithinRequest } = this.#exchanges
    const isTooLarge = this.#way === 'reader' && sizeOf(this.#gathered) > MOST_GATHERED
    if (isLost || isTooLarge) this.#way = 'writer'
    if (this.#way === null || (this.#way === 'reader' && isWithinRequest)) return
    const request = joined(this.#gathered)
    this.#gathered = []
    if (this.#way === 'writer') return this.#pass(request)
    this.#repeatable = request
    void this.#askReader(request)
  }

  #begin({ method, target, text, isRepeatable }: Head): void {
    const refused = refusalOf(text)
    if (refused !== null) return this.#endWith(refused)
    const rewritten = inOriginForm(text)
    if (rewritten !== null) {
      const body = joined(this.#gathered).subarray(text.length)
      this.#gathered = [Buffer.from(rewritten.head, 'latin1'), body]
    }
    this.#target = rewritten?.target ?? target
    this.#way = isForReader(method, this.#target) ? 'reader' : 'writer'
    if (this.#way === 'writer' && isRepeatable) this.#repeatable = joined(this.#gathered)
  }

  async #askReader(request: Buffer): Promise<void> {
    const { readers, readerSocket, timeouts, supervisor } = this.runtimes
    const body = request.subarray(request.indexOf('\r\n\r\n'))
    this.#limit ??= limitFrom(timeoutOf(this.#target, body, timeouts))
    const lease = await readers.lease({
      line: lineOf(this.#target, body),
      until: this.#limit.until,
      cut: () => this.client.destroy(),
    })
    if (typeof lease === 'string') {
      if (this.client.destroyed) return
      if (lease === 'busy') return this.#refuse(supervisor.isStopping ? RESTARTING : BUSY)
      return this.#pass(request, true)
    }
    if (this.client.destroyed) return lease.release()
    this.#lease = lease
    const path = readerSocket(lease.reader)
    const kept = this.#sockets.get(path)
    const runtime = kept?.writable ? kept : this.#open(path, () => this.#repeatOrRefuse())
    this.#runtime = runtime
    if (!runtime.connecting) runtime.resume()
    runtime.write(request)
    this.#endAfterLast(runtime)
  }

  /** @param isWhole whether the bytes are a whole request, whose way was another one at first */
  #pass(bytes: Buffer, isWhole = false): void {
    if (!this.#exchanges.isWithinRequest) this.#passedAt ??= performance.now()
    const runtime = this.#sockets.get(this.runtimes.writer)
    if (this.#waiting.length === 0 && runtime?.writable && !runtime.connecting) {
      this.#runtime = runtime
      runtime.write(bytes)
      this.#endAfterLast(runtime)
      return
    }
    const isFirst = isWhole || this.#runtime === null
    const isConnecting = this.#waiting.length > 0
    if (!isConnecting) this.#waitingIsWhole = isFirst
    this.#waiting.push(bytes)
    this.client.pause()
    // Also where the connection that was kept is just being closed.
    if (!isConnecting && isFirst) void this.#connect()
  }

  /** @param until when the request has waited long enough, in ms */
  async #connect(until = performance.now() + this.timings.patienceMs): Promise<void> {
    const { writer, supervisor } = this.runtimes
    if (!(await supervisor.whenReady(until - performance.now()))) return this.#refuse()
    if (this.client.destroyed) return
    const runtime = this.#open(writer, () => this.#missed(until))
    this.#runtime = runtime
    runtime.on('connect', () => {
      for (const bytes of this.#waiting) runtime.write(bytes)
      this.#waiting = []
      if (this.#clientEnded && this.#exchanges.isWithinRequest) runtime.end()
      this.#endAfterLast(runtime)
      this.client.resume()
    })
    runtime.on('drain', () => this.client.resume())
  }

  /** @param missed called where nobody listens */
  #open(path: string, missed: () => void): Socket {
    let buffer: Buffer | null = null
    const runtime = connect({
      path,
      allowHalfOpen: true,
      onread: {
        // What the client has not taken yet stays where it is.
        buffer: () => (this.client.writableLength > 0 ? newBuffer() : (buffer ??= newBuffer())),
        callback: (length, read) =>
          this.#fromRuntime(Buffer.from(read.buffer, read.byteOffset, length)),
      },
    })
    this.#sockets.set(path, runtime)
    let isReached = false
    runtime.on('connect', () => (isReached = true))
    runtime.on('error', () => runtime.destroy())
    runtime.on('end', () => runtime.end())
    runtime.on('close', () => {
      if (this.#sockets.get(path) === runtime) this.#sockets.delete(path)
      if (this.#runtime !== runtime) return this.#closedIdle()
      this.#runtime = null
      if (this.client.destroyed) return
      if (isReached) this.#closed()
      else missed()
    })
    runtime.setTimeout(this.timings.idleMs, () => {
      if (this.#runtime !== runtime || this.#exchanges.isIdle) runtime.end()
    })
    return runtime
  }

  /** @returns whether the client takes more */
  #fromRuntime(bytes: Buffer): boolean {
    if (this.#lease?.isAnswering === false && bytes.indexOf(WRITES) === 0) return this.#askWriter()
    const answer = this.#head === null ? bytes : Buffer.concat([this.#head, bytes])
    // The runtime writes a head and its body apart. Together, they are also one packet.
    const isHead = this.#exchanges.takeAnswer(bytes)
    if (this.#exchanges.hasFailed) return this.#breakOff(answer)
    this.#head = isHead ? Buffer.from(answer) : null
    if (isHead) return true
    this.#repeatable = null
    if (this.#lease !== null) this.#lease.isAnswering = true
    const takesMore = this.client.write(answer)
    if (!takesMore) this.#lease?.park(this.#exchanges.bytesLeft)
    this.#settle()
    return takesMore
  }

  /** The reader says that the request writes. */
  #askWriter(): boolean {
    const request = this.#repeatable
    this.#repeatable = null
    const runtime = this.#runtime
    this.#runtime = null
    runtime?.destroy()
    this.#lease?.release()
    this.#lease = null
    this.#way = 'writer'
    if (request === null) this.#refuse()
    else this.#pass(request, true)
    return true
  }

  /** After the answer to a whole request, the next one begins. */
  #settle(): void {
    if (this.#way === null || !this.#exchanges.isIdle) return
    if (this.#passedAt !== null && isReport(this.#target))
      this.runtimes.late.note(performance.now() - this.#passedAt)
    this.#passedAt = null
    this.#way = null
    this.#limit = null
    this.#lease?.release()
    this.#lease = null
    // The end of its connection closes that of the client.
    if (this.#exchanges.isOver) return
    this.#runtime = null
    if (this.#clientEnded && this.#received.length === 0) this.client.end()
    this.#advance()
  }

  /** Ends the connection within the body, as its terminator would tell the client that it is whole. */
  #breakOff(answer: Buffer): boolean {
    this.client.end(beforeMark(answer))
    this.client.destroySoon()
    return true
  }

  /** Tries again: nobody has taken the waiting bytes. */
  #missed(until: number): void {
    if (performance.now() >= until) return this.#refuse()
    setTimeout(() => void this.#connect(until), PAUSE_MS)
  }

  /** workerd does not close a connection when the client asks for it. */
  #endAfterLast(runtime: Socket): void {
    if (this.#exchanges.isOver && !this.#exchanges.isWithinRequest) runtime.end()
  }

  /** Handles the end of the connection to workerd: it was idle, sent its last answer, or workerd died. */
  #closed(): void {
    if (this.#head !== null || this.#repeatable !== null) return this.#repeatOrRefuse()
    const { isIdle, isOver, isLastAnswered, awaitsAnswer } = this.#exchanges
    // Requests behind the last one that was answered get no answer (RFC 9112, 9.6).
    if (isOver && (isLastAnswered || !awaitsAnswer)) return this.client.destroySoon()
    if (this.#waiting.length > 0 && this.#waitingIsWhole) return void this.#connect()
    if (awaitsAnswer) return this.#refuse()
    if (!isIdle || this.#clientEnded || this.runtimes.supervisor.isStopping)
      this.client.destroySoon()
  }

  /** A connection without a request has ended. */
  #closedIdle(): void {
    if (this.#way === null && this.runtimes.supervisor.isStopping) this.client.destroySoon()
  }

  /** The runtime has ended before it answered anything. */
  #repeatOrRefuse(): void {
    const request = this.#repeatable
    const ending = this.#lease?.ending ?? null
    this.#lease?.release()
    this.#lease = null
    // Of an answer whose head has come, the framing is lost.
    if (ending === 'deadline')
      return this.#refuse(timeoutSentence(this.#limit!.seconds!), TIMEOUT_RETRY_SECONDS)
    // A process that writes and is being replaced may hang because of this request.
    const isReplaced = this.#way === 'writer' && this.runtimes.supervisor.isReplaced
    if (request === null || this.#head !== null || isReplaced) return this.#refuse()
    // A runtime that dies may have died of this request.
    if (ending !== 'for others') this.#repeatable = null
    setTimeout(() => {
      if (this.client.destroyed) return
      if (this.#way === 'reader') void this.#askReader(request)
      else this.#pass(request, true)
    }, PAUSE_MS)
  }

  #fromEndedClient(): void {
    this.#clientEnded = true
    if (this.#exchanges.isWithinRequest)
      return this.#runtime?.connecting ? undefined : this.#cutOff()
    if (this.#way === null) return void this.client.end()
    if (this.#way === 'reader')
      setTimeout(() => this.client.destroy(), LONGEST_HALF_OPEN_MS).unref()
  }

  /** The client has ended within a request. */
  #cutOff(): void {
    if (this.#runtime === null) this.#endWith(INCOMPLETE)
    else this.#runtime.end()
  }

  /** @param seconds after which the client may come again */
  #refuse(sentence = RESTARTING, seconds = 1): void {
    this.#endWith(unavailable(sentence, seconds))
  }

  #endWith(answer: string): void {
    if (this.client.destroyed) return
    this.client.end(answer)
    this.client.destroySoon()
  }
}

const sizeOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0)

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
