import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { isOwn } from './address.js'
import {
  answerBook,
  answerFrom,
  refuse,
  sendAnswer,
  UNRECORDED,
  type Answer,
  type AnswerOptions,
} from './answer.js'
import { attempt, UsageError } from './errors.js'
import { joinTarget, parseTarget, passOn } from './forward.js'
import { Inbox } from './inbox.js'
import { Journal, type Page } from './journal.js'
import { Listener, type Certificate } from './listener.js'
import { recordLine } from './record.js'
import { redactor, type Redactor } from './redact.js'
import type { Draft } from './request.js'
import type { Rule } from './rules.js'
import { checkSecret, verifySignature, type Secret } from './signature.js'
import { openFile } from './sink.js'

export interface CatcherOptions extends AnswerOptions {
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
export const startCatcher = (options: CatcherOptions = {}): Promise<Catcher> => openCatcher(options)

/** The same with a screen: the page on which the command shows what comes in. */
export const openCatcher = async (...how: ConstructorParameters<typeof Catcher>) =>
  new Catcher(...how).listen()

/** Receives requests, keeps, records and answers them. */
export class Catcher extends Inbox implements AsyncDisposable {
  /** Adds a rule after those there are; gives the function that removes it. */
  readonly rule: (rule: Rule) => () => void

  private readonly listener: Listener
  private readonly journal: Journal
  private readonly answers: ReturnType<typeof answerBook>
  private readonly redact: Redactor
  private readonly target: URL | null
  private readonly maxBody: number
  private readonly giveUp = new AbortController()
  private closing: Promise<boolean> | null = null
  private count = 0
  /** Requests between their end and their answer. */
  private running = 0

  constructor(
    private readonly options: CatcherOptions,
    screen: Page | null = null,
    onFailure: (reason: string) => void = () => {},
  ) {
    const { maxBody = DEFAULT_MAX_BODY, forward, secret, redact = [], output, keep } = options
    super(keep ?? MOST_KEPT, MOST_KEPT_BYTES)
    this.maxBody = maxBody
    this.target = forward === undefined ? null : parseTarget(forward)
    if (secret) checkSecret(secret)
    this.redact = redactor(redact, maxBody)
    this.answers = answerBook(options, this.target !== null, maxBody)
    this.rule = this.answers.add
    const record = output === undefined ? [] : [this.record(output)]
    this.journal = new Journal([...record, ...(screen ? [screen] : [])], onFailure)
    this.listener = new Listener(options.tls, maxBody, {
      receive: (request, response, socket) => void this.receive(request, response, socket),
      reject: (request, socket) => this.reject(request, socket),
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

  /** Whether something could not be written. */
  get failed(): boolean {
    return this.journal.failed
  }

  /** Binds; rejects with ListenError where the address cannot be had. */
  async listen(): Promise<this> {
    const { port = 0, host = '127.0.0.1' } = this.options
    await this.listener.listen(port, host)
    if (!this.target || !isOwn(this.target, host, this.port)) return this
    await this.close()
    throw new UsageError('--forward points at this catcher itself')
  }

  /** Stops accepting, finishes what runs (5 s), writes everything; false where that failed. */
  close(): Promise<boolean> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private record(file: string): Page {
    const open = () => openFile(file, (error) => this.journal.report(error))
    const sink = attempt('the output file cannot be written', open)
    return { sink, format: (request) => [recordLine(request), '\n'] }
  }

  private receive(request: Draft, response: ServerResponse, socket: Socket) {
    const answer = this.answers.find(request)
    this.running++
    if (answer.delay === 0 && !answer.forward) this.conclude(request, response, socket, answer)
    else void this.linger(request, response, socket, answer)
  }

  /** The slow ways to an answer: waiting, and asking the target. */
  private async linger(request: Draft, response: ServerResponse, socket: Socket, told: Answer) {
    const { target, maxBody } = this
    const { signal } = this.giveUp
    if (told.delay > 0) await pause(told.delay, socket)
    if (told.forward && target && !socket.destroyed && !signal.aborted) {
      request.forward = await passOn(request, joinTarget(target, request.url), maxBody, signal)
    }
    const answer = request.forward ? answerFrom(request.forward) : told
    this.conclude(request, response, socket, answer)
  }

  /** Writes the request down with its ending, then lets the ending happen. */
  private conclude(request: Draft, response: ServerResponse, socket: Socket, answer: Answer) {
    const stopped = this.giveUp.signal.aborted
    const { secret } = this.options
    request.outcome = stopped ? 'stopped' : socket.destroyed ? 'left' : (answer.fault ?? 'answered')
    request.cause = answer.cause
    request.answer = request.outcome === 'answered' ? answer.status : null
    if (secret) request.signature = verifySignature(secret, request)
    this.write(request, () => {
      if (this.closing) response.shouldKeepAlive = false
      if (stopped) socket.destroy()
      else sendAnswer(response, request.unrecorded === null ? answer : UNRECORDED)
    })
  }

  /** The same for what was no whole request. */
  private reject(request: Draft, socket: Socket) {
    const status = (socket.writable && STATUSES[request.outcome]) || null
    request.answer = status
    this.running++
    this.write(request, () => {
      if (status && socket.writable) refuse(socket, status)
      else socket.destroy()
    })
  }

  private write(request: Draft, act: () => void) {
    request.n = ++this.count
    request.elapsed = performance.now() - request.started
    request.redacted = this.redact(request)
    if (request.forward) this.redact(request.forward)
    this.journal.commit(request, () => {
      this.running--
      act()
      this.hold(Object.freeze(request))
    })
  }

  private async shutDown(): Promise<boolean> {
    this.listener.stopAccepting()
    const deadline = performance.now() + GRACE
    while (this.running > 0 || this.listener.receiving) {
      if (performance.now() > deadline) {
        this.giveUp.abort()
        this.listener.destroyAll()
      }
      await setTimeout(STEP)
    }
    await this.listener.drain(deadline)
    this.end()
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
