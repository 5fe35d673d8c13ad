/** The output of `npm start`: readable lines on a terminal, otherwise one JSON object per line. */

import { jsonOrNull } from '../lib/json.ts'
import { asVisible } from '../lib/unseen.ts'
import type { Writable } from 'node:stream'

type Level = 'info' | 'warn' | 'error'

interface LogLine {
  readonly level: Level
  readonly message?: string
  readonly [name: string]: unknown
}

/** Writes a line. @returns false if the reader is so slow that the line was dropped */
export type WriteLine = (line: string) => boolean

/** Text that may wait for a reader, in UTF-16 units. */
const MOST_WAITING = 1024 * 1024

/**
 * Writes lines to a stream whose reader may stop or go away: neither a growing queue nor a broken pipe may end the service.
 */
export function writeLinesTo(stream: Writable): WriteLine {
  stream.on('error', () => undefined)
  return (line) => {
    if (stream.writableLength > MOST_WAITING) return false
    stream.write(`${line}\n`)
    return true
  }
}

export class Output {
  /** Whether to print a line for each request. */
  requests = true
  /** Lines that were dropped since the last one that was written. */
  #dropped = 0

  constructor(
    private readonly write: WriteLine,
    private readonly forPeople: boolean,
  ) {}

  /** Prints a message of the launcher. @param details for the JSON form only */
  say(level: Level, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.#put({ level, time: new Date().toISOString(), message, ...details })
  }

  /** Prints a line of the runtime: JSON from the Worker's log, text from workerd itself. */
  pass(line: string): void {
    if ([ADDRESSES, MALFORMED_AGAIN, LEFT].some((one) => one.test(line))) return
    const logged = parsed(line)
    const malformed = MALFORMED.exec(line)?.[1]
    const untrusted = UNTRUSTED.exec(line)?.[1]
    if (malformed !== undefined)
      this.say('warn', `A client sent a malformed request: ${malformed}.`)
    else if (untrusted !== undefined)
      this.say('error', `A certificate isn't trusted: ${untrusted}. ${TRUST}`)
    else if (logged === null) this.say(RUNTIME_TROUBLE.test(line) ? 'error' : 'info', line)
    else if (this.requests || logged.message !== 'request')
      this.#put(logged, { time: new Date().toISOString(), ...logged })
  }

  /** @param timed the line with its time, for the JSON form */
  #put(line: LogLine, timed: LogLine = line): void {
    if (this.#dropped > 0) {
      const message = `${this.#dropped} lines of the log were dropped, because no process read them.`
      const gap: LogLine = { level: 'warn', time: new Date().toISOString(), message }
      if (!this.#write(gap)) return void this.#dropped++
      this.#dropped = 0
    }
    if (!this.#write(line, timed)) this.#dropped++
  }

  #write(line: LogLine, timed: LogLine = line): boolean {
    return this.write(asVisible(this.forPeople ? readable(line) : JSON.stringify(timed)))
  }
}

/** The addresses in workerd's error messages, which mean nothing without its symbols. */
const ADDRESSES = /^stack: \S+workerd@/
/**
 * What workerd's parser refuses, which is the client's fault. Its line continues with pieces of the request. A fault in
 * a body follows a second time, from the code that waited for the body.
 */
const MALFORMED =
  /^workerd\/\S+ error: .*?kj\/compat\/(?:http|url)\.c\+\+:\d+: failed: (?:expected [^;]*; )?([^;]*)/
const MALFORMED_AGAIN = /^workerd\/jsg\/util\S+ error: .*?kj\/compat\/http\.c\+\+:\d+: failed: /
/** A client left before its answer was whole, or its time was over: the launcher closed the connection, and says what is worth a line. */
const LEFT = /^workerd\/server\/server\S+ error: .*: disconnected: ::write\(fd.*: Broken pipe$/
/** A receiver or an issuer whose certificate workerd refuses. */
const UNTRUSTED =
  /kj\/compat\/tls\.c\+\+:\d+: failed: TLS peer's certificate is not trusted; reason = (.*)/
const TRUST =
  'If your own authority signed it, set NODE_EXTRA_CA_CERTS to the file of that authority.'
const RUNTIME_TROUBLE = /\b(?:error|fatal|exception|failed|abort)/i

const parsed = (line: string): LogLine | null =>
  line.startsWith('{') ? (jsonOrNull(line) as LogLine | null) : null

/** `12:03:04 GET /query/v4/nodes 200 3.1 ms`, or the message, or the whole record. */
function readable(line: LogLine): string {
  const { level, time, message, ...rest } = line
  if (message === 'request') {
    const { method, path, status, milliseconds } = rest
    return `${clock()} ${String(method)} ${String(path)} ${String(status)} ${String(milliseconds)} ms`
  }
  const mark = level === 'info' ? '' : `${level.toUpperCase()}: `
  return time === undefined
    ? `${clock()} ${mark}${message ?? ''}${JSON.stringify(rest)}`
    : `${mark}${message}`
}

const clock = (): string => new Date().toTimeString().slice(0, 8)
