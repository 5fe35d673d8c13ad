import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { headerOf, pairs } from './content.js'
import type { Arrival, Broken } from './request.js'
import { formatDuration } from './units.js'

/** Seconds are Node's defaults made firm: headers 10 s, the whole request 60 s. */
export const HEADERS_TIMEOUT = 10_000
export const REQUEST_TIMEOUT = 60_000

const MOST_RAW = 64 * 1024
// From here on a body of declared length is read into one buffer, so that its pieces can go.
const LARGE = 64 * 1024
const NOTHING = Buffer.alloc(0)

const REQUEST_LINE = /^[A-Z-]+ [^ ]+ HTTP\/1\.[01]\r?\n/

type Failure = NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }

/**
 * A connection. Its first head is read here, since the parser keeps no bytes of what it rejects or
 * of what never ends; then `accept` hands the socket to the parser, which reads it directly from
 * then on, at a tenth less CPU per request than with a listener of ours in between.
 */
export class Connection {
  private raw = NOTHING
  private broken = false
  private bytesShown = 0
  private breakOff: ((outcome: Broken, cause: string) => void) | null = null

  constructor(
    private readonly socket: Socket,
    accept: () => void,
    onFailure: (error: Failure) => void,
  ) {
    const collect = (chunk: Buffer) => {
      this.raw = Buffer.concat([this.raw, chunk])
      if (!isHead(this.raw)) return
      release()
      accept()
      socket.emit('data', this.raw)
    }
    const release = () => {
      clearTimeout(timer)
      socket.off('data', collect).off('end', leave).off('error', leave)
    }
    const leave = () => {
      release()
      onFailure(new Error('the sender closed the connection'))
    }
    const late = () => onFailure(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }))
    const timer = setTimeout(late, HEADERS_TIMEOUT).unref()
    socket.on('data', collect).on('end', leave).on('error', leave)
  }

  /** Whether a request is being received; then it ends by itself. */
  get receiving(): boolean {
    return this.breakOff !== null
  }

  /** Calls back when the request came in whole or cannot any more. */
  receive(incoming: IncomingMessage, limit: number, done: (arrival: Arrival) => void) {
    this.raw = NOTHING
    this.breakOff = readRequest(incoming, limit, (arrival) => {
      this.breakOff = null
      this.bytesShown = this.socket.bytesRead
      done(arrival)
    })
  }

  /**
   * The parser or a timer gave up on this connection. Gives what it had received outside of any
   * request, or null where there is nothing to show.
   */
  fail(error: Failure): Arrival | null {
    const bytes = this.raw.length > 0 ? this.raw : (error.rawPacket ?? NOTHING)
    const outcome = outcomeOf(error)
    const cause = causeOf(error, outcome, bytes.toString('latin1', 0, 3))
    if (this.breakOff) {
      this.breakOff(outcome, cause)
      return null
    }
    const silent = bytes.length === 0 && this.socket.bytesRead <= this.bytesShown
    if (this.broken || silent) return null
    this.broken = true
    return headless(this.socket, outcome, cause, bytes)
  }
}

/** Whether the parser can take over: the head is whole, or no HTTP, or too large. */
function isHead(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/\r?\n\r?\n/.test(text) || bytes.length > MOST_RAW || !/^[A-Z]/.test(text)) return true
  return text.includes('\n') && !REQUEST_LINE.test(text)
}

/** What is known of a request whose headers were never read. */
export const headless = (socket: Socket, outcome: Broken, cause: string, raw: Buffer): Arrival => ({
  time: new Date(),
  started: performance.now(),
  remote: remoteOf(socket),
  method: '',
  url: '',
  httpVersion: '',
  headers: [],
  trailers: [],
  bytes: NOTHING,
  size: 0,
  truncated: false,
  outcome,
  cause,
  raw,
})

/** 127.0.0.1:53422, or [::1]:53422. */
const remoteOf = ({ remoteAddress = '?', remotePort = 0 }: Socket): string =>
  `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`

/** Reads a request to its end; gives the function that ends it before. */
function readRequest(incoming: IncomingMessage, limit: number, done: (arrival: Arrival) => void) {
  const time = new Date()
  const started = performance.now()
  const remote = remoteOf(incoming.socket)
  const headers = pairs(incoming.rawHeaders)
  const declared = headerOf(headers, 'content-length')
  const whole =
    Number(declared) > LARGE ? Buffer.allocUnsafeSlow(Math.min(Number(declared), limit)) : null
  const chunks: Buffer[] = []
  let size = 0
  let finished = false

  const finish = (outcome: Broken | 'answered', reason: string | null) => {
    if (finished) return
    // What came in one piece with its fault has not been handed out yet; reading it does that.
    while (outcome !== 'answered' && incoming.read() !== null);
    finished = true
    const progress = `${outcome} after ${size} of ${declared ?? 'an unknown number of'} bytes`
    done({
      time,
      started,
      remote,
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      httpVersion: incoming.httpVersion,
      headers,
      trailers: pairs(incoming.rawTrailers),
      bytes: whole?.subarray(0, size) ?? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
      size,
      truncated: size > limit,
      outcome,
      cause:
        outcome === 'aborted'
          ? progress
          : outcome === 'incomplete'
            ? `${progress}: ${reason}`
            : reason,
      raw: null,
    })
  }
  incoming.on('data', (chunk: Buffer) => {
    if (finished) return
    if (whole) chunk.copy(whole, size)
    else if (size < limit) chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
  })
  incoming.on('end', () => finish('answered', null))
  incoming.on('close', () => finish('aborted', null))
  return finish
}

function outcomeOf({ code }: Failure): Broken {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'incomplete'
  return code?.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'malformed' : 'aborted'
}

function causeOf(error: Failure, outcome: Broken, start: string): string {
  if (start.startsWith('\x16\x03')) {
    return 'the sender spoke TLS to a plain port: start with --cert/--key, or use http://'
  }
  if (start === 'PRI') return 'the sender spoke HTTP/2 without asking: only HTTP/1.1 is spoken here'
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'the headers are larger than 64 KiB'
  if (outcome === 'incomplete') {
    const [headers, request] = [HEADERS_TIMEOUT, REQUEST_TIMEOUT].map(formatDuration)
    return `the headers may take ${headers}, the whole request ${request}`
  }
  if (outcome === 'aborted') return 'the sender closed the connection'
  return `the bytes are not HTTP/1.1: ${error.reason ?? error.message}`
}
