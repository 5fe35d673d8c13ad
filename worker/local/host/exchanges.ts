/**
 * Follows the requests and answers of one HTTP/1.1 connection, to decide what to do with it when the
 * runtime closes the other side: keep it, answer in the runtime's place, or cut it. Beyond that it only
 * finds out whether the client waits for `100 Continue`; workerd parses the requests.
 */

import { FailureMarkFinder } from './failure-mark.ts'
import {
  announcedBody,
  MessageFraming,
  NO_BODY,
  UNKNOWN_BODY,
  type Body,
} from './message-framing.ts'

/** Facts from the complete head of a request. */
export interface Head {
  readonly method: string
  /** As the request line has it. */
  readonly target: string
  /** All its lines, each with its line break. */
  readonly text: string
  /** The client waits for `100 Continue` before it sends the body, and no answer is under way that this would interrupt. */
  readonly expectsContinue: boolean
  /** It only reads, has no body, and no other answer is under way: it may be sent again (RFC 9110, 9.2.2). */
  readonly isRepeatable: boolean
}

/** Methods of requests that change nothing. */
export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export class Exchanges {
  /** Methods of the requests whose answers are not complete yet. */
  readonly #unanswered: string[] = []
  #lastHead: Head | null = null
  #isOver = false
  #isLastAnswered = false
  /** Whether the answer under way is an interim one, which another answer to the same request follows. */
  #isInterim = false
  #hasFailed = false
  #mark = new FailureMarkFinder()
  readonly #requests = new MessageFraming({
    onHead: (head) => this.#requestBegun(head),
    onEnd: () => undefined,
  })
  readonly #answers = new MessageFraming({
    onHead: (head) => this.#answerBegun(head),
    onEnd: () => {
      if (!this.#isInterim) this.#unanswered.shift()
    },
    onChunk: (bytes) => {
      this.#hasFailed ||= this.#mark.take(bytes)
    },
  })

  /** Whether the connection ends after the answer under way, or after the answer to a received request. */
  get isOver(): boolean {
    return this.#isOver || this.#requests.isLost
  }

  /** Whether the runtime has said that it answers nothing more on this connection. */
  get isLastAnswered(): boolean {
    return this.#isLastAnswered
  }

  /** Whether an answer broke off in the middle: the runtime ends its body as if it were whole. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Whether a request has begun but not ended yet. */
  get isWithinRequest(): boolean {
    return this.#requests.isWithinMessage
  }

  /** Whether the client's bytes can't be told into requests any more. */
  get isLost(): boolean {
    return this.#requests.isLost
  }

  /** Bytes that an answer of a known length still lacks; null where no such answer is under way. */
  get bytesLeft(): number | null {
    return this.#answers.bytesLeft
  }

  /** Whether all requests and their answers are complete. */
  get isIdle(): boolean {
    const isWithin = this.#requests.isWithinMessage || this.#answers.isWithinMessage
    return !isWithin && this.#unanswered.length === 0
  }

  /** Whether the client waits for an answer that has not begun. */
  get awaitsAnswer(): boolean {
    if (this.#answers.isWithinMessage) return false
    return this.#unanswered.length > 0 || (this.#requests.isWithinHead && !this.#isOver)
  }

  /**
   * Processes the next bytes from the client.
   *
   * @returns the head that they end with, if any
   */
  takeRequest(bytes: Buffer): Head | null {
    return this.#requests.take(bytes) ? this.#lastHead : null
  }

  /**
   * Processes the next bytes from the client, at most to the end of the request under way.
   *
   * @returns how many, and the head of the request if they complete it
   */
  takeNext(bytes: Buffer): { readonly used: number; readonly head: Head | null } {
    this.#lastHead = null
    const { used } = this.#requests.takeMessage(bytes)
    return { used, head: this.#lastHead }
  }

  /**
   * Processes the next bytes from the runtime.
   *
   * @returns whether they are whole answers, if any, and the head of one whose body of a known length follows
   */
  takeAnswer(bytes: Buffer): boolean {
    const begins = !this.#answers.isWithinMessage
    return this.#answers.take(bytes) && begins && this.#answers.isWithinSizedBody
  }

  #requestBegun(head: string): Body {
    const isNext = this.#unanswered.length === 0
    const [method = '', target = ''] = head.slice(0, head.indexOf('\r\n')).split(' ')
    const body = SWITCHES.test(head) ? UNKNOWN_BODY : (announcedBody(head) ?? NO_BODY)
    this.#lastHead = {
      method,
      target,
      text: head,
      expectsContinue: isNext && EXPECT.test(head),
      isRepeatable: isNext && READS.has(method) && body === NO_BODY,
    }
    this.#unanswered.push(method)
    this.#isOver ||= LAST.test(head)
    return body
  }

  #answerBegun(head: string): Body {
    this.#mark = new FailureMarkFinder()
    const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(head) ?? []
    this.#isInterim = status?.startsWith('1') ?? false
    if (this.#isInterim && status !== '101') return NO_BODY
    // An answer to a request that could not be followed.
    const method = this.#unanswered[0]
    this.#isLastAnswered ||= LAST.test(head)
    this.#isOver ||= method === undefined || this.#isLastAnswered
    if (method === 'HEAD' || status === '204' || status === '304') return NO_BODY
    // An answer without a length ends with the connection.
    return announcedBody(head) ?? UNKNOWN_BODY
  }
}

/** HTTP/1.0, or `Connection: close`. */
const LAST = /^HTTP\/1\.0 |^[^\r]* HTTP\/1\.0\r\n|\r\nconnection:[^\r]*\bclose\b/i
const EXPECT = /\r\nexpect:[ \t]*100-continue[ \t]*\r\n/i
/** The bytes that follow may not be HTTP/1.1. */
const SWITCHES = /^CONNECT |\r\nupgrade:/i
