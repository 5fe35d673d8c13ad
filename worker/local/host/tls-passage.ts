/** Passes a request that came over TLS to a process of workerd, and its answer back. */

import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { pipeline, Transform } from 'node:stream'
import type { Timings } from '../timings.ts'
import { READS } from './exchanges.ts'
import { FailureMarkFinder } from './failure-mark.ts'
import type { Lease } from './lease.ts'
import { BUSY, RESTARTING } from './refusal.ts'
import { MOST_GATHERED, PAUSE_MS, type Runtimes } from './runtimes.ts'
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
export interface TlsExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly headers: readonly string[]
}

export interface TlsPassageOptions {
  readonly runtimes: Runtimes
  /** Keeps connections to the processes. */
  readonly agent: Agent
  readonly timings: Pick<Timings, 'patienceMs'>
}

/** Passes a request on; its answer, or a refusal, ends `outgoing`. */
export async function passOn(exchange: TlsExchange, options: TlsPassageOptions): Promise<void> {
  const { incoming } = exchange
  const passage = new Passage(exchange, options)
  if (!isForReader(incoming.method!, incoming.url!) || bytesOf(incoming) > MOST_GATHERED)
    return passage.askWriter(null)
  const body = await gathered(incoming)
  if (body !== null) await passage.askReader(body)
}

class Passage {
  constructor(
    private readonly exchange: TlsExchange,
    private readonly options: TlsPassageOptions,
  ) {}

  /** @param body null for one that is still to be received */
  async askWriter(body: Buffer | null): Promise<void> {
    const { incoming, outgoing } = this.exchange
    const { runtimes, timings } = this.options
    const { supervisor } = runtimes
    const isRepeatable = READS.has(incoming.method!) && !hasBody(incoming)
    const until = performance.now() + timings.patienceMs
    let passedAt = performance.now()
    incoming.once('end', () => (passedAt = performance.now()))
    const forward = async (isFirst: boolean): Promise<void> => {
      if (!(await supervisor.whenReady(until - performance.now()))) return refuse(outgoing)
      if (outgoing.destroyed) return
      const forwarded = this.#request(runtimes.writer, (answer) => {
        if (isReport(incoming.url!)) runtimes.late.note(performance.now() - passedAt)
        this.#answer(answer)
      })
      const stop = (): void => void forwarded.destroy()
      forwarded.on('error', (error: NodeJS.ErrnoException) => {
        outgoing.off('close', stop)
        if (outgoing.headersSent) return outgoing.destroy()
        // The runtime is dead, or was before it answered, and the launcher may not know it yet.
        const isMissed = MISSED.has(error.code ?? '') && performance.now() < until
        const mayRepeat = isRepeatable && isFirst && !supervisor.isReplaced
        if (!isMissed && !mayRepeat) return refuse(outgoing)
        setTimeout(() => void forward(isFirst && isMissed), PAUSE_MS)
      })
      outgoing.on('close', stop)
      // What is piped can't be sent again: not before somebody takes it.
      if (body === null && hasBody(incoming))
        whenConnected(forwarded, () => incoming.pipe(forwarded))
      else forwarded.end(body)
    }
    await forward(true)
  }

  async askReader(body: Buffer, limit = this.#limitOf(body), isFirst = true): Promise<void> {
    const { incoming, outgoing } = this.exchange
    const { readers, readerSocket, supervisor } = this.options.runtimes
    const lease = await readers.lease({
      line: lineOf(incoming.url!, body),
      until: limit.until,
      cut: () => outgoing.destroy(),
    })
    if (lease === 'none') return this.askWriter(body)
    if (lease === 'busy') return refuse(outgoing, supervisor.isStopping ? RESTARTING : BUSY)
    if (outgoing.destroyed) return lease.release()
    const forwarded = this.#request(readerSocket(lease.reader), (answer) => {
      if (answer.statusCode !== NOT_FOR_READERS) return this.#answer(answer, lease)
      outgoing.off('close', leave)
      answer.resume()
      lease.release()
      void this.askWriter(body)
    })
    const leave = (): void => {
      lease.abandon()
      forwarded.destroy()
    }
    forwarded.on('error', () => {
      outgoing.off('close', leave)
      if (outgoing.destroyed) return lease.abandon()
      const { ending } = lease
      lease.release()
      if (outgoing.headersSent) return outgoing.destroy()
      if (ending === 'deadline')
        return refuse(outgoing, timeoutSentence(limit.seconds!), TIMEOUT_RETRY_SECONDS)
      const isForOthers = ending === 'for others'
      // A reader that dies may have died of this request.
      if (!isFirst && !isForOthers) return refuse(outgoing)
      setTimeout(() => void this.askReader(body, limit, isFirst && isForOthers), PAUSE_MS)
    })
    outgoing.on('close', leave)
    forwarded.end(body)
  }

  #limitOf(body: Buffer): Limit {
    return limitFrom(timeoutOf(this.exchange.incoming.url!, body, this.options.runtimes.timeouts))
  }

  #request(socketPath: string, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    const { incoming, headers } = this.exchange
    const { method, url: path } = incoming
    return request({ agent: this.options.agent, socketPath, method, path, headers }, onAnswer)
  }

  #answer(answer: IncomingMessage, lease: Lease | null = null): void {
    const { outgoing } = this.exchange
    outgoing.writeHead(answer.statusCode!, passedOn(answer.rawHeaders))
    if (lease !== null) {
      lease.isAnswering = true
      answer.on('pause', () => lease.park(null))
      answer.on('resume', () => lease.resume())
      answer.on('end', () => lease.release())
    }
    pipeline(answer, breakingOff(), outgoing, () =>
      outgoing.destroyed ? lease?.abandon() : lease?.release(),
    )
  }
}

/** Passes a body on, and fails where its mark says that it did, so that its end never looks whole. */
function breakingOff(): Transform {
  const mark = new FailureMarkFinder()
  return new Transform({
    transform(bytes: Buffer, _, done) {
      if (mark.take(bytes)) done(new Error('The answer failed in the middle.'))
      else done(null, bytes)
    },
  })
}

/** Nobody listens. */
const MISSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT'])

const whenConnected = (forwarded: ClientRequest, then: () => void): void =>
  void forwarded.once('socket', (socket) =>
    socket.connecting ? socket.once('connect', then) : then(),
  )

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Bytes of a body by its head; infinite for one that does not say. */
const bytesOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity

/** The whole body; null where the client left before its end. */
async function gathered(incoming: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of incoming) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  } catch {
    return null
  }
}

function refuse(outgoing: ServerResponse, sentence = RESTARTING, seconds = 1): void {
  if (outgoing.destroyed) return
  outgoing.shouldKeepAlive = false
  outgoing.writeHead(503, {
    'retry-after': String(seconds),
    'content-type': 'text/plain;charset=utf-8',
  })
  outgoing.end(sentence)
}

/** Headers of one connection, and headers that only the launcher may set. */
const KEPT_BACK =
  /^(?:connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-launcher-.*|cf-.*|mf-.*)$/i

/** Names and values alternating, as received. */
export function passedOn(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2)
    if (!KEPT_BACK.test(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!)
  return kept
}
