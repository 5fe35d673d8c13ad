import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { headerOf, type Pair } from './content.js'
import { pairs } from './forward.js'
import type { Arrival } from './request.js'
import { formatDuration } from './units.js'

/** Seconds are Node's defaults made firm: headers 10 s, the whole request 60 s. */
export const HEADERS_TIMEOUT = 10_000
export const REQUEST_TIMEOUT = 60_000

const MOST_RAW = 64 * 1024
// From here on a body of declared length is read into one buffer, so that its pieces can go.
const LARGE = 64 * 1024

/** 127.0.0.1:53422, or [::1]:53422. */
export const remoteOf = ({ remoteAddress = '?', remotePort = 0 }: Socket): string =>
  remoteAddress.includes(':')
    ? `[${remoteAddress}]:${remotePort}`
    : `${remoteAddress}:${remotePort}`

const REQUEST_LINE = /^[A-Z-]+ [^ ]+ HTTP\/1\.[01]\r?\n/

type Failure = NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }

/**
 * A connection. Its first head is read here, since the parser keeps no bytes of what it rejects or
 * of what never ends; then `accept` hands the socket to the parser, which reads it directly from
 * then on, at a tenth less CPU per request than with a listener of ours in between.
 */
export class Connection {
  private raw: Buffer[] = []
  private rawBytes = 0
  private body: Body | null = null
  private broken = false
  private accepted = false
  private bytesShown = 0
  private readonly remote: string

  constructor(
    private readonly socket: Socket,
    private readonly accept: () => void,
    onFailure: (error: Failure) => void,
  ) {
    this.remote = remoteOf(socket)
    const collect = (chunk: Buffer) => {
      this.raw.push(chunk)
      this.rawBytes += chunk.length
      if (!this.isHead()) return
      clearTimeout(timer)
      socket.off('data', collect).off('end', leave).off('error', leave)
      this.accepted = true
      this.accept()
      socket.emit('data', Buffer.concat(this.raw))
    }
    const leave = () => {
      clearTimeout(timer)
      if (!this.accepted) onFailure(new Error('the sender closed the connection'))
    }
    const late = () => onFailure(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }))
    const timer = setTimeout(late, HEADERS_TIMEOUT).unref()
    socket.on('data', collect).on('end', leave).on('error', leave)
  }

  /** Whether the parser can take over: the head is whole, or no HTTP, or too large. */
  private isHead(): boolean {
    const text = Buffer.concat(this.raw).toString('latin1')
    if (/\r?\n\r?\n/.test(text) || this.rawBytes > MOST_RAW || !/^[A-Z]/.test(text)) return true
    return text.includes('\n') && !REQUEST_LINE.test(text)
  }

  get receiving(): boolean {
    return this.body !== null
  }

  /** Calls back when the request came in whole or cannot any more. */
  receive(incoming: IncomingMessage, limit: number, done: (arrival: Arrival) => void) {
    this.raw = []
    this.body = new Body(incoming, limit, this.remote, (arrival) => {
      this.body = null
      this.bytesShown = this.socket.bytesRead
      done(arrival)
    })
  }

  /**
   * The parser or a timer gave up on this connection. Gives what it had received outside of any
   * request, or null where there is nothing to show; a request being received ends by itself.
   */
  fail(error: Failure): Arrival | null {
    const problem = problemOf(error)
    const cause = causeOf(error, problem, this.raw[0])
    if (this.body) {
      this.body.finish(problem, cause)
      return null
    }
    const bytes =
      this.raw.length > 0 ? Buffer.concat(this.raw) : (error.rawPacket ?? Buffer.alloc(0))
    const silent = bytes.length === 0 && this.socket.bytesRead <= this.bytesShown
    if (this.broken || silent) return null
    this.broken = true
    return malformed(this.remote, problem, cause, bytes)
  }
}

/** What is known of a request whose headers were never read. */
export const malformed = (
  remote: string,
  problem: Arrival['problem'],
  cause: string,
  raw: Buffer,
): Arrival => ({
  time: new Date(),
  started: performance.now(),
  remote,
  method: '',
  url: '',
  httpVersion: '',
  headers: [],
  trailers: [],
  bytes: Buffer.alloc(0),
  size: 0,
  truncated: false,
  problem,
  cause,
  raw,
})

class Body {
  private readonly time = new Date()
  private readonly started = performance.now()
  private readonly whole: Buffer | null
  private readonly headers: readonly Pair[]
  private readonly declared: string | undefined
  private chunks: Buffer[] = []
  private size = 0
  private finished = false

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly limit: number,
    private readonly remote: string,
    private readonly done: (arrival: Arrival) => void,
  ) {
    this.headers = pairs(incoming.rawHeaders)
    this.declared = headerOf(this.headers, 'content-length')
    const declared = Number(this.declared ?? 0)
    this.whole = declared > LARGE ? Buffer.allocUnsafeSlow(Math.min(declared, limit)) : null
    incoming.on('data', (chunk: Buffer) => this.keep(chunk))
    incoming.on('end', () => this.finish(null, null))
    incoming.on('close', () => this.finish('aborted', null))
  }

  private keep(chunk: Buffer) {
    if (this.finished) return
    if (this.whole) chunk.copy(this.whole, this.size)
    else if (this.size < this.limit) this.chunks.push(chunk.subarray(0, this.limit - this.size))
    this.size += chunk.length
  }

  finish(problem: Arrival['problem'], cause: string | null) {
    if (this.finished) return
    // What came in one piece with its fault has not been handed out yet; reading it does that.
    while (problem && this.incoming.read() !== null);
    this.finished = true
    const { incoming, size, limit, chunks } = this
    const whole =
      this.whole?.subarray(0, size) ?? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    const progress = `${problem} after ${size} of ${this.declared ?? 'an unknown number of'} bytes`
    this.done({
      time: this.time,
      started: this.started,
      remote: this.remote,
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      httpVersion: incoming.httpVersion,
      headers: this.headers,
      trailers: incoming.rawTrailers.length > 0 ? pairs(incoming.rawTrailers) : [],
      bytes: whole,
      size,
      truncated: size > limit,
      problem,
      cause:
        problem === 'aborted'
          ? progress
          : problem === 'incomplete'
            ? `${progress}: ${cause}`
            : cause,
      raw: null,
    })
  }
}

const problemOf = (error: NodeJS.ErrnoException): NonNullable<Arrival['problem']> => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'incomplete'
  if (error.code === 'HPE_INVALID_EOF_STATE' || !error.code?.startsWith('HPE_')) return 'aborted'
  return 'malformed'
}

function causeOf(error: Failure, problem: string, first: Buffer | undefined): string {
  const start = (first ?? error.rawPacket ?? Buffer.alloc(0)).toString('latin1', 0, 3)
  if (start.startsWith('\x16\x03')) {
    return 'the sender spoke TLS to a plain port: start with --cert/--key, or use http://'
  }
  if (start === 'PRI') return 'the sender spoke HTTP/2 without asking: only HTTP/1.1 is spoken here'
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'the headers are larger than 64 KiB'
  if (problem === 'incomplete') {
    const limits = [HEADERS_TIMEOUT, REQUEST_TIMEOUT].map(formatDuration)
    return `the headers may take ${limits[0]}, the whole request ${limits[1]}`
  }
  if (problem === 'aborted') return 'the sender closed the connection'
  return `the bytes are not HTTP/1.1: ${error.reason ?? error.message}`
}
