// Our reader of HTTP beside Node's: what it takes, Node takes for the same requests.
import { createServer, type RequestListener } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { pairs, type Pair } from '../src/content.js'
import { NotHttp, RequestReader } from '../src/reader.js'
import { sized } from './launch.js'

/** What a reader has found in the bytes of a connection. */
interface Reading {
  requests: {
    method: string
    url: string
    headers: readonly Pair[]
    body: string
    trailers: readonly Pair[]
    keepsAlive: boolean
  }[]
  isRefused: boolean
  /** Why, as our reader says it. */
  cause?: string
  /** The last request has begun and not ended. */
  isCut: boolean
}

/** Reads text (Latin-1) with our reader, in pieces that end at `cuts`. */
function ours(text: string, cuts: readonly number[] = []): Reading {
  const found: Reading = { requests: [], isRefused: false, isCut: false }
  let current: Reading['requests'][number]
  const reader = new RequestReader({
    isBusy: false,
    begin({ method, url, headers, keepsAlive }) {
      current = { method, url, headers, body: '', trailers: [], keepsAlive }
      found.isCut = true
    },
    receive: (piece) => void (current.body += piece.toString('latin1')),
    end(trailers) {
      found.requests.push({ ...current, trailers })
      found.isCut = false
    },
  })
  const ends = [...new Set(cuts)].sort((one, other) => one - other)
  try {
    for (const [i, end] of [...ends, text.length].entries()) {
      reader.read(Buffer.from(text.slice(ends[i - 1] ?? 0, end), 'latin1'))
    }
  } catch (thrown) {
    if (!(thrown instanceof NotHttp)) throw thrown
    Object.assign(found, { isRefused: true, cause: thrown.message })
  }
  found.isCut ||= !found.isRefused && reader.pending.length > 0
  return found
}

let reading: Reading
const server = createServer({ requireHostHeader: false, maxHeaderSize: 64 * 1024 })
server.maxHeadersCount = 0
const answer: RequestListener = (request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
  request.on('end', () => {
    const { method = '', url = '', rawHeaders, rawTrailers } = request
    const [headers, trailers] = [pairs(rawHeaders), pairs(rawTrailers)]
    const { shouldKeepAlive: keepsAlive } = response
    reading.requests.push({ method, url, headers, body, trailers, keepsAlive })
    response.end()
  })
}
server.on('request', answer).on('checkExpectation', answer)
server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
  // A request that is cut is none that is wrong.
  if (error.code !== 'HPE_INVALID_EOF_STATE') reading.isRefused = true
  else reading.isCut = true
  // After the end of a request before it.
  setImmediate(() => socket.destroy())
})
/** Reads text with the parser of Node. */
async function nodes(text: string): Promise<Reading> {
  reading = { requests: [], isRefused: false, isCut: false }
  const socket = new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  // Without a port, or the test would be about how many connections a busy machine can make.
  server.emit('connection', socket)
  socket.push(Buffer.from(text, 'latin1'))
  socket.push(null)
  await closed
  return reading
}

