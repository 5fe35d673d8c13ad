// A connection: hands its bytes to the parser, and tells what the parser could not read.
import type { Socket } from 'node:net'
import type { Clock } from './clock.js'
import type { Incoming } from './incoming.js'
import { CapturedRequest, NOTHING, type Broken, type Draft } from './request.js'
import { formatDuration } from './values.js'

/** Milliseconds, under the names that node:http has for them. */
export const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000 }

const [HEADERS_TIME, REQUEST_TIME] = Object.values(TIMEOUTS).map(formatDuration)
const MOST_RAW = 64 * 1024
const REQUEST_LINE = /^[A-Z-]+ [^ ]+ HTTP\/1\.[01]\r?\n/

/** What went wrong, by a sign in the first bytes that came, in the reason, or in the code after it. */
const CAUSES: readonly (readonly [sign: RegExp, cause: string])[] = [
  [/^\x16\x03/, 'the sender spoke TLS to a plain port: start with --https, or use http://'],
  [/^PRI/, 'the sender spoke HTTP/2 without asking: only HTTP/1.1 is spoken here'],
  [/expected CRLF|expected CR /i, 'a line ends with LF alone, where HTTP wants CR LF'],
  [/HEADER_OVERFLOW$/, 'the headers are larger than 64 KiB'],
  [/INVALID_URL$/, 'the target has a character that must be percent-encoded, as é is %C3%A9'],
  [/REQUEST_TIMEOUT$/, `the headers may take ${HEADERS_TIME}, the whole request ${REQUEST_TIME}`],
  [/EOF_STATE$|ECONNRESET$/, 'the sender closed the connection'],
  [
    /SSL_HTTP/,
    'the sender spoke plain HTTP to a TLS port: use https://, or omit --https and --cert',
  ],
  [/UNKNOWN_CA$|CERTIFICATE_UNKNOWN$/, 'the sender does not trust the certificate'],
]

/** What becomes of a request that did not come in whole. */
export type Reject = (request: Draft, socket: Socket, turns: Turns) => Promise<void>
type Failure = Partial<NodeJS.ErrnoException> & {
  rawPacket?: Buffer
  bytesParsed?: number
  reason?: string
}

export type Connection = ReturnType<typeof connect>
export type Turns = ReturnType<typeof turnsOf>

/** The order of the answers on a connection, which is that of its requests. */
function turnsOf() {
  let unanswered = 0
  const waiting: (() => void)[] = []
  return {
    /** Takes the next turn; gives what settles when it has come, or null where it is now. */
    take: () => (unanswered++ === 0 ? null : new Promise<void>((resolve) => waiting.push(resolve))),
    /** Ends the turn of the request that is answered. */
    end() {
      unanswered--
      waiting.shift()?.()
    },
  }
}

/**
 * A connection. Its first head is read here, since the parser keeps no bytes of what it rejects or
 * of what never ends; then `accept` hands the socket to the parser, which reads it directly from
 * then on, at a tenth less CPU per request than with a listener of ours in between.
 */
export function connect(
  socket: Socket,
  raw: Socket,
  accept: () => void,
  reject: Reject,
  clock: Clock,
) {
  const remote = remoteOf(raw)
  const turns = turnsOf()
  let head = NOTHING
  let isBroken = false
  let bytesShown = 0
  let current: Incoming | null = null
  let bodyBefore = 0

  const collect = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    if (!isHead(head)) return
    release()
    accept()
    socket.emit('data', head)
  }
  const leave = (error: Failure = { code: 'ECONNRESET' }) => {
    release()
    fail(error)
  }
  const late = () => fail({ code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const cancel = clock.after(TIMEOUTS.headersTimeout, late)
  socket.on('data', collect).on('end', leave).on('error', leave)
  const release = () => {
    cancel()
    socket.off('data', collect).off('end', leave).off('error', leave)
  }

  /** The parser or a timer gave up: what came is rejected, within a request or outside of any. */
  const fail = (error: Failure) => {
    const bytes = head.length > 0 ? head : refusedPart(error, bodyBefore)
    const outcome = outcomeOf(error)
    const cause = causeOf(error, outcome, bytes.toString('latin1', 0, 3))
    if (current) return current.breakOff(outcome, cause)
    const isSilent = bytes.length === 0 && socket.bytesRead <= bytesShown && !isTlsFailure(error)
    if (isBroken || isSilent) return void socket.destroy()
    isBroken = true
    const request = headless({ remote, outcome, cause, raw: bytes }, clock)
    void reject(request, socket, turns)
  }

  return {
    turns,
    /** Resets the connection, for which TLS has no word: that below it is reset. */
    reset: () => void raw.resetAndDestroy(),
    fail,
    /** Whether a request has begun and not ended. */
    isReceiving: () => current !== null,
    /** Calls back when the request came in whole or cannot any more; keeps `limit` bytes of body. */
    receive(incoming: Incoming, limit: number, done: (request: Draft) => void) {
      head = NOTHING
      current = incoming
      incoming.receive({ remote, limit, clock }, (request) => {
        current = null
        bytesShown = socket.bytesRead
        bodyBefore = request.header('content-length') === undefined ? 0 : request.size
        done(request)
      })
    },
  }
}

const remoteOf = ({ remoteAddress = '?', remotePort = 0 }: Socket): string =>
  `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`

/** Whether the parser can take over: the head is whole, or no HTTP, or too large. */
function isHead(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/\r?\n\r?\n/.test(text) || bytes.length > MOST_RAW || !/^[A-Z]/.test(text)) return true
  return text.includes('\n') && !REQUEST_LINE.test(text)
}

/** What the parser refused: the rest of a packet that may begin with a request before, and its body. */
function refusedPart({ rawPacket = NOTHING, bytesParsed = 0 }: Failure, bodyBefore: number) {
  const headBefore = rawPacket.subarray(0, bytesParsed).lastIndexOf('\r\n\r\n')
  const start = headBefore === -1 ? 0 : headBefore + 4 + bodyBefore
  return rawPacket.subarray(Math.min(start, bytesParsed))
}

/** What is known of a request whose headers were never read. */
const headless = (known: Partial<Draft>, clock: Clock): Draft =>
  Object.assign(new CapturedRequest(), known, { time: clock.date(), started: clock.now() })

const isTlsFailure = ({ code }: Failure): boolean => /^ERR_(SSL|TLS)/.test(code ?? '')

function outcomeOf(failure: Failure): Broken {
  const { code } = failure
  if (isTlsFailure(failure)) return 'malformed'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'incomplete'
  return code?.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'malformed' : 'aborted'
}

function causeOf(failure: Failure, outcome: Broken, start: string): string {
  const { code, message, reason = message } = failure
  const known = CAUSES.find(([sign]) => sign.test(`${start} ${reason} ${code}`))
  if (known) return known[1]
  if (isTlsFailure(failure)) return `the TLS handshake failed: ${reason}`
  const what = outcome === 'malformed' ? 'the bytes are not HTTP/1.1' : 'the connection broke'
  return `${what}: ${reason}`
}
