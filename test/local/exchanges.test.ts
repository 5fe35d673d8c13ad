/** The launcher knows where requests and answers begin and end, whatever pieces they come in. */

import { describe, expect, it } from 'vitest'
import { Exchanges } from '../../worker/local/host/exchanges.ts'
import { growth, LINEAR } from '../growth.ts'

const WAITS = 'POST /a HTTP/1.1\r\nhost: x\r\nExpect: 100-continue\r\ncontent-length: 5\r\n\r\n'
const GET = 'GET /a HTTP/1.1\r\nhost: x\r\n\r\n'
const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
const CHUNKED = 'POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'

/** Whether the client waits after each piece: yes, no, or `–` where no head ends with the piece. */
const waitsAfter = (pieces: readonly string[]): string => {
  const exchanges = new Exchanges()
  return pieces
    .map((piece) => {
      const head = exchanges.takeRequest(Buffer.from(piece, 'latin1'))
      if (exchanges.awaitsAnswer && !exchanges.isWithinRequest) exchanges.takeAnswer(OK)
      return head
    })
    .map((head) => (head === null ? '–' : head.expectsContinue ? 'yes' : 'no'))
    .join(' ')
}

describe('a client waits', () => {
  it.each<[string, string[], string]>([
    ['after a head that says so', [WAITS], 'yes'],
    ['after one in pieces', [WAITS.slice(0, 30), WAITS.slice(30, -3), WAITS.slice(-3)], '– – yes'],
    ['not where the body has come with it', [`${WAITS}hello`], '–'],
    ['not after another head', [GET], 'no'],
    ['not while another answer is due', [CHUNKED + '5\r\nhello\r\n0\r\n\r\n' + WAITS], 'no'],
    ['after the second request of a connection', [GET, WAITS], 'no yes'],
    ['after a request whose body has come', [WAITS, 'hello', WAITS], 'yes – yes'],
    ['not inside a body', [WAITS.replace('5', String(WAITS.length)), WAITS, GET], 'yes – no'],
    [
      'after a body in chunks, with extensions and trailers',
      [`${CHUNKED}5;x=y\r\nhel`, 'lo\r\n0\r\nt: u\r\n', '\r\n', WAITS],
      '– – – yes',
    ],
    ['not inside a chunk', [`${CHUNKED}${WAITS.length.toString(16)}\r\n`, WAITS], '– –'],
    ['whatever the case of the words', [WAITS.replace('Expect: 100-c', 'eXPECT:100-C')], 'yes'],
  ])('%s', (_, pieces, expected) => {
    expect(waitsAfter(pieces)).toBe(expected)
  })
})

describe('an ambiguous message is not followed', () => {
  it.each([
    ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n'],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n'],
    ['a length that is no number', 'content-length: +5\r\n'],
    ['another coding', 'transfer-encoding: gzip, chunked\r\n'],
    ['a length behind a bare line feed', 'x: y\ncontent-length: 5\r\n'],
    ['a length behind a bare carriage return', 'x: y\rcontent-length: 5\r\n'],
    ['two lengths, of which one has a space', 'content-length : 5\r\ncontent-length: 6\r\n'],
    ['chunks with a space, and a length', 'transfer-encoding : chunked\r\ncontent-length: 5\r\n'],
    ['another protocol', 'upgrade: websocket\r\n'],
  ])('%s', (_, lines) => {
    const exchanges = new Exchanges()
    exchanges.takeRequest(Buffer.from(`POST /a HTTP/1.1\r\n${lines}\r\n`))
    expect(exchanges.takeRequest(Buffer.from(WAITS))).toBeNull()
    expect(exchanges.isOver).toBe(true)
  })

  it('with a chunk size that is no number', () => {
    expect(waitsAfter([CHUNKED, 'five\r\n', WAITS])).toBe('no – –')
  })
})

it.each([
  ['GET / HTTP/1.0\r\n\r\n', true],
  ['GET / HTTP/1.1\r\nconnection: keep-alive, Close\r\n\r\n', true],
  ['GET / HTTP/1.1\r\nx: HTTP/1.0\r\n\r\n', false],
])('%j ends its connection: %s', (request, isOver) => {
  const exchanges = new Exchanges()
  exchanges.takeRequest(Buffer.from(request))
  expect(exchanges.isOver).toBe(isOver)
})

/** What the launcher may do where the runtime ends the connection after these requests and answers. */
function stateAfter(request: string, answers: readonly string[]): string {
  const exchanges = new Exchanges()
  exchanges.takeRequest(Buffer.from(request))
  for (const answer of answers) exchanges.takeAnswer(Buffer.from(answer))
  const { isOver, awaitsAnswer, isIdle } = exchanges
  return [isOver && 'over', awaitsAnswer && 'awaits', isIdle && 'idle'].filter(Boolean).join(' ')
}