const CRLF = '\r\n'
const body = (length: number) => 'x'.repeat(length)
/** Whole requests, of every form. */
const WHOLE = [
  `GET / HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}`,
  `GET /a?b=c#d HTTP/1.0${CRLF}${CRLF}`,
  `GET * HTTP/1.0${CRLF}Connection: keep-alive${CRLF}${CRLF}`,
  `HEAD http://me@host:1/a HTTP/1.1${CRLF}X: ${CRLF}x:\t a\tb \t${CRLF}${CRLF}`,
  `POST /"<>\\^{|}\` HTTP/1.1${CRLF}Content-Length: 5${CRLF}${CRLF}${body(5)}`,
  `PUT / HTTP/1.1${CRLF}content-length: 3${CRLF}Connection: close, x${CRLF}${CRLF}abc`,
  `M-SEARCH / HTTP/1.1${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}3${CRLF}abc${CRLF}0${CRLF}${CRLF}`,
  `POST / HTTP/1.1${CRLF}Transfer-Encoding: Chunked${CRLF}${CRLF}2;a=b${CRLF}ab${CRLF}00${CRLF}A: b${CRLF}C:${CRLF}${CRLF}`,
  `POST / HTTP/1.1${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}1${CRLF}a${CRLF}B${CRLF}${body(11)}${CRLF}0${CRLF}${CRLF}`,
  `POST / HTTP/1.1${CRLF}Expect: 100-continue${CRLF}Content-Length: 1${CRLF}X: \xe9\xff${CRLF}${CRLF}x`,
  `POST / HTTP/1.1${CRLF}Content-Length: 0000000000000000002${CRLF}${CRLF}ab`,
  `POST / HTTP/1.1${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}0000000000000002${CRLF}ab${CRLF}0000000000000000${CRLF}${CRLF}`,
]
/** What a mutation puts in place of some characters. */
const PIECES = [
  ...[
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\0',
    '\x7f',
    '\xe9',
    ':',
    ',',
    ';',
    '0',
    'f',
    'a',
    '"',
    '/',
    CRLF,
  ],
  `${CRLF}${CRLF}`,
  `${CRLF} folded`,
  `${CRLF}Content-Length: 5`,
  `${CRLF}Content-Length: +5`,
  `${CRLF}Transfer-Encoding: chunked`,
  `${CRLF}Transfer-Encoding: xchunked`,
  `${CRLF}Transfer-Encoding: identity`,
  `${CRLF}Connection: close`,
  'HTTP/1.2',
  'http/1.1',
  'get',
]
/** A tab that RFC 9110 allows after a value, with which Node does not know it. */
const TAKEN = /(?:Content-Length|Transfer-Encoding|Connection):.*\t/i
/** What Node takes and we refuse, as RFC 9112 allows. */
const UNTAKEN = new RegExp(
  [
    // No version, as in HTTP/0.9; more than one blank; lines that end with LF or CR alone.
    String.raw`[A-Z-]+ [^ ]*\r?$`,
    '[A-Z-]+ (?: |[^ ]* {2})',
    String.raw`(?<!\r)\n|\r(?!\n)`,
    // Any coding but chunked, and that in HTTP/1.0, which has none.
    String.raw`^Transfer-Encoding:(?![\t ]*chunked[\t ]*\r?$)`,
    String.raw`^Transfer-Encoding:.*\r\n(?:.+\r\n)*?Transfer-Encoding:`,
    String.raw` HTTP/1\.0\r\n(?:.+\r\n)*?Transfer-Encoding:`,
    // Connection in trailers.
    String.raw`^0+(?:;.*)?\r\n(?:.+\r\n)*?Connection:`,
    // Extensions of chunks with an empty name or value.
    String.raw`\d;(?:.*[;=])?[;=]|\d;.*=\r?$`,
  ].join('|'),
  'im',
)
/** LF alone is no blank line between requests, as where a body has taken the CR before it. */
const AFTER = /LF alone|after the last request/
const mutations = fc.array(
  fc.record({ at: fc.nat(), length: fc.nat(3), piece: fc.constantFrom(...PIECES) }),
  { maxLength: 3 },
)
const messages = fc
  .tuple(fc.array(fc.constantFrom(...WHOLE), { minLength: 1, maxLength: 3 }), mutations)
  .map(([whole, changes]) =>
    changes.reduce((text, { at, length, piece }) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + piece + text.slice(start + length)
    }, whole.join('')),
  )

