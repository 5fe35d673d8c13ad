// A request while it comes in from the parser of node:http.
import { IncomingMessage } from 'node:http'
import type { Clock } from './clock.js'
import { pairs } from './content.js'
import { CapturedRequest, type Broken, type Draft } from './request.js'

/** Where a request comes from, how many bytes of its body are kept, and the clock at its catcher. */
interface Around {
  readonly remote: string
  readonly limit: number
  readonly clock: Clock
}

// From here on a body of declared length is read into one buffer, so that its pieces can go.
const LARGE = 64 * 1024

/**
 * A request while it comes in. It takes its body from the parser as it is handed over: the stream
 * in between would cost a tenth of the CPU per request.
 */
export class Incoming extends IncomingMessage {
  private readonly request = new CapturedRequest() as Draft
  private readonly chunks: Buffer[] = []
  private whole: Buffer | null = null
  private limit = 0
  private done: ((request: Draft) => void) | null = null

  /** Calls back when the request came in whole or cannot any more; keeps `limit` bytes of body. */
  receive({ remote, limit, clock }: Around, done: (request: Draft) => void) {
    const { request } = this
    request.time = clock.date()
    request.started = clock.now()
    request.remote = remote
    request.method = this.method ?? ''
    request.url = this.url ?? ''
    request.httpVersion = this.httpVersion
    request.headers = pairs(this.rawHeaders)
    this.limit = limit
    this.done = done
    const length = Number(request.header('content-length'))
    if (length > LARGE) this.whole = Buffer.allocUnsafeSlow(Math.min(length, limit))
    // A CONNECT ends before Node tells of it.
    if (this.complete) this.finish()
  }

  /** What the parser has read of the body; null at its end. Always asks for more. */
  override push(chunk: Buffer | null): boolean {
    const { request, whole, limit } = this
    if (chunk === null) {
      this.finish()
    } else if (this.done) {
      const room = limit - request.size
      if (whole) chunk.copy(whole, request.size)
      else if (room > 0) this.chunks.push(chunk.subarray(0, room))
      request.size += chunk.length
    }
    return true
  }

  /** Ends the request before its end. */
  breakOff(outcome: Broken, reason: string) {
    const { request } = this
    const declared = request.header('content-length') ?? 'an unknown number of'
    const progress = `${outcome} after ${request.size} of ${declared} bytes`
    const causes = { aborted: progress, incomplete: `${progress}: ${reason}`, malformed: reason }
    request.outcome = outcome
    request.cause = causes[outcome]
    this.finish()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    if (this.done) this.breakOff('aborted', '')
    super._destroy(error, callback)
  }

  /** Node calls it to throw away a body that nobody read. */
  _dump() {}

  private finish() {
    const { request, chunks, whole, limit, done } = this
    this.done = null
    request.trailers = pairs(this.rawTrailers)
    request.truncated = request.size > limit
    const inOne = whole?.subarray(0, request.size) ?? (chunks.length === 1 && chunks[0])
    request.bytes = inOne || Buffer.concat(chunks)
    done?.(request)
  }
}
