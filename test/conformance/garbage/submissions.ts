/** Commands as no client posts them: their parameters, their headers, and their bytes. */

import { gzipSync } from 'node:zlib'
import type { Draw } from '../random/draw.ts'
import type { Request } from '../server.ts'
import { broken, disguised } from './reports.ts'
import { hostileText, HOSTILE_TEXTS } from './values.ts'

type Bytes = Uint8Array<ArrayBuffer>

const bytes = (text: string): Bytes => new Uint8Array(Buffer.from(text))

/** A megabyte in a kilobyte, and more of it than a command may have. */
const BOMBS: readonly Bytes[] = [1, 40].map(
  (megabytes) => new Uint8Array(gzipSync(Buffer.alloc(megabytes << 20, ' '))),
)

const WHOLE_BODIES: readonly string[] = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[]',
    '{}',
    'null',
    '1',
    '"a"',
    '\u0000',
    '\ufeff{}',
    '{"a":1e400}',
    '1e400',
  ],
  ...[
    '{"certname":1}',
    '{}{}',
    '{"a":1,"a":2}',
    "{'a':1}",
    '{"a":\u0001}',
    '[1,]',
    '-',
    '-0',
    '01',
  ],
  ...['['.repeat(100_000), '{"a":'.repeat(50_000), `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ...['"\\ud800"', '{"__proto__":{"certname":"a"}}', '{"command":"store report","version":8}'],
  ...[
    '{"command":"store report","version":8,"payload":{}}',
    '{"command":[],"version":{},"payload":1}',
  ],
]

/** A submission of a broken report, or of none, in any of the ways of spoiling one on the way. */
export function submissionOf(draw: Draw, seed: number): Request {
  const { certname, payload } = draw.chance(0.8) ? broken(seed) : disguised(seed)
  const text = draw.chance(0.1) ? draw.pick(WHOLE_BODIES) : JSON.stringify(payload)
  const { body, headers } = packed(draw, spoilt(draw, bytes(text)))
  return {
    method: 'POST',
    path: `/cmd/v1${draw.chance(0.1) ? '' : `?${parameters(draw, certname)}`}`,
    params: {},
    body,
    headers: { ...headers, ...(draw.chance(0.05) ? oddHeader(draw) : {}) },
  }
}

const COMMANDS = ['store_report', 'store report', 'deactivate_node', 'replace_facts', 'x', '']

function parameters(draw: Draw, certname: string): string {
  const good: [string, string][] = [
    ['command', 'store_report'],
    ['version', '8'],
    ['certname', certname.toWellFormed()],
  ]
  if (draw.chance(0.8)) return new URLSearchParams(good).toString()
  const odd = draw.one<[string, string]>(
    [3, () => ['command', draw.pick(COMMANDS)]],
    [3, () => ['version', draw.pick(['3', '5', '7', '9', '-1', '1e1', '٣', '', 'x'])]],
    [2, () => ['checksum', hostileText(draw)]],
    [2, () => [hostileText(draw), hostileText(draw)]],
    [1, () => ['producer-timestamp', hostileText(draw)]],
    [1, () => ['secondsToWaitForCompletion', hostileText(draw)]],
  )
  return new URLSearchParams([...good, odd]).toString()
}

/** The bytes with some of them cut, doubled or changed; most of the time none. */
function spoilt(draw: Draw, whole: Bytes): Bytes {
  const at = draw.between(0, whole.length)
  const insert = (piece: Bytes): Bytes =>
    new Uint8Array(Buffer.concat([whole.subarray(0, at), piece, whole.subarray(at)]))
  return draw.one(
    [8, () => whole],
    [1, () => whole.subarray(0, at)],
    [1, () => whole.subarray(at)],
    [1, () => insert(bytes(draw.pick(HOSTILE_TEXTS)))],
    [1, () => insert(new Uint8Array([draw.pick([0, 0x80, 0xc0, 0xed, 0xf5, 0xfe, 0xff])]))],
    [0.5, () => Uint8Array.from({ length: draw.between(0, 300) }, () => draw.between(0, 255))],
    [0.5, () => insert(whole)],
  )
}

interface Packed {
  readonly body: Bytes
  readonly headers: Readonly<Record<string, string>>
}

/** The body under an encoding that is its own, or said to be. */
function packed(draw: Draw, body: Bytes): Packed {
  const gzip = { 'content-encoding': 'gzip' }
  const zipped = (): Bytes => new Uint8Array(gzipSync(body, { level: 1 }))
  const joined = (...pieces: Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(pieces))
  return draw.one<Packed>(
    [8, () => ({ body, headers: {} })],
    [3, () => ({ body: zipped(), headers: gzip })],
    [1, () => ({ body: spoilt(draw, zipped()), headers: gzip })],
    [0.5, () => ({ body: joined(zipped(), zipped()), headers: gzip })],
    [0.5, () => ({ body: joined(zipped(), Buffer.alloc(9)), headers: gzip })],
    [0.5, () => ({ body, headers: gzip })],
    [0.5, () => ({ body: zipped(), headers: {} })],
    [0.05, () => ({ body: draw.pick(BOMBS), headers: gzip })],
    [
      0.5,
      () => ({ body, headers: { 'content-encoding': draw.pick(['br', 'GZIP', 'gzip, gzip']) } }),
    ],
  )
}

const HEADERS = ['accept', 'content-type', 'x-d1-bookmark', 'user-agent', 'cookie', 'range']

/** A header that fetch lets pass; others are in wire.ts. */
function oddHeader(draw: Draw): Record<string, string> {
  const text = hostileText(draw).replaceAll(/[^\t\u0020-\u007e]/g, '?')
  return {
    [draw.pick(HEADERS)]: draw.pick([text, '', '*/*;q=0', 'text/html', 'application/json;;;']),
  }
}
