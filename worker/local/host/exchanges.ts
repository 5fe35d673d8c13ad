/**
 * Follows the requests and answers of one HTTP/1.1 connection, to know what may be done with it when the
 * runtime ends the other side: keep it, answer in the runtime's place, or cut it. It decides nothing
 * else but whether the client waits for `100 Continue`; workerd reads the requests themselves.
 */

import {
  announcedBody,
  MessageFraming,
  NO_BODY,
  UNKNOWN_BODY,
  type Body,
} from './message-framing.ts'

/** Of a head of a request that has come whole. */
export interface Head {
  /** The client holds the body back until it is told to go on, and no answer under way would be broken into. */
  readonly expectsContinue: boolean
}

export class Exchanges {
  /** Methods of the requests whose answers have not come whole yet. */
  readonly #unanswered: string[] = []
  #lastHead: Head = { expectsContinue: false }
  #isOver = false
  /** Whether an answer is under way that is followed by another to the same request. */
  #isInterim = false
  readonly #requests = new MessageFraming({
    onHead: (head) => this.#requestBegun(head),
    onEnd: () => undefined,
  })
  readonly #answers = new MessageFraming({
    onHead: (head) => this.#answerBegun(head),
    onEnd: () => {
      if (!this.#isInterim) this.#unanswered.shift()
    },
  })

  /** Whether the connection ends with the answer to a request that has come, or with the one under way. */
  get isOver(): boolean {
    return this.#isOver || this.#requests.isLost
  }

  /** Whether a request has begun whose end has not come yet. */
  get isWithinRequest(): boolean {
    return this.#requests.isWithinMessage
  }

  /** Whether all requests have come whole and were answered whole. */
  get isIdle(): boolean {
    const isWithin = this.#requests.isWithinMessage || this.#answers.isWithinMessage
    return !isWithin && this.#unanswered.length === 0
  }

  /** Whether the client waits for an answer of which nothing has come. */
  get awaitsAnswer(): boolean {
    if (this.#answers.isWithinMessage) return false
    return this.#unanswered.length > 0 || (this.#requests.isWithinHead && !this.#isOver)
  }

  /**
   * Takes the next bytes of the client.
   *
   * @returns the head that they end with, if they do
   */
  takeRequest(bytes: Buffer): Head | null {
    return this.#requests.take(bytes) ? this.#lastHead : null
  }

  /** Takes the next bytes of the runtime. */
  takeAnswer(bytes: Buffer): void {
    this.#answers.take(bytes)
  }

  #requestBegun(head: string): Body {
    const isNext = this.#unanswered.length === 0
    this.#lastHead = { expectsContinue: isNext && EXPECT.test(head) }
    this.#unanswered.push(head.slice(0, head.indexOf(' ')))
    this.#isOver ||= LAST.test(head)
    if (SWITCHES.test(head)) return UNKNOWN_BODY
    return announcedBody(head) ?? NO_BODY
  }

  #answerBegun(head: string): Body {
    const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(head) ?? []
    this.#isInterim = status?.startsWith('1') ?? false
    if (this.#isInterim && status !== '101') return NO_BODY
    // An answer to something that is no request that can be followed.
    const method = this.#unanswered[0]
    this.#isOver ||= method === undefined || LAST.test(head)
    if (method === 'HEAD' || status === '204' || status === '304') return NO_BODY
    // Without a length it ends with the connection.
    return announcedBody(head) ?? UNKNOWN_BODY
  }
}

/** HTTP/1.0, or a word for closing. */
const LAST = /^HTTP\/1\.0 |^[^\r]* HTTP\/1\.0\r\n|\r\nconnection:[^\r]*\bclose\b/i
const EXPECT = /\r\nexpect:[ \t]*100-continue[ \t]*\r\n/i
/** Nothing that follows is HTTP/1.1 for sure. */
const SWITCHES = /^CONNECT |\r\nupgrade:/i
