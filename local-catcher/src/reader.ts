// Reads requests of HTTP/1.1 (RFC 9112) from the bytes of a connection, and refuses what is ambiguous.
import { METHODS } from 'node:http'
import { headerOf, headersOf, type Pair } from './content.js'
import { NOTHING, type CapturedRequest } from './request.js'

/** The bytes are not HTTP/1.1; the message is a sentence for people. */
export class NotHttp extends Error {}

/** What is before the body of a request. */
export interface Head extends Pick<CapturedRequest, 'method' | 'url' | 'httpVersion' | 'headers'> {
  /** Bytes of the body, or null where it comes in chunks. */
  readonly length: number | null
  /** Whether another request may follow on the connection. */
  readonly keepsAlive: boolean
  /** Whether the sender waits for a word before it sends the body. */
  readonly waits: boolean
}

/** Hears of each request: its head, the pieces of its body, and its end. */
export interface Listener {
  /** The next request has to wait. */
  readonly isBusy: boolean
  begin(head: Head): void
  receive(piece: Buffer): void
  end(trailers: readonly Pair[]): void
}

const MOST_HEAD = 64 * 1024
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const HOST = String.raw`(?:[\w.~!*'()%;:&=+$,-]+@)?[\w.:[\]-]+`
const TARGET = String.raw`(?:\/|\*|[a-z]+:\/\/${HOST}(?=[/?# ])|(?<=^CONNECT )${HOST}(?= ))[!-~]*`
const REQUEST_LINE = new RegExp(`^([A-Z-]+) (${TARGET}) HTTP/1\\.([01])(?=\r\n|$)`, 'i')
const TOKEN = String.raw`[!#$%&'*+\-.^_\`|~\dA-Za-z]+`
const NAME = new RegExp(`^${TOKEN}$`)
// Extensions of chunks are allowed, and left out.
const CHUNK_SIZE = new RegExp(
  String.raw`^0*([\da-fA-F]{1,12})(?:;${TOKEN}(?:=(?:${TOKEN}|"[\t !#-[\]-~]*"))?)*$`,
)
const NO_TEXT = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/
/** What a first line begins with; a method has fewer letters. */
const BEGINNING = /^([A-Z-]*( |$)|\r$)/i
const LONGEST_METHOD = 32
const NO_REQUEST = 'the first line is not METHOD target HTTP/1.1'
const FRAMING = /^(content-length|transfer-encoding|connection)$/i
const CLOSES = /(^|,)[\t ]*close[\t ]*(,|$)/i
const KEEPS = /(^|,)[\t ]*keep-alive[\t ]*(,|$)/i
const KNOWN_METHODS = new Set(METHODS)

const refuse = (what: string): never => {
  throw new NotHttp(`the bytes are not HTTP/1.1: ${what}`)
}

/** What else the first bytes may be, by their form. */
const OTHERS: readonly (readonly [form: RegExp, what: string])[] = [
  [/^\x16\x03/, 'the sender spoke TLS to a plain port: start with --https, or use http://'],
  [/^PRI /, 'the sender spoke HTTP/2 without asking: only HTTP/1.1 is spoken here'],
  [/(?<!\r)\n/, 'a line ends with LF alone, where HTTP wants CR LF'],
  [
    /^[A-Z-]+ (?=[!-~]*[^ -~])[^ ]+ HTTP\//,
    'the target has a character that must be percent-encoded, as é is %C3%A9',
  ],
]

/** Refuses a head or trailers: what they may be instead, or what is wrong with them. */
function refuseText(text: string, what: string): never {
  const other = OTHERS.find(([form]) => form.test(text))
  if (other) throw new NotHttp(other[1])
  return refuse(what)
}

function checkText(text: string) {
  if (NO_TEXT.test(text)) refuseText(text, 'a header has a control character')
}

/** Where a head, a line or trailers end, from `from` on, or -1 if more bytes are needed. */
function findEnd(end: Buffer, bytes: Buffer, at: number, from = at): number {
  const found = bytes.indexOf(end, from)
  if ((found === -1 ? bytes.length : found) - at <= MOST_HEAD) return found
  throw new NotHttp('the headers are larger than 64 KiB')
}

/** The fields in lines of a head or of trailers. */
function fieldsOf(lines: readonly string[]): Pair[] {
  return lines.map((line) => {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!NAME.test(name)) refuse('a header is not written name: value')
    return [name, withoutBlanks(line, colon + 1)]
  })
}

