import { decodeContent, headerOf, pathOf, type Pair } from './content.js'
import type { Reply } from './forward.js'
import { verifySignature, type Scheme, type Verification } from './signature.js'

/**
 * How a request ended. Answered: what `answer` says. The next four are faults told by a rule.
 * Aborted: the sender left inside the body; incomplete: it did not finish in time; malformed: no
 * HTTP; left: gone before the answer; stopped: the catcher was.
 */
export type Outcome = 'answered' | Fault | Broken | 'left' | 'stopped'
export type Fault = 'reset' | 'close' | 'hang' | 'truncate'
/** What becomes of a request that did not come in whole. */
export type Broken = 'aborted' | 'incomplete' | 'malformed'

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
  readonly outcome: Outcome
  /** Why it is malformed, aborted, incomplete, or was answered otherwise than told. */
  readonly cause: string | null
  /** The bytes before any header could be read, of a malformed request. */
  readonly raw: Buffer | null
}

export const isBroken = ({ outcome }: Pick<Arrival, 'outcome'>): boolean =>
  outcome === 'aborted' || outcome === 'incomplete' || outcome === 'malformed'

export interface RequestFields extends Arrival {
  readonly n: number
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

// A body kept is bounded by maxBody; this bounds what it may unpack to.
const LARGEST_TEXT = 256 * 1024 * 1024

/** A request as it was received and answered: frozen, the value that everything else reads. */
export class CapturedRequest implements RequestFields {
  readonly n: RequestFields['n']
  readonly time: RequestFields['time']
  readonly started: RequestFields['started']
  readonly remote: RequestFields['remote']
  readonly method: RequestFields['method']
  readonly url: RequestFields['url']
  readonly httpVersion: RequestFields['httpVersion']
  readonly headers: RequestFields['headers']
  readonly trailers: RequestFields['trailers']
  readonly bytes: RequestFields['bytes']
  readonly size: RequestFields['size']
  readonly truncated: RequestFields['truncated']
  readonly cause: RequestFields['cause']
  readonly raw: RequestFields['raw']
  readonly outcome: RequestFields['outcome']
  readonly answer: RequestFields['answer']
  readonly elapsed: RequestFields['elapsed']
  readonly signature: RequestFields['signature']
  readonly forward: RequestFields['forward']
  readonly unrecorded: RequestFields['unrecorded']
  readonly redacted: RequestFields['redacted']

  constructor(fields: RequestFields) {
    // One by one: Object.assign and spread give objects that are slow to freeze and to read,
    // which costs half of all CPU per request.
    this.n = fields.n
    this.time = fields.time
    this.started = fields.started
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
    return !isBroken(this)
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
