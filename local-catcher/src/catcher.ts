// A catcher: receives requests, answers them by its rules, and records them before it does.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isOwn } from './address.js'
import { answerBook, answerFrom, refuse, sendAnswer } from './answer.js'
import { UsageError } from './errors.js'
import { joinTarget, passOn } from './forward.js'
import { Inbox } from './inbox.js'
import { openJournal, type Page } from './journal.js'
import { listen } from './listener.js'
import { readOptions, type CatcherOptions } from './options.js'
import { redactor } from './redact.js'
import type { Draft } from './request.js'
import type { Rule } from './rules.js'
import { verifyAny } from './signature.js'

/** Receives requests, keeps, records and answers them. */
export interface Catcher extends Omit<Inbox, 'hold' | 'end'>, AsyncDisposable {
  /** The address to send to, like 'http://127.0.0.1:8080'. */
  readonly url: string
  readonly port: number
  /** Adds a rule after those there are; gives the function that removes it. */
  rule(rule: Rule): () => void
  /** Stops accepting, finishes what runs (5 s), writes everything; false where that failed. */
  close(): Promise<boolean>
}

const GRACE = 5_000
const STATUSES: Partial<Record<string, number>> = { malformed: 400, incomplete: 408 }

/** Starts a catcher; settles once it listens. Rejects with UsageError or ListenError. */
export const startCatcher = (options: CatcherOptions = {}): Promise<Catcher> => openCatcher(options)

/** The same with a screen: the page on which the command shows what comes in. */
export async function openCatcher(
  given: CatcherOptions,
  screen: Page | null = null,
  onFailure: (reason: string) => void = () => {},
): Promise<Catcher> {
  const options = readOptions(given)
  const { port, host, maxBody, secret: secrets, forward: target } = options
  if (target && isOwn(target, host, port)) {
    throw new UsageError('--forward points at this catcher itself')
  }
  const redact = redactor(options.redact, maxBody)
  const answers = answerBook(options)
  const journal = openJournal(options.output, screen, onFailure)
  const inbox = new Inbox(options.keep)
  const giveUp = new AbortController()
  const { signal } = giveUp
  let closing: Promise<boolean> | null = null
  let count = 0
  /** Requests between their end and their answer. */
  let running = 0

  /** Writes the request down with its ending, then lets the ending happen. */
  const receive = async (request: Draft, response: ServerResponse) => {
    const { socket } = response.req
    let answer = answers.find(request)
    running++
    if (answer.delay > 0) await pause(answer.delay, socket)
    if (answer.forward && target && !socket.destroyed) {
      request.forward = await passOn(request, joinTarget(target, request.url), maxBody, signal)
      answer = answerFrom(request.forward)
    }
    const gone = signal.aborted ? 'stopped' : 'left'
    request.outcome = socket.destroyed ? gone : (answer.fault ?? 'answered')
    request.cause = answer.cause
    request.answer = request.outcome === 'answered' ? answer.status : null
    if (secrets.length > 0) request.signature = verifyAny(secrets, request)
    write(request, () => {
      if (closing) response.shouldKeepAlive = false
      sendAnswer(response, request.unrecorded === null ? answer : answers.unrecorded)
    })
  }

  /** The same for what was no whole request. */
  const reject = (request: Draft, socket: Socket) => {
    const status = (socket.writable && STATUSES[request.outcome]) || null
    request.answer = status
    running++
    write(request, () => {
      if (status && socket.writable) refuse(socket, status)
      else socket.destroy()
    })
  }

  const write = (request: Draft, act: () => void) => {
    request.n = ++count
    request.elapsed = performance.now() - request.started
    request.redacted = redact(request)
    if (request.forward) redact(request.forward)
    journal.commit(request, () => {
      running--
      act()
      inbox.hold(Object.freeze(request))
    })
  }

  const listener = await listen(options, { receive, reject })
  const shutDown = async () => {
    AbortSignal.timeout(GRACE).onabort = () => giveUp.abort()
    await listener.close(() => running === 0, signal)
    inbox.end()
    return journal.flush(GRACE)
  }
  const close = () => (closing ??= shutDown())
  const disposal = { [Symbol.asyncDispose]: async () => void (await close()) }
  return Object.assign(inbox, { ...listener, rule: answers.add, close, ...disposal })
}

/** Waits, but no longer than the sender does. */
const pause = (milliseconds: number, socket: Socket) =>
  once(socket, 'close', { signal: AbortSignal.timeout(milliseconds) }).catch(() => {})
