import type { Socket } from 'node:net'
import { remoteOf, type Incoming } from './incoming.js'
import { CapturedRequest, NOTHING, type Broken, type Draft } from './request.js'
import { formatDuration } from './values.js'

export const HEADERS_TIMEOUT = 10_000
export const REQUEST_TIMEOUT = 60_000

const MOST_RAW = 64 * 1024
const REQUEST_LINE = /^[A-Z-]+ [^ ]+ HTTP\/1\.[01]\r?\n/

type Failure = NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }

/**
 * A connection. Its first head is read here, since the parser keeps no bytes of what it rejects or
 * of what never ends; then `accept` hands the socket to the parser, which reads it directly from
 * then on, at a tenth less CPU per request than with a listener of ours in between.
 */
export class Connection {
  private readonly remote: string
  private raw = NOTHING
  private broken = false
  private bytesShown = 0
  private current: Incoming | null = null

  constructor(
    private readonly socket: Socket,
    accept: () => void,
    private readonly reject: (request: Draft, socket: Socket) => void,
  ) {
    this.remote = remoteOf(socket)
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
      this.fail(new Error('the sender closed the connection'))
    }
    const late = () => this.fail(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }))
    const timer = setTimeout(late, HEADERS_TIMEOUT).unref()
    socket.on('data', collect).on('end', leave).on('error', leave)
  }

  /** Whether a request has begun and not ended. */
  get receiving(): boolean {
    return this.current !== null
  }

  /** Calls back when the request came in whole or cannot any more; keeps `limit` bytes of body. */
  receive(incoming: Incoming, limit: number, done: (request: Draft) => void) {
    this.raw = NOTHING
    this.current = incoming
    incoming.receive(this.remote, limit, (request) => {
      this.current = null
      this.bytesShown = this.socket.bytesRead
      done(request)
    })
  }

  /** The parser or a timer gave up: what came is rejected, within a request or outside of any. */
  fail(error: Failure) {
    const { current, socket } = this
    const bytes = this.raw.length > 0 ? this.raw : (error.rawPacket ?? NOTHING)
    const outcome = outcomeOf(error)
    const cause = causeOf(error, outcome, bytes.toString('latin1', 0, 3))
    if (current) return current.breakOff(outcome, cause)
    const silent = bytes.length === 0 && socket.bytesRead <= this.bytesShown
    if (this.broken || silent) return void socket.destroy()
    this.broken = true
    this.reject(headless(socket, outcome, cause, bytes), socket)
  }
}

/** Whether the parser can take over: the head is whole, or no HTTP, or too large. */
function isHead(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/\r?\n\r?\n/.test(text) || bytes.length > MOST_RAW || !/^[A-Z]/.test(text)) return true
  return text.includes('\n') && !REQUEST_LINE.test(text)
}

/** What is known of a request whose headers were never read. */
export const headless = (socket: Socket, outcome: Broken, cause: string, raw: Buffer): Draft =>
  Object.assign(new CapturedRequest(), { remote: remoteOf(socket), outcome, cause, raw })

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

/** Why a sender did not get through to HTTPS. */
export function tlsCause({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_SSL_HTTP_REQUEST') {
    return 'the sender spoke plain HTTP to a TLS port: use https://, or start without --cert/--key'
  }
  return /ALERT_UNKNOWN_CA|ALERT_CERTIFICATE_UNKNOWN/.test(code)
    ? 'the sender does not trust the certificate'
    : `the TLS handshake failed: ${message}`
}