const HEAD = 'HEAD /a HTTP/1.1\r\nhost: x\r\n\r\n'
const POST = 'POST /a HTTP/1.1\r\ncontent-length: 5\r\n\r\n'
const ok = (lines: string, body = ''): string => `HTTP/1.1 200 OK\r\n${lines}\r\n${body}`

it.each<[string, string, string[], string]>([
  ['nothing', '', [], 'idle'],
  ['a request', GET, [], 'awaits'],
  ['half of a head', GET.slice(0, 10), [], 'awaits'],
  ['half of a body', `${POST}he`, [], 'awaits'],
  ['an answer with a length', GET, [ok('content-length: 2\r\n', 'ok')], 'idle'],
  ['half of it', GET, [ok('content-length: 2\r\n', 'o')], ''],
  ['half of its head', GET, ['HTTP/1.1 200 O'], ''],
  ['in pieces', GET, ['HTTP/1.1 200 OK\r\ncontent-', 'length: 2\r\n\r\no', 'k'], 'idle'],
  [
    'an answer in chunks',
    GET,
    [ok('transfer-encoding: chunked\r\n', '2\r\nok\r\n0\r\n\r\n')],
    'idle',
  ],
  ['all but its last', GET, [ok('transfer-encoding: chunked\r\n', '2\r\nok\r\n')], ''],
  ['an answer to HEAD', HEAD, [ok('content-length: 2\r\n')], 'idle'],
  ['nothing new', GET, ['HTTP/1.1 304 Not Modified\r\n\r\n'], 'idle'],
  ['go on', `${POST}`, ['HTTP/1.1 100 Continue\r\n\r\n'], 'awaits'],
  [
    'go on, and the answer',
    `${POST}hello`,
    ['HTTP/1.1 100 Continue\r\n\r\n' + ok('content-length: 0\r\n')],
    'idle',
  ],
  ['an answer without a length', GET, [ok('', 'ok')], ''],
  [
    'an answer that closes',
    GET,
    [ok('connection: close\r\ncontent-length: 2\r\n', 'ok')],
    'over idle',
  ],
  [
    'an answer before the body',
    POST,
    [ok('connection: close\r\ncontent-length: 2\r\n', 'ok')],
    'over',
  ],
  ['an answer to no request', 'GET', [ok('content-length: 2\r\n', 'ok')], 'over'],
  ['the first answer of two', GET + GET, [ok('content-length: 2\r\n', 'ok')], 'awaits'],
])('after %s', (_, request, answers, state) => {
  expect(stateAfter(request, answers)).toBe(state)
})

describe('a head costs no more than its length, which a sender without credentials chooses', () => {
  const LONGEST = 120_000
  const blanks = (length: number): string => '\t '.repeat(length / 2)

  it.each<[string, (length: number) => string]>([
    ['a length with blanks inside', (length) => `content-length: x${blanks(length)}y\r\n`],
    ['a length with blanks after it', (length) => `content-length: 5${blanks(length)}\r\n`],
    ['blanks before the colon', (length) => `content-length${blanks(length)}: 5\r\n`],
    ['a coding with blanks inside', (length) => `transfer-encoding: x${blanks(length)}y\r\n`],
    [
      'an expectation of blanks',
      (length) => `expect:${blanks(length)}100-continue${blanks(20)}y\r\n`,
    ],
    ['a connection of many words', (length) => `connection: ${'close-'.repeat(length / 6)}\r\n`],
    ['many lengths', (length) => 'content-length: 5\r\n'.repeat(length / 19)],
    ['many connections', (length) => 'connection: a\r\n'.repeat(length / 15)],
    ['many short headers', (length) => 'a:\r\n'.repeat(length / 4)],
    ['line feeds', (length) => `x: ${'\n'.repeat(length)}\r\n`],
  ])('%s', (_, lines) => {
    const read = (length: number): void =>
      void new Exchanges().takeRequest(
        Buffer.from(`POST /a HTTP/1.1\r\n${lines(length)}\r\n`, 'latin1'),
      )
    expect(growth(read, LONGEST)).toBeLessThan(LINEAR)
  })

  it.each<[string, string, string]>([
    ['a head', 'GET /', 'x'],
    ['a path of spaces', 'GET /', ' '],
    ['the size of a chunk', CHUNKED, '1;x'],
    ['a trailer', `${CHUNKED}0\r\n`, 'x'],
  ])('%s, byte by byte', (_, start, piece) => {
    const read = (length: number): void => {
      const exchanges = new Exchanges()
      exchanges.takeRequest(Buffer.from(start))
      const byte = Buffer.from(piece)
      for (let at = 0; at < length; at += byte.length) exchanges.takeRequest(byte)
    }
    expect(growth(read, LONGEST)).toBeLessThan(LINEAR)
  })
})
