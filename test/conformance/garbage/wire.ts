/** Requests byte by byte, for what no HTTP client lets pass: odd targets, headers, lengths and methods. */

import { connect } from 'node:net'
import type { Draw } from '../random/draw.ts'
import { Silence } from './silence.ts'
import { HOSTILE_TEXTS } from './values.ts'

const TARGETS = [
  ...[
    '/',
    '//',
    '/%',
    '/%00',
    '/%ff%fe',
    '/..%2f..',
    '*',
    'http://other.example/query/v4',
    '/?',
    '/#a',
  ],
  ...[
    '/pdb/query/v4/reports',
    '/pdb/query/v4/nodes/',
    '/pdb/cmd/v1',
    '/status/v1/services/',
    '/pdb//',
  ],
  ...[
    '/query/v3/x',
    '/pdb/query/v4/reports/%ZZ/logs',
    '/pdb/query/v4/environments/',
    '/meta/v1/version',
  ],
]
const METHODS = [
  'GET',
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PURGE',
]
const HEADERS = [
  ...['accept: application/json', 'accept: ', 'accept: ,,,;q=', 'content-type: application/json'],
  ...['content-type: \u00ff', 'content-encoding: gzip', 'x-d1-bookmark: x', 'expect: 100-continue'],
  ...['content-length: 5', 'content-length: 99999999999', 'content-length: -1', 'range: bytes=0-'],
  ...['transfer-encoding: chunked', 'transfer-encoding: gzip', 'host: a b', 'upgrade: websocket'],
  ...['connection: upgrade', 'x-forwarded-for: 127.0.0.1', 'cookie: \u0001', ': empty', 'no colon'],
]

/** The whole of a request as it goes over the wire. */
export function wireOf(draw: Draw): string {
  const piece = (): string => draw.pick([...HOSTILE_TEXTS.map(encodeSome), ...HOSTILE_TEXTS])
  const target = draw.pick(TARGETS) + (draw.chance(0.6) ? piece() : '')
  const query = draw.chance(0.5) ? `?${draw.pick(['query', 'limit', piece()])}=${piece()}` : ''
  const line = `${draw.pick(METHODS)} ${target}${query} HTTP/1.${draw.chance(0.05) ? 0 : 1}`
  const headers = [
    'host: service.example',
    'connection: close',
    ...draw.some(HEADERS, 3).slice(draw.between(0, 1)),
    ...(draw.chance(0.3) ? [`x-odd: ${piece()}`] : []),
    ...(draw.chance(0.01) ? [`x-long: ${'x'.repeat(100_000)}`] : []),
  ]
  return `${line}\r\n${headers.join('\r\n')}\r\n\r\n${draw.pick(['', '{}', '5\r\n{"a":\r\n', piece()])}`
}

const encodeSome = (text: string): string => encodeURIComponent(text.toWellFormed())

/** What workerd itself answers 500 to a request that it can't make out, such as one of a negative length: no Worker sees it. */
const NOT_HTTP = /^HTTP\/1\.1 500 [^\r]*\r\nConnection: close\r\nContent-Length: 21\r\n\r\n/

/** What came of a request. */
export interface Outcome {
  /** 0 where the connection was closed without one that is ours. */
  readonly status: number
  readonly text: string
  /** The longest time in ms in which nothing came. */
  readonly silence: number
}

/** Sends the bytes and reads whatever comes back until the other side closes. */
export function sendWire(base: string, text: string): Promise<Outcome> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const silence = new Silence()
    const socket = connect(Number(port), hostname)
    socket.setTimeout(150_000, () => socket.destroy(new Error(`no end: ${JSON.stringify(text)}`)))
    socket.on('data', (piece) => {
      silence.broken()
      pieces.push(piece)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      silence.broken()
      const answer = Buffer.concat(pieces).toString()
      const status = NOT_HTTP.test(answer) ? 0 : Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
      resolve({ status: status || 0, text: answer, silence: silence.longest })
    })
    socket.end(text)
  })
}
