import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { isOwn } from './address.js'
import * as answers from './answer.js'
import type { Connection } from './capture.js'
import { reasonOf, UsageError } from './errors.js'
import { joinTarget, parseTarget, passOn, type Reply } from './forward.js'
import { Inbox, type Wanted, type WaitOptions } from './inbox.js'
import { Journal, type Page } from './journal.js'
import { Listener, type Certificate } from './listener.js'
import { recordLine } from './record.js'
import { redactor, type Redactor } from './redact.js'
import { CapturedRequest, isBroken, type Arrival, type RequestFields } from './request.js'
import type { Rule } from './rules.js'
import { checkSecret, verifySignature, type Secret } from './signature.js'
import { openFile } from './sink.js'

export interface CatcherOptions extends answers.AnswerOptions {
  /** 0, the default of the library, takes any free port. */
  readonly port?: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Appends each request to this file as one JSON line, before it is answered. */
  readonly output?: string
  /** Bytes of body kept; a larger one is counted to its end and answered 413. */
  readonly maxBody?: number
  /** With a certificate the catcher speaks HTTPS. */
  readonly tls?: Certificate
  /** Passes requests on and gives the sender the reply. */
  readonly forward?: string
  readonly secret?: Secret
  /** Names of headers, JSON keys, fields and query parameters whose values are replaced by ***. */
  readonly redact?: readonly string[]
  /** How many requests are held for `requests` and `waitFor`; 1,000 unless given. */
  readonly keep?: number
}

const DEFAULT_MAX_BODY = 10 * 1024 * 1024
const MOST_KEPT = 1000
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const GRACE = 5_000
const STEP = 2
const STATUSES: Partial<Record<string, number>> = { malformed: 400, incomplete: 408 }

/** Starts a catcher; settles once it listens. Rejects with UsageError or ListenError. */
export const startCatcher = (options: CatcherOptions = {}): Promise<Catcher> =>
  openCatcher(options, null, () => {})

/** The same with a screen: the page on which the command shows what comes in. */
export async function openCatcher(
  options: CatcherOptions,
  screen: Page | null,
  onFailure: (reason: string) => void,
): Promise<Catcher> {
  const catcher = new Catcher(options, screen, onFailure)
  await catcher.listen()
  return catcher
}

/** Receives requests, keeps, records and answers them. */
export class Catcher implements AsyncDisposable, AsyncIterable<CapturedRequest> {
  private readonly listener: Listener
  private readonly journal: Journal
  private readonly answers: answers.AnswerBook
  private readonly inbox: Inbox
  private readonly redact: Redactor
  private readonly target: URL | null
  private readonly maxBody: number
  private readonly listeners = new Set<(request: CapturedRequest) => void>()
  private readonly giveUp = new AbortController()
  private closing: Promise<boolean> | null = null
  private count = 0
  /** Requests between their first byte and their answer. */
  private running = 0

  constructor(
    private readonly options: CatcherOptions,
    screen: Page | null,
    onFailure: (reason: string) => void,
  ) {
    const { maxBody = DEFAULT_MAX_BODY, forward, secret, redact = [], output, keep } = options
    this.maxBody = maxBody
    this.target = forward === undefined ? null : parseTarget(forward)
    if (secret) checkSecret(secret)
    this.redact = redactor(redact, maxBody)
    this.answers = new answers.AnswerBook(options, this.target !== null, maxBody)
    this.inbox = new Inbox(keep ?? MOST_KEPT, MOST_KEPT_BYTES)
    const record = output === undefined ? null : this.record(output)
    const pages = [record, screen].filter((page) => page !== null)
    this.journal = new Journal(pages, onFailure)
    this.listener = new Listener(options.tls, {
      receive: (...request) => this.receive(...request),
      reject: (...broken) => this.reject(...broken),
    })
  }

  /** The address to send to, like 'http://127.0.0.1:8080'. */
  get url(): string {
    return this.address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  }

  /** What is listened on: not reachable as such where it is 0.0.0.0 or ::. */
  get address(): string {
    return this.listener.address
  }

  get port(): number {
    return this.listener.port
  }

  /** The requests held, oldest first. */
  get requests(): readonly CapturedRequest[] {
    return this.inbox.requests
  }

  /** Whether something could not be written. */
  get failed(): boolean {
    return this.journal.failed
  }

  /** Adds a rule after those there are; gives the function that removes it. */
  rule(rule: Rule): () => void {
    return this.answers.add(rule)
  }

  /** Forgets the requests held; the record file stays as it is. */
  clear(): void {
    this.inbox.clear()
  }

  /** The first complete request that matches, held already or to come; WaitTimeoutError if none. */
  waitFor(wanted: Wanted, options?: WaitOptions): Promise<CapturedRequest> {
    return this.inbox.waitFor(wanted, options)
  }

  [Symbol.asyncIterator](): AsyncIterator<CapturedRequest> {
    return this.inbox[Symbol.asyncIterator]()
  }

