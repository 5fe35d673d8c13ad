// A catcher: receives requests, answers them by its rules, and records them before it does.
import { isRebound } from './address.js'
import { answerBook, answerFrom, bare, refusal, sendAnswer } from './answer.js'
import { CLOCK, sleep, type Clock } from './clock.js'
import type { Receive } from './connection.js'
import { below, passOn } from './forward.js'
import { Inbox } from './inbox.js'
import { openJournal, type Page } from './journal.js'
import { listen } from './listener.js'
import { readOptions, type CatcherOptions } from './options.js'
import { redactor } from './redact.js'
import type { CapturedRequest } from './request.js'
import type { Rule } from './rules.js'
import { verifyAny } from './signature.js'

/** Receives requests, keeps, records and answers them. */
export interface Catcher
  extends Pick<Inbox, 'requests' | 'waitFor' | 'subscribe' | 'clear'>, AsyncDisposable {
  /** The address to send to, like 'http://127.0.0.1:8080'. */
  readonly url: string
  readonly port: number
  /** The certificate made for this catcher, as PEM, for senders to trust; null without `https`. */
  readonly certificate: string | null
  /** Adds a rule before those there are, so that it wins; gives the function that removes it. */
  rule(rule: Rule): () => void
  /** Forgets the requests held, and has the rules of the start again, as if none had answered. */
  reset(): void
  /** Every complete request from the first one held, until the catcher is closed. */
  [Symbol.asyncIterator](): AsyncGenerator<CapturedRequest, void>
  /** Stops accepting, cuts delays, finishes what runs (5 s), writes everything; false where that failed. */
  close(): Promise<boolean>
}

const GRACE = 5_000

/** Starts a catcher; settles once it listens. Rejects with UsageError or ListenError. */
export const startCatcher = (options: CatcherOptions = {}): Promise<Catcher> => openCatcher(options)

/** What the command has besides the options of the library. */
export interface Surroundings {
  /** The page on which the command shows what comes in. */
  readonly screen?: Page
  /** Hears, in a sentence, why something could not be written, or was written to a new file. */
  readonly onFailure?: (reason: string) => void
  readonly clock?: Clock
}

/** The same for the command. */
export async function openCatcher(given: CatcherOptions, around: Surroundings = {}) {
  const { screen, onFailure, clock = CLOCK } = around
  const options = readOptions(given)
  const { maxBody, secret: secrets, forward: target } = options
  const redact = redactor(options.redact, maxBody)
  const answers = answerBook(options)
  const journal = openJournal(options.output, screen, onFailure)
  const inbox = new Inbox(options.keep, clock)
  const giveUp = new AbortController()
  const { signal } = giveUp
  let closing: Promise<boolean> | null = null
  let count = 0
  /** Requests between their end and their answer. */
  let running = 0

  /** Writes a request down with its ending, then lets the ending happen. */
  const receive: Receive = async (request, connection) => {
    const { socket } = connection
    const { complete, outcome } = request
    running++
    connection.isWaiting = true
    let answer = complete ? answers.find(request) : bare(outcome === 'incomplete' ? 408 : 400)
    if (answer.delay > 0 && closing) socket.destroy()
    if (answer.delay > 0 && !socket.destroyed) await connection.delay(answer.delay)
    if (answer.forward && target && !socket.destroyed) {
      const host = request.header('host')
      if (isRebound(host, socket.localPort)) {
        answer = refusal(421, `not forwarded: ${host} is not a name of this machine`)
      } else {
        request.forward = await passOn(request, below(target, request.url), maxBody, signal)
        answer = answerFrom(request.forward)
      }
    }
    // What is left hanging waits until the sender leaves.
    connection.isWaiting = answer.fault === 'hang'
    request.answer = socket.writable && !answer.fault ? answer.status : null
    if (complete) {
      const gone = closing ? 'stopped' : 'left'
      request.outcome = socket.writable ? (answer.fault ?? 'answered') : gone
      request.cause = answer.cause
      if (request.answer !== null) request.response = answer.sent
      if (secrets.length > 0) request.signature = verifyAny(secrets, request)
    }
    request.n = ++count
    request.elapsed = clock.now() - request.started
    redact(request)
    // The sender may have closed its half since, so that nothing is sent.
    const check = () => {
      if (request.answer === null || socket.writable) return
      if (request.complete) request.outcome = 'left'
      request.answer = request.response = null
    }
    journal.commit(request, check, () => {
      running--
      const told = request.unrecorded === null ? answer : answers.unrecorded
      if (closing) connection.keepsAlive = false
      sendAnswer(connection, told)
      // After a request that is left hanging, none on its connection can be answered.
      if (told.fault === 'hang' && !socket.destroyed)
        socket.once('close', () => connection.endTurn())
      else connection.endTurn()
      inbox.hold(request)
    })
  }

  const listener = await listen(options, receive, clock)
  const shutDown = async () => {
    clock.after(GRACE, () => giveUp.abort())
    await listener.close(() => running === 0, signal)
    inbox.end()
    return journal.flush(sleep(clock, GRACE))
  }
  const close = () => (closing ??= shutDown())
  return Object.assign(inbox, {
    url: listener.url,
    port: listener.port,
    certificate: listener.certificate,
    waitFor: inbox.waitFor.bind(inbox),
    rule: (rule: Rule) => answers.add(rule),
    reset() {
      inbox.clear()
      answers.reset()
    },
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  })
}