/** What is in a line from `start` on, without the blanks (of ASCII alone) around it. */
function withoutBlanks(line: string, start: number): string {
  const isBlank = (at: number) => line[at] === ' ' || line[at] === '\t'
  let end = line.length
  while (isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return line.slice(start, end)
}

/** Bytes of the body that headers announce, or null where it comes in chunks. */
function lengthOf(headers: readonly Pair[], minor: string): number | null {
  const lengths = headersOf(headers, 'content-length')
  const [length = '0'] = lengths
  const codings = headersOf(headers, 'transfer-encoding')
  if (lengths.length > 1) refuse('there is more than one Content-Length')
  if (!/^0*\d{1,15}$/.test(length)) refuse('Content-Length is not a number')
  if (codings.length === 0) return Number(length)
  if (lengths.length > 0) refuse('there are both Content-Length and Transfer-Encoding')
  if (minor === '0') refuse('HTTP/1.0 has no Transfer-Encoding')
  return /^chunked$/i.test(codings.join()) ? null : refuse('Transfer-Encoding is not chunked')
}

/** Reads the head of a request, without the blank line after it. */
function parseHead(text: string): Head {
  const [, ...lines] = text.split('\r\n')
  const [, method, url, minor] = REQUEST_LINE.exec(text) ?? refuseText(text, NO_REQUEST)
  checkText(text)
  if (!KNOWN_METHODS.has(method)) refuse('there is no such method')
  const headers = fieldsOf(lines)
  const length = lengthOf(headers, minor)
  const connection = headersOf(headers, 'connection').join()
  // What comes after CONNECT is for another server.
  const isTunnel = method === 'CONNECT'
  return {
    method,
    url,
    httpVersion: `1.${minor}`,
    headers,
    length: isTunnel ? 0 : length,
    keepsAlive: !isTunnel && (minor === '1' ? !CLOSES.test(connection) : KEEPS.test(connection)),
    waits: minor === '1' && /^100-continue$/i.test(headerOf(headers, 'expect') ?? ''),
  }
}

/** Reads the requests of one connection, from pieces of any size. */
export class RequestReader {
  /** What was not read yet: the beginning of a head or of a line, or what was refused. */
  pending: Buffer = NOTHING
  private step = this.readHead
  /** Bytes of a head that was looked at before it was complete. */
  private looked = 0
  private left = 0
  private isChunked = false
  private keepsAlive = true

  constructor(private readonly listener: Listener) {}

  /** Reads what came; throws NotHttp. */
  read(piece: Buffer) {
    const bytes = this.pending.length > 0 ? Buffer.concat([this.pending, piece]) : piece
    let at = 0
    try {
      while (at < bytes.length && !(this.step === this.readHead && this.listener.isBusy)) {
        const before = at
        at = this.step(bytes, at)
        if (at === before) break
      }
    } finally {
      this.pending = at < bytes.length ? bytes.subarray(at) : NOTHING
    }
  }

  // Each step gives where it ended, or where it began if more bytes are needed.

  private readHead(bytes: Buffer, at: number): number {
    // Old clients send a blank line after a body.
    if (bytes[at] === LINE_END[0] && bytes[at + 1] === LINE_END[1]) return at + LINE_END.length
    const isHalf = bytes[at] === LINE_END[0] && at + 1 === bytes.length
    if (!this.keepsAlive && !isHalf) refuse('there are bytes after the last request')
    const end = findEnd(HEAD_END, bytes, at, at + Math.max(0, this.looked - HEAD_END.length))
    if (end === -1) return this.lookAt(bytes, at)
    this.looked = 0
    const head = parseHead(bytes.toString('latin1', at, end))
    this.isChunked = head.length === null
    this.keepsAlive = head.keepsAlive
    this.left = head.length ?? 0
    this.listener.begin(head)
    if (this.isChunked) this.step = this.readSize
    else if (this.left > 0) this.step = this.readBody
    else this.end([])
    return end + HEAD_END.length
  }

  /** Refuses the beginning of what can't become a request, since its sender may wait for a word. */
  private lookAt(bytes: Buffer, at: number): number {
    const line = bytes.indexOf('\n', at)
    const { looked } = this
    this.looked = bytes.length - at
    if (line === -1 && looked > LONGEST_METHOD) return at
    // What comes after the first line may still have a line that ends with LF alone.
    const more = bytes.toString('latin1', at + Math.max(0, looked - 1))
    if (line !== -1 && line < at + looked && !/[^\r]\n/.test(more)) return at
    const text = bytes.toString('latin1', at)
    const isRequest = (line === -1 ? BEGINNING : REQUEST_LINE).test(text)
    if (!isRequest || OTHERS.some(([form]) => form.test(text))) refuseText(text, NO_REQUEST)
    return at
  }

  private readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.left)
    this.left -= end - at
    this.listener.receive(bytes.subarray(at, end))
    if (this.left > 0) return end
    if (this.isChunked) this.step = this.readChunkEnd
    else this.end([])
    return end
  }

  private readChunkEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < LINE_END.length) return at
    if (bytes.indexOf(LINE_END, at) !== at) refuse('a chunk is longer than its size')
    this.step = this.readSize
    return at + LINE_END.length
  }

  private readSize(bytes: Buffer, at: number): number {
    const end = findEnd(LINE_END, bytes, at)
    if (end === -1) return at
    const line = bytes.toString('latin1', at, end)
    const [, size] = CHUNK_SIZE.exec(line) ?? refuse('a chunk has no size')
    this.left = parseInt(size, 16)
    this.step = this.left > 0 ? this.readBody : this.readTrailers
    // The line break may be the first half of the end of trailers.
    return this.left > 0 ? end + LINE_END.length : end
  }

  private readTrailers(bytes: Buffer, at: number): number {
    const end = findEnd(HEAD_END, bytes, at)
    if (end === -1) return at
    const text = bytes.toString('latin1', at, end)
    checkText(text)
    const trailers = fieldsOf(text.split('\r\n').slice(1))
    if (trailers.some(([name]) => FRAMING.test(name)))
      refuse('a trailer is about the length of the body or the connection')
    this.end(trailers)
    return end + HEAD_END.length
  }

  private end(trailers: readonly Pair[]) {
    this.step = this.readHead
    this.listener.end(trailers)
  }
}
