import { decodeContent, headerOf, type Pair } from './content.js'
import type { Reply } from './forward.js'
import { verifySignature, type Scheme, type Verification } from './signature.js'

/**
 * How a request ended. Answered: what `answer` says. The next four are faults told by a rule.
 * Aborted: the sender left inside the body; incomplete: it did not finish in time; malformed: no
 * HTTP; left: gone before the answer; stopped: the catcher was.
 */
export type Outcome =
  | 'answered'
  | 'reset'
  | 'close'
  | 'hang'
  | 'truncate'
  | 'aborted'
  | 'incomplete'
  | 'malformed'
  | 'left'
  | 'stopped'

/** What came in, before it is known how it ends. */
export interface Arrival {
  readonly time: Date
  /** performance.now() at the end of the headers. */
  readonly started: number
  readonly remote: string
  /** '' where the parser could not read one. */
  readonly method: string
  readonly url: string
  readonly httpVersion: string
  readonly headers: readonly Pair[]
  readonly trailers: readonly Pair[]
  readonly bytes: Buffer
  /** Bytes of body that came, kept or not. */
  readonly size: number
  /** Bytes beyond `maxBody` were counted, not kept. */
  readonly truncated: boolean
  readonly problem: 'aborted' | 'incomplete' | 'malformed' | null
  /** Why it is malformed, aborted, incomplete, or was answered otherwise than told. */
  readonly cause: string | null
  /** The bytes before any header could be read, of a malformed request. */
  readonly raw: Buffer | null
}

// A body kept is bounded by maxBody; this bounds what it may unpack to.
const LARGEST_TEXT = 256 * 1024 * 1024

interface Ending {
  readonly n: number
  readonly outcome: Outcome
  /** The status sent, or null where nothing was answered. */
  readonly answer: number | null
  /** Milliseconds from the end of the headers to the answer. */
  readonly elapsed: number
  readonly signature: Verification | null
  readonly forward: Reply | null
  /** Why it is not in the record, in which case the answer was 503. */
  readonly unrecorded: string | null
  readonly redacted: boolean
}

export type RequestFields = Omit<Arrival, 'started' | 'problem'> & Ending

/** A request as it was received and answered: frozen, the value that everything else reads. */
export class CapturedRequest implements RequestFields {
  readonly n: number
  readonly time: Date
  readonly remote: string
  readonly method: string
  readonly url: string
  readonly httpVersion: string
  readonly headers: readonly Pair[]
  readonly trailers: readonly Pair[]
  readonly bytes: Buffer
  readonly size: number
  readonly truncated: boolean
  readonly cause: string | null
  readonly raw: Buffer | null
  readonly outcome: Outcome
  readonly answer: number | null
  readonly elapsed: number
  readonly signature: Verification | null
  readonly forward: Reply | null
  readonly unrecorded: string | null
  readonly redacted: boolean

  constructor(fields: RequestFields) {
    // One by one: Object.assign costs three times as much, at every request.
    this.n = fields.n
    this.time = fields.time
    this.remote = fields.remote
    this.method = fields.method
    this.url = fields.url
    this.httpVersion = fields.httpVersion
    this.headers = fields.headers
    this.trailers = fields.trailers
    this.bytes = fields.bytes
    this.size = fields.size
    this.truncated = fields.truncated
    this.cause = fields.cause
    this.raw = fields.raw
    this.outcome = fields.outcome
    this.answer = fields.answer
    this.elapsed = fields.elapsed
    this.signature = fields.signature
    this.forward = fields.forward
    this.unrecorded = fields.unrecorded
    this.redacted = fields.redacted
    Object.freeze(this)
  }

  /** The target without its query. */
  get path(): string {
    return pathOf(this.url)
  }

  /** The whole request came in: neither malformed nor broken off. */
  get complete(): boolean {
    return !['aborted', 'incomplete', 'malformed'].includes(this.outcome)
  }

  /** The first value of a header, whatever the case of its name. */
  header(name: string): string | undefined {
    return headerOf(this.headers, name)
  }

  /** The body as text, content encodings undone. */
  text(): string {
    return decodeContent(this.headers, this.bytes, LARGEST_TEXT).bytes.toString('utf8')
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

/** The path of a request target, in origin form ('/a?b') or absolute form ('http://host/a'). */
export function pathOf(target: string): string {
  const path = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const end = path.search(/[?#]/)
  return (end === -1 ? path : path.slice(0, end)) || '/'
}
