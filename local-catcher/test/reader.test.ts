// Our reader of HTTP beside that of Node: what it takes, Node takes for the same requests.
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  /** The last request has begun and not ended. */
  isCut: boolean
}

/** Reads text (Latin-1) with our reader, in pieces that end at `cuts`. */
function ours(text: string, cuts: readonly number[] = []): Reading {
  const found: Reading = { requests: [], isRefused: false, isCut: false }
  let current: Reading['requests'][number]
  const reader = new RequestReader({
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
    found.isRefused = true
  }
  found.isCut ||= !found.isRefused && reader.pending.length > 0
  return found
}

let port = 0
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
  socket.destroy()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

/** Reads text with the parser of Node. */
async function nodes(text: string): Promise<Reading> {
  reading = { requests: [], isRefused: false, isCut: false }
  await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.on('data', () => {}).on('close', resolve)
    socket.end(Buffer.from(text, 'latin1'))
  })
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
  `POST / HTTP/1.1${CRLF}Transfer-Encoding: gzip, chunked${CRLF}${CRLF}2;a=b${CRLF}ab${CRLF}00${CRLF}A: b${CRLF}C:${CRLF}${CRLF}`,
  `POST / HTTP/1.1${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}1${CRLF}a${CRLF}B${CRLF}${body(11)}${CRLF}0${CRLF}${CRLF}`,
  `POST / HTTP/1.1${CRLF}Expect: 100-continue${CRLF}Content-Length: 1${CRLF}X: \xe9\xff${CRLF}${CRLF}x`,
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
  it('takes nothing that Node refuses, and finds the same requests in all that it takes', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(messages, async (text) => {
        const [mine, theirs] = [ours(text), await nodes(text)]
        if (TAKEN.test(text)) return
        if (theirs.isRefused) expect(mine.isRefused || mine.isCut).toBe(true)
        if (mine.isRefused) return
        taken += mine.requests.length
        expect(mine.requests).toEqual(theirs.requests)
      }),
      { numRuns: sized(3000, 100_000) },
    )
    expect(taken).toBeGreaterThan(500)
  })

  it('finds the same in pieces of any size', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.nat(300), { maxLength: 8 }), (text, cuts) => {
        const within = cuts.filter((cut) => cut < text.length)
        expect(ours(text, within)).toEqual(ours(text))
      }),
      { numRuns: sized(3000, 100_000) },
    )
  })

  it.each(WHOLE)('takes %j', async (text) => {
    expect(ours(text)).toEqual(await nodes(text))
    expect(ours(text).requests).toHaveLength(1)
  })
})