describe('the reader of HTTP', () => {
  it('takes what Node takes, and finds the same requests in it', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(messages, async (text) => {
        const [mine, theirs] = [ours(text), await nodes(text)]
        if (TAKEN.test(text)) return
        if (theirs.isRefused) expect(mine.isRefused || mine.isCut).toBe(true)
        else if (mine.isRefused && !theirs.isCut && !AFTER.test(mine.cause!)) {
          expect(text).toMatch(UNTAKEN)
        }
        if (mine.isRefused) return
        taken += mine.requests.length
        expect(mine.requests).toEqual(theirs.requests)
      }),
      { numRuns: sized(3000, 100_000) },
    )
    expect(taken).toBeGreaterThan(500)
  })

  it('finds the same in pieces of any size', () => {
    const cause = 'that which is seen first'
    fc.assert(
      fc.property(messages, fc.array(fc.nat(300), { maxLength: 8 }), (text, cuts) => {
        const within = cuts.filter((cut) => cut < text.length)
        expect({ ...ours(text, within), cause }).toEqual({ ...ours(text), cause })
      }),
      { numRuns: sized(3000, 100_000) },
    )
  })

  it.each([
    ['headers', `GET / HTTP/1.1${CRLF}${`a: b${CRLF}`.repeat(5000)}${CRLF}`],
    ['a first line', `GET /${body(30_000)} HTTP/1.1${CRLF}${CRLF}`],
  ])('decodes each byte of %s at most four times, though they come one by one', (_what, text) => {
    const decode = vi.spyOn(Buffer.prototype, 'toString')
    const reading = ours(
      text,
      Array.from({ length: text.length }, (_, index) => index + 1),
    )
    const decoded = decode.mock.results.reduce((sum, { value }) => sum + String(value).length, 0)
    decode.mockRestore()
    expect(reading.requests).toHaveLength(1)
    expect(decoded).toBeLessThanOrEqual(4 * text.length)
  })

  it.each(WHOLE)('takes %j', async (text) => {
    expect(ours(text)).toEqual(await nodes(text))
    expect(ours(text).requests).toHaveLength(1)
  })

  it.each([
    ['between requests', WHOLE[0] + CRLF + WHOLE[1], 2],
    [
      'after a request that is the last one',
      `PUT / HTTP/1.0${CRLF}Content-Length: 1${CRLF}${CRLF}a${CRLF}`,
      1,
    ],
  ])('passes over a blank line %s', async (_where, text, count) => {
    expect(ours(text)).toEqual(await nodes(text))
    expect(ours(text).requests).toHaveLength(count)
    expect(ours(text).isRefused).toBe(false)
  })

  const post = (fields: string, rest = '') => `POST / HTTP/1.1${CRLF}${fields}${CRLF}${CRLF}${rest}`
  const inChunks = (rest: string) => post('Transfer-Encoding: chunked', rest)
  const long = 'a'.repeat(65_536)

  it.each([
    ['a length and chunks', post(`Content-Length: 5${CRLF}Transfer-Encoding: chunked`), 'both'],
    ['two equal lengths', post(`Content-Length: 5${CRLF}Content-Length: 5`), 'more than one'],
    ['two other lengths', post(`Content-Length: 5${CRLF}content-length: 6`), 'more than one'],
    ['a list of lengths', post('Content-Length: 5, 5'), 'not a number'],
    ['a length with a sign', post('Content-Length: +5'), 'not a number'],
    ['a length below zero', post('Content-Length: -5'), 'not a number'],
    ['a length in hex', post('Content-Length: 0x5'), 'not a number'],
    ['an empty length', post('Content-Length:'), 'not a number'],
    ['a length beyond any', post(`Content-Length: ${'9'.repeat(20)}`), 'not a number'],
    ['chunks within a coding', post('Transfer-Encoding: chunked, gzip'), 'is not chunked'],
    ['chunks twice', post('Transfer-Encoding: chunked, chunked'), 'is not chunked'],
    ['nearly chunked', post('Transfer-Encoding: xchunked'), 'is not chunked'],
    ['a coding within chunks', post('Transfer-Encoding: gzip, chunked'), 'is not chunked'],
    ['chunks in HTTP/1.0', `POST / HTTP/1.0${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}`, '1.0'],
    ['chunked after an odd blank', post('Transfer-Encoding: \x0bchunked'), 'control character'],
    ['a blank before the colon', post('Transfer-Encoding : chunked'), 'not written name: value'],
    ['a folded line', post(`X: a${CRLF} b`), 'not written name: value'],
    ['a line without a colon', post('X'), 'not written name: value'],
    ['a header without a name', post(': a'), 'not written name: value'],
    ['CR alone', post('X: a\rContent-Length: 5'), 'control character'],
    ['LF alone', post('X: a\nContent-Length: 5'), 'LF alone'],
    ['NUL', post('X: a\0'), 'control character'],
    ['a first line that begins with a blank', ` ${WHOLE[0]}`, 'first line'],
    ['a target with a blank', `GET /a b HTTP/1.1${CRLF}${CRLF}`, 'first line'],
    ['no version', `GET /${CRLF}${CRLF}`, 'first line'],
    ['a chunk without a size', inChunks(`${CRLF}`), 'no size'],
    ['a chunk size with a sign', inChunks(`+1${CRLF}a${CRLF}`), 'no size'],
    ['a chunk size with 0x', inChunks(`0x1${CRLF}a${CRLF}`), 'no size'],
    ['a chunk size after a blank', inChunks(` 1${CRLF}a${CRLF}`), 'no size'],
    ['a chunk size beyond any', inChunks(`${'f'.repeat(16)}${CRLF}a`), 'no size'],
    ['LF in the extension of a chunk', inChunks(`1;a\n${CRLF}a${CRLF}`), 'no size'],
    ['a chunk longer than its size', inChunks(`1${CRLF}ab${CRLF}`), 'longer than its size'],
    ['a length in the trailers', inChunks(`0${CRLF}Content-Length: 5${CRLF}${CRLF}`), 'a trailer'],
    ['headers beyond the limit', post(`X: ${long}`), '64 KiB'],
    ['headers beyond the limit, without an end', `GET / HTTP/1.1${CRLF}X: ${long}`, '64 KiB'],
    ['a chunk extension beyond the limit', inChunks(`1;a=${long}`), '64 KiB'],
    ['trailers beyond the limit', inChunks(`0${CRLF}X: ${long}`), '64 KiB'],
  ])('refuses %s', (_what, text, cause) => {
    expect(ours(text).requests).toEqual([])
    expect(ours(text).cause).toContain(cause)
  })

  it('refuses a request after the last one', () => {
    const text = `GET /1 HTTP/1.1${CRLF}Connection: close${CRLF}${CRLF}${WHOLE[0]}`
    expect(ours(text).requests.map(({ url }) => url)).toEqual(['/1'])
    expect(ours(text).cause).toContain('bytes after the last request')
  })
})