  /** Calls `listener` with each request once it is answered; gives the function that ends it. */
  subscribe(listener: (request: CapturedRequest) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Stops accepting, finishes what runs (5 s), writes everything; false where that failed. */
  close(): Promise<boolean> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Binds; rejects with ListenError where the address cannot be had. */
  async listen(): Promise<void> {
    const { port = 0, host = '127.0.0.1' } = this.options
    await this.listener.listen(port, host)
    if (this.target && isOwn(this.target, host, this.port)) {
      await this.close()
      throw new UsageError('--forward points at this catcher itself')
    }
  }

  private record(file: string): Page {
    try {
      const sink = openFile(file, (error) => this.journal.report(error))
      return { sink, format: (request) => [recordLine(request), '\n'] }
    } catch (thrown) {
      throw new UsageError(`the output file cannot be written: ${reasonOf(thrown)}`)
    }
  }

  private receive(incoming: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.running++
    connection.receive(incoming, this.maxBody, (arrival) => {
      this.running--
      if (isBroken(arrival)) return this.reject(arrival, incoming.socket)
      const plan = this.answers.plan(arrival)
      if (plan.delay === 0 && !plan.forward) this.conclude(arrival, response, plan, null)
      else void this.linger(arrival, response, plan)
    })
  }

  /** The slow ways to an answer: waiting, and asking the target. */
  private async linger(arrival: Arrival, response: ServerResponse, plan: answers.Plan) {
    const { signal } = this.giveUp
    const { socket } = response.req
    this.running++
    if (plan.delay > 0) await pause(plan.delay, socket)
    const asks = plan.forward && this.target && !socket.destroyed && !signal.aborted
    const reply = asks
      ? await passOn(arrival, joinTarget(this.target, arrival.url), this.maxBody, signal)
      : null
    this.running--
    this.conclude(arrival, response, plan, reply)
  }

  /** Writes the request down with its ending, then lets the ending happen. */
  private conclude(
    arrival: Arrival,
    response: ServerResponse,
    { answer: told, fault, cause }: answers.Plan,
    reply: Reply | null,
  ) {
    // The response itself has no socket yet where an earlier one of a pipeline is on its way.
    const { socket } = response.req
    const stopped = this.giveUp.signal.aborted
    const answer = reply ? answers.answerFrom(reply) : told
    const outcome = stopped ? 'stopped' : socket.destroyed ? 'left' : (fault ?? 'answered')
    const status = outcome === 'answered' ? answer.status : null
    this.write({ ...arrival, outcome, cause }, status, reply, (isRecorded) => {
      if (this.closing) response.shouldKeepAlive = false
      if (stopped) socket.destroy()
      else if (isRecorded) answers.sendAnswer(response, answer, fault)
      else answers.sendAnswer(response, answers.UNRECORDED, null)
    })
  }

  /** The same for what was no whole request. */
  private reject(arrival: Arrival, socket: Socket) {
    const status = (socket.writable && STATUSES[arrival.outcome]) || null
    this.write(arrival, status, null, () => {
      if (status && socket.writable) answers.refuse(socket, status)
      else socket.destroy()
    })
  }

  private write(
    arrival: Arrival,
    answer: number | null,
    reply: Reply | null,
    act: (isRecorded: boolean) => void,
  ) {
    const { secret } = this.options
    // One by one for the same reason as in CapturedRequest.
    const fields: RequestFields = {
      time: arrival.time,
      started: arrival.started,
      remote: arrival.remote,
      method: arrival.method,
      url: arrival.url,
      httpVersion: arrival.httpVersion,
      headers: arrival.headers,
      trailers: arrival.trailers,
      bytes: arrival.bytes,
      size: arrival.size,
      truncated: arrival.truncated,
      outcome: arrival.outcome,
      cause: arrival.cause,
      raw: arrival.raw,
      n: ++this.count,
      answer,
      elapsed: performance.now() - arrival.started,
      signature: secret && !isBroken(arrival) ? verifySignature(secret, arrival) : null,
      forward: reply && this.redact(reply),
      unrecorded: null,
      redacted: false,
    }
    const shown = this.redact(fields)
    const request = new CapturedRequest(shown === fields ? fields : { ...shown, redacted: true })
    this.running++
    this.journal.commit(request, (request) => {
      this.running--
      act(request.unrecorded === null)
      this.inbox.add(request)
      for (const listener of this.listeners) listener(request)
    })
  }

  private async shutDown(): Promise<boolean> {
    this.listener.stopAccepting()
    const deadline = performance.now() + GRACE
    while (this.running > 0) {
      if (performance.now() > deadline) {
        this.giveUp.abort()
        this.listener.destroyAll()
      }
      await setTimeout(STEP)
    }
    await this.listener.drain(deadline)
    this.inbox.close()
    return (await this.journal.flush(GRACE)) && !this.journal.failed
  }
}

/** Waits, but no longer than the sender does. */
async function pause(milliseconds: number, socket: Socket) {
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  await setTimeout(milliseconds, undefined, { signal: left.signal }).catch(() => {})
  socket.off('close', leave)
}
