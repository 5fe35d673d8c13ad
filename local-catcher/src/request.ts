// A request as it was received and answered.
import { decodeContent, headerOf, pathOf, type Content, type Pair } from './content.js'
import { verifySignature, type Scheme, type Verification } from './signature.js'

/**
 * How a request ended. Answered: what `answer` says. The next four are faults told by a rule.
 * Aborted: the sender left inside the body; incomplete: it did not finish in time; malformed: no
 * HTTP; left: gone before the answer; stopped: the catcher was.
 */
export type Outcome = 'answered' | Fault | Broken | 'left' | 'stopped'
export const FAULTS = ['reset', 'close', 'hang', 'truncate'] as const
export type Fault = (typeof FAULTS)[number]
/** What becomes of a request that did not come in whole. */
export type Broken = (typeof BROKEN)[number]
const BROKEN = ['aborted', 'incomplete', 'malformed'] as const

export const NOTHING = Buffer.alloc(0)
const NO_PAIRS: readonly Pair[] = []
const NEVER = new Date(0)
// A body kept is bounded by maxBody; this bounds what it may unpack to.
const LARGEST_TEXT = 256 * 1024 * 1024

/** The reply of a target, or why there is none: then `status` is 502 or 504 and `error` says it. */
export interface Reply extends Content {
  readonly url: string
  readonly status: number
  /** Bytes beyond the limit were left out. */
  readonly truncated: boolean
  readonly error: string | null
  /** Milliseconds from the first byte sent to the last one received. */
  readonly elapsed: number
}

/** Headers and body of an answer; Date and Connection are added on the way out. */
export interface SentAnswer extends Content {
  /** It is the answer that a catcher gives by default, which records leave out. */
  readonly isDefault?: boolean
}

/**
 * A request as it was received and answered: the value that everything else reads, frozen once it
 * is answered. Its fields have the values of a request of which nothing is known yet.
 */
export class CapturedRequest {
  /** Counts the requests of one catcher from 1, in the order of their answers. */
  readonly n: number = 0
  readonly time: Date = NEVER
  /** What the clock of its catcher counted at the end of the headers. */
  readonly started: number = 0
  /** 127.0.0.1:53422, or [::1]:53422. */
  readonly remote: string = '?'
  /** '' where the parser could not read one. */
  readonly method: string = ''
  readonly url: string = ''
  readonly httpVersion: string = ''
  readonly headers: readonly Pair[] = NO_PAIRS
  readonly trailers: readonly Pair[] = NO_PAIRS
  readonly bytes: Buffer = NOTHING
  /** Bytes of body that came, kept or not. */
  readonly size: number = 0
  /** Bytes beyond `maxBody` were counted, not kept. */
  readonly truncated: boolean = false
  readonly outcome: Outcome = 'answered'
  /** Why it is malformed, aborted, incomplete, or was answered otherwise than told. */
  readonly cause: string | null = null
  /** The bytes before any header could be read, of a malformed request. */
  readonly raw: Buffer | null = null
  /** The status sent, or null where nothing was answered. */
  readonly answer: number | null = null
  /** What was answered; null where nothing was, or where a record leaves it out. */
  readonly response: SentAnswer | null = null
  /** Milliseconds from the end of the headers to the answer. */
  readonly elapsed: number = 0
  readonly signature: Verification | null = null
  readonly forward: Reply | null = null
  /** Why it is not in the record, in which case the answer was 503. */
  readonly unrecorded: string | null = null
  readonly redacted: boolean = false

  /** The target without its query. */
  get path(): string {
    return pathOf(this.url)
  }

  /** The whole request came in: neither malformed nor broken off. */
  get complete(): boolean {
    return !BROKEN.some((broken) => broken === this.outcome)
  }

  /** The first value of a header, whatever the case of its name. */
  header(name: string): string | undefined {
    return headerOf(this.headers, name)
  }

  /** The body as text, content encodings undone. */
  text(): string {
    return decodeContent(this, LARGEST_TEXT).bytes.toString('utf8')
  }

  /** The body parsed as JSON; throws where it is none. */
  json(): unknown {
    return JSON.parse(this.text())
  }

  /** Checks the signature against the bytes as received. */
  verify(scheme: Scheme, secret: string): Verification {
    return verifySignature({ scheme, secret }, this)
  }
}

/** Makes a request read-only to the bottom; its bytes are given as copies, since no Buffer can be. */
export function seal(request: CapturedRequest): CapturedRequest {
  for (const message of [request, request.forward, request.response]) {
    if (!message || Object.isFrozen(message)) continue
    const { bytes } = message
    Object.defineProperty(message, 'bytes', { get: () => Buffer.from(bytes), enumerable: true })
    for (const pairs of [message.headers, request.trailers]) {
      Object.freeze(pairs)
      pairs.forEach((pair) => Object.freeze(pair))
    }
    Object.freeze(message)
  }
  return request
}

/** A request on its way through the catcher, which alone fills it in. */
export type Draft = { -readonly [Field in keyof CapturedRequest]: CapturedRequest[Field] }
