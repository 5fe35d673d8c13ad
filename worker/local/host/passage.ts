/** Passes a request to a process of workerd, and its answer back. */

import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Timings } from '../timings.ts'
import { beforeMark, FailureMarkFinder } from './failure-mark.ts'
import { isTooFine, type Gathered } from './gathered-bodies.ts'
import type { Lease } from './lease.ts'
import { BUSY, LEFT, NO_ROOM, refuse, RESTARTING, TOO_FINE, unavailable } from './refusal.ts'
import { LONGEST_HEAD, PAUSE_MS, type Runtimes } from './runtimes.ts'
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

/** A request with the headers to pass on, names and values alternating. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly headers: readonly string[]
}

export interface PassageOptions {
  readonly runtimes: Runtimes
  /** Keeps connections to the processes. */
  readonly agent: Agent
  readonly timings: Pick<Timings, 'patienceMs'>
}

/** How long a reader works on for a client that has closed its sending side, as those do that leave. */
const LONGEST_HALF_OPEN_MS = 1000
/** Methods of requests that change nothing. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** Nobody listens. */
const MISSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT'])

/** Passes a request on; its answer, or a refusal, ends `outgoing`. */
export async function passOn(exchange: Exchange, options: PassageOptions): Promise<void> {
  const { incoming } = exchange
  const passage = new Passage(exchange, options)
  if (!isForReader(incoming.method!, incoming.url!)) return passage.askWriter([])
  const gathered = hasBody(incoming)
    ? await options.runtimes.bodies.gather(incoming, exchange.outgoing)
    : WITHOUT_BODY
  switch (gathered.kind) {
    case 'too fine':
      return refuse(exchange.outgoing, 400, TOO_FINE)
    case 'no room':
      return unavailable(exchange.outgoing, NO_ROOM)
    case 'too large':
      // The service refuses it by its size.
      return passage.askWriter([gathered.body])
    case 'whole':
      exchange.outgoing.once('close', passage.endWithClient())
      return passage.askReader(gathered.body)
  }
}

const WITHOUT_BODY: Gathered = { kind: 'whole', body: Buffer.alloc(0) }

class Passage {
  readonly #begun = performance.now()

  constructor(
    private readonly exchange: Exchange,
    private readonly options: PassageOptions,
  ) {}

