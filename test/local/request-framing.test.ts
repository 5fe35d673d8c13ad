/** The launcher knows where the heads of requests stand, whatever pieces they come in. */

import { describe, expect, it } from 'vitest'
import { RequestFraming } from '../../worker/local/host/request-framing.ts'

const WAITS = 'POST /a HTTP/1.1\r\nhost: x\r\nExpect: 100-continue\r\ncontent-length: 5\r\n\r\n'
const GET = 'GET /a HTTP/1.1\r\nhost: x\r\n\r\n'
const CHUNKED = 'POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'

/** Whether the client waits after each piece: yes, no, or `–` where no head ends with the piece. */
const waitsAfter = (pieces: readonly string[]): string => {
  const framing = new RequestFraming()
  return pieces
    .map((piece) => framing.take(Buffer.from(piece, 'latin1')))
    .map((head) => (head === null ? '–' : head.expectsContinue ? 'yes' : 'no'))
    .join(' ')
}

describe('a client waits', () => {
  it.each<[string, string[], string]>([
    ['after a head that says so', [WAITS], 'yes'],
    ['after one in pieces', [WAITS.slice(0, 30), WAITS.slice(30, -3), WAITS.slice(-3)], '– – yes'],
    ['not where the body has come with it', [`${WAITS}hello`], '–'],
    ['not after another head', [GET], 'no'],
    ['after the second request of a connection', [GET, WAITS], 'no yes'],
    ['after a request whose body has come', [WAITS, 'hello', WAITS], 'yes – yes'],
    ['not inside a body', [WAITS.replace('5', String(WAITS.length)), WAITS, GET], 'yes – no'],
    [
      'after a body in chunks, with extensions and trailers',
      [`${CHUNKED}5;x=y\r\nhel`, 'lo\r\n0\r\nt: u\r\n', `\r\n${WAITS}`],
      '– – yes',
    ],
    ['not inside a chunk', [`${CHUNKED}${WAITS.length.toString(16)}\r\n`, WAITS], '– –'],
    ['whatever the case of the words', [WAITS.replace('Expect: 100-c', 'eXPECT:100-C')], 'yes'],
  ])('%s', (_, pieces, expected) => {
    expect(waitsAfter(pieces)).toBe(expected)
  })
})

describe('what could be read in two ways is not followed', () => {
  it.each([
    ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n'],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n'],
    ['a length that is no number', 'content-length: +5\r\n'],
    ['another coding', 'transfer-encoding: gzip, chunked\r\n'],
    ['another protocol', 'upgrade: websocket\r\n'],
  ])('%s', (_, lines) => {
    const framing = new RequestFraming()
    framing.take(Buffer.from(`POST /a HTTP/1.1\r\n${lines}\r\n`))
    expect(framing.take(Buffer.from(WAITS))).toBeNull()
    expect(framing.isOver).toBe(true)
  })

  it('a size of a chunk that is no number', () => {
    expect(waitsAfter([CHUNKED, 'five\r\n', WAITS])).toBe('no – –')
  })
})

it.each([
  ['GET / HTTP/1.0\r\n\r\n', true],
  ['GET / HTTP/1.1\r\nconnection: keep-alive, Close\r\n\r\n', true],
  ['GET / HTTP/1.1\r\nx: HTTP/1.0\r\n\r\n', false],
])('%j ends its connection: %s', (request, isOver) => {
  const framing = new RequestFraming()
  framing.take(Buffer.from(request))
  expect(framing.isOver).toBe(isOver)
})