  /** @param pieces of the body, as far as they were received */
  async askWriter(pieces: readonly Buffer[]): Promise<void> {
    const { incoming, outgoing } = this.exchange
    const { runtimes, timings } = this.options
    const { late, supervisor, writer } = runtimes
    const until = performance.now() + timings.patienceMs
    let passedAt = performance.now()
    incoming.once('end', () => (passedAt = performance.now()))
    let [count, bytes] = [0, 0]
    const countPieces = (piece: Buffer): void => {
      count++
      bytes += piece.length
      if (isTooFine(count, bytes)) refuse(outgoing, 400, TOO_FINE)
    }
    const send = (forwarded: ClientRequest): void => {
      for (const piece of pieces) forwarded.write(piece)
      if (incoming.readableEnded) forwarded.end()
      else incoming.on('data', countPieces).pipe(forwarded)
    }
    const forward = async (isFirst: boolean): Promise<void> => {
      if (!(await supervisor.whenReady(until - performance.now()))) return unavailable(outgoing)
      if (outgoing.destroyed) return
      const forwarded = this.#request(writer, null, {
        answered: (answer) => {
          if (isReport(incoming.url!)) late.note(performance.now() - passedAt)
          this.#answer(answer, null)
        },
        failed: (code) => {
          // The runtime is dead, or was before it answered, and the launcher may not know it yet.
          const isMissed = MISSED.has(code) && performance.now() < until
          const isSafe = READS.has(incoming.method!) && !hasBody(incoming)
          const mayRepeat = isSafe && isFirst && !supervisor.isReplaced
          if (!isMissed && !mayRepeat) return unavailable(outgoing)
          setTimeout(() => void forward(isFirst && isMissed), PAUSE_MS)
        },
      })
      // What is piped can't be sent again: not before somebody takes it.
      if (hasBody(incoming)) whenConnected(forwarded, () => send(forwarded))
      else forwarded.end()
    }
    await forward(true)
  }

  async askReader(body: Buffer, limit = this.#limitOf(body), isFirst = true): Promise<void> {
    const { incoming, outgoing } = this.exchange
    const { timings } = this.options
    const { readers, readerSocket, supervisor } = this.options.runtimes
    const lease = await readers.lease({
      line: lineOf(incoming.url!, body),
      until: limit.until,
      cut: () => outgoing.destroy(),
    })
    if (lease === 'none') return this.askWriter([body])
    if (lease === 'busy') return unavailable(outgoing, supervisor.isStopping ? RESTARTING : BUSY)
    if (outgoing.destroyed || outgoing.writableEnded) return lease.release()
    const forwarded = this.#request(readerSocket(lease.reader), lease, {
      answered: (answer, leave) => {
        if (answer.statusCode !== NOT_FOR_READERS) return this.#answer(answer, lease)
        lease.release()
        leave()
        void this.askWriter([body])
      },
      failed: (code) => {
        const { ending } = lease
        lease.release()
        if (ending === 'deadline')
          return unavailable(outgoing, timeoutSentence(limit.seconds!), TIMEOUT_RETRY_SECONDS)
        const isUntouched = ending === 'for others' || MISSED.has(code)
        const until = limit.until ?? this.#begun + timings.patienceMs
        // A reader that dies may have died of this request.
        if ((!isFirst && !isUntouched) || performance.now() > until) return unavailable(outgoing)
        setTimeout(() => void this.askReader(body, limit, isFirst && isUntouched), PAUSE_MS)
      },
    })
    if (body.length > 0) forwarded.end(body)
    else forwarded.end()
  }

  /** Ends what a reader does for a client that closes its sending side. @returns a function that no longer looks */
  endWithClient(): () => void {
    const { incoming, outgoing } = this.exchange
    const { socket } = incoming
    const giveUp = (): void => {
      if (outgoing.headersSent) outgoing.destroy()
      else unavailable(outgoing, LEFT)
    }
    const ended = (): void => void setTimeout(giveUp, LONGEST_HALF_OPEN_MS).unref()
    if (socket.readableEnded) ended()
    else socket.once('end', ended)
    return () => socket.off('end', ended)
  }

  #limitOf(body: Buffer): Limit {
    return limitFrom(timeoutOf(this.exchange.incoming.url!, body, this.options.runtimes.timeouts))
  }

  /** Asks a process, for as long as the client is there. */
  #request(
    socketPath: string,
    lease: Lease | null,
    {
      answered,
      failed,
    }: {
      /** @param leave gives up the answer */
      readonly answered: (answer: IncomingMessage, leave: () => void) => void
      /** Called where the process has ended before it answered anything. */
      readonly failed: (code: string) => void
    },
  ): ClientRequest {
    const { incoming, outgoing, headers } = this.exchange
    const { agent } = this.options
    const { method, url: path } = incoming
    let isOver = false
    const leave = (): void => {
      isOver = true
      outgoing.off('close', leave)
      lease?.abandon()
      forwarded.destroy()
      // The rest of a body that was answered early.
      incoming.unpipe(forwarded)
      if (outgoing.destroyed) incoming.resume()
    }
    const fail = ({ code = '' }: NodeJS.ErrnoException): void => {
      if (isOver || outgoing.writableEnded) return
      isOver = true
      outgoing.off('close', leave)
      if (outgoing.headersSent) {
        lease?.release()
        outgoing.destroy()
      } else failed(code)
    }
    const forwarded = request(
      { agent, socketPath, method, path, headers, maxHeaderSize: LONGEST_HEAD },
      (answer) => {
        // Where workerd has not read all of a body, it ends the connection after its answer, which doesn't say so.
        if (hasBody(incoming) && answer.statusCode! >= 400) forwarded.shouldKeepAlive = false
        answer.on('error', fail)
        answered(answer, leave)
      },
    )
    forwarded.on('error', fail)
    outgoing.on('close', leave)
    return forwarded
  }

  /** Passes an answer on from its first byte, or its end: a process that ends before has answered nothing. */
  #answer(answer: IncomingMessage, lease: Lease | null): void {
    const { outgoing } = this.exchange
    const { supervisor } = this.options.runtimes
    const mark = new FailureMarkFinder()
    let taken = 0
    let isBroken = false
    const begin = (): void => {
      if (lease !== null) lease.isAnswering = true
      if (outgoing.headersSent) return
      if (supervisor.isStopping) outgoing.shouldKeepAlive = false
      outgoing.writeHead(answer.statusCode!, without(OF_ANSWER, answer.rawHeaders))
    }
    answer.on('data', (bytes: Buffer) => {
      if (outgoing.writableEnded) return
      begin()
      taken += bytes.length
      isBroken = mark.take(bytes)
      // The end of a body that failed would look whole.
      if (isBroken) outgoing.write(beforeMark(bytes), () => outgoing.destroy())
      else if (!outgoing.write(bytes)) {
        answer.pause()
        const length = answer.headers['content-length']
        lease?.park(length === undefined ? null : Number(length) - taken)
      }
    })
    outgoing.on('drain', () => {
      lease?.resume()
      answer.resume()
    })
    answer.on('end', () => {
      lease?.release()
      if (outgoing.writableEnded || isBroken) return
      begin()
      outgoing.end()
    })
  }
}

const whenConnected = (forwarded: ClientRequest, then: () => void): void =>
  void forwarded.once('socket', (socket) =>
    socket.connecting ? socket.once('connect', then) : then(),
  )

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Headers of one connection, and headers that only the launcher may set. */
export const OF_REQUEST =
  /^(?:connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-launcher-.*)$/i
/** Headers of one connection; Node divides a body as its client can take it. */
const OF_ANSWER = /^(?:connection|keep-alive|transfer-encoding)$/i

/** Headers without some, names and values alternating. */
export function without(names: RegExp, headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2)
    if (!names.test(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!)
  return kept
}
