import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { TestClock } from './clock.js'
import {
  converse,
  launch,
  launchProcess,
  post,
  sendMany,
  sendRaw,
  sized,
  temporaryFolder,
  type Launched,
  type LaunchedProcess,
} from './launch.js'

let catcher: Launched
beforeAll(async () => {
  catcher = await launch()
})
afterAll(() => catcher.stop())

const lastBlock = (screen = catcher.screen()) => screen.split(/^(?=#\d+ )/m).at(-1)!

describe('what is not HTTP is shown all the same, and answered 400', () => {
  it.each<[string, string | Buffer, RegExp]>([
    [
      'a TLS hello',
      Buffer.from('160301020001000001fc0303', 'hex'),
      /16 03 01 02[^]*the sender spoke TLS to a plain port: start with --https, or use http:\/\//,
    ],
    ['garbage', '\x1b[2J\x00\r\n\r\n', /1b 5b 32 4a 00[^]*the bytes are not HTTP\/1\.1: /],
    [
      'a bad version',
      'GET / HTTP/9.9\r\n\r\n',
      /GET \/ HTTP\/9\.9|47 45 54[^]*the bytes are not HTTP\/1\.1: the first line is not METHOD target HTTP\/1\.1/,
    ],
    ['a target in UTF-8', 'GET /é HTTP/1.1\r\n\r\n', /must be percent-encoded, as é is %C3%A9\n/],
    ['LF alone', 'GET / HTTP/1.1\nHost: x\n\n', /ends with LF alone, where HTTP wants CR LF\n/],
    ['a control character', 'GET / HTTP/1.1\r\nA: \0\r\n\r\n', /1\.1: a header has a control/],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${'Content-Length: 1\r\n'.repeat(2)}\r\nx`,
      /more than one/,
    ],
    ['a method that is none', 'NONE / HTTP/1.1\r\n\r\n', /HTTP\/1\.1: there is no such method/],
    ['LF in a header', 'GET / HTTP/1.1\r\nA: x\n\r\n', /LF alone, where HTTP wants CR LF\n/],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /the sender spoke HTTP\/2 without asking/],
    [
      'too many bytes of headers',
      `GET / HTTP/1.1\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`,
      /the headers are larger than 64 KiB/,
    ],
    [
      'a bad chunk',
      'POST /chunk HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n',
      /POST \/chunk HTTP\/1\.1[^]*\na\n\nthe bytes are not HTTP\/1\.1: a chunk has no size/,
    ],
  ])('%s', async (_name, bytes, shown) => {
    expect(await sendRaw(catcher.port, bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(lastBlock()).toMatch(shown)
    expect(lastBlock()).toMatch(/\nanswered 400 /)
  })

  it('puts together a malformed request that came in pieces', async () => {
    const { write, closed } = await converse(catcher.port)
    await write('GET /piec')
    await write('es HTTP/1.1\r\nbad header\r\n\r\n')
    await closed
    expect(lastBlock()).toContain('|GET /pieces HTTP|')
  })
})

it.each([
  ['a body of known length', 'Content-Length: 5\r\n\r\nhello'],
  ['a body in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
  ['no body', '\r\n'],
])('shows nothing of the requests before what is not HTTP, with %s', async (_name, end) => {
  const before = `POST /before HTTP/1.1\r\nHost: x\r\n${end}`.repeat(2)
  for (const refused of ['nonsense\r\n\r\n', 'GET /refused HTTP/1.1\r\na b: c\r\n\r\n']) {
    await sendRaw(catcher.port, before + refused)
    expect(lastBlock()).toContain(`\n00000000  ${Buffer.from(refused).toString('hex', 0, 1)} `)
    expect(lastBlock()).toContain(`|${refused.slice(0, 8)}`)
  }
})

it('shows all of what is not HTTP, sent in a packet after a request', async () => {
  const { write, closed } = await converse(catcher.port)
  const end = 'Content-Length: 5\r\n\r\nhello'
  await write(`POST /before HTTP/1.1\r\nHost: x\r\n${end}`)
  await write('GET /refused HTTP/1.1\r\na b: c\r\n\r\n')
  await closed
  expect(lastBlock()).toContain('|GET /refused HTT|')
})

it.each([
  ['delay=60s', 'left'],
  ['fault=hang', 'hang'],
  ['fault=reset', 'reset'],
])('says of no answer that it was sent after one that was not: %s', async (told, outcome) => {
  const file = join(temporaryFolder(), 'record.jsonl')
  const slow = await launch(['-r', `/slow => ${told}`, '-o', file])
  const requests = ['/slow', '/fast'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  expect(await sendRaw(slow.port, requests.join(''), true)).toMatch(/^(ECONNRESET)?$/)
  await slow.stop()
  const records = readFileSync(file, 'utf8').trimEnd().split('\n').map(parseRecord)
  expect(records.map(({ path, answer, outcome }) => ({ path, answer, outcome }))).toEqual([
    { path: '/slow', answer: null, outcome },
    { path: '/fast', answer: null, outcome: 'left' },
  ])
})

it('shows what came when the sender leaves inside the body', async () => {
  await sendRaw(
    catcher.port,
    'POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 92\r\n\r\n{"a":1,"b"',
    true,
  )
  await expect.poll(() => lastBlock()).toContain('POST /left HTTP/1.1')
  expect(lastBlock()).toContain('{"a":1,"b"')
  expect(lastBlock()).toContain('\naborted after 10 of 92 bytes\nnot answered')
})

it('shows the part of a request that never ends, and gives up on it', async () => {
  const clock = new TestClock()
  const patient = await launch([], {}, clock)
  const { write, closed } = await converse(patient.port)
  await write('POST /slow HTTP/1.1\r\nHost: x\r\nX-Part')
  await clock.pass(9_999)
  expect(patient.screen()).toBe('')
  await clock.pass(1)
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
  expect(patient.screen()).toMatch(/^#\d+ incomplete {2}/)
  expect(patient.screen()).toContain('|POST /slow HTTP/|')
  expect(patient.screen()).toContain('the headers may take 10 s, the body 60 s')
  await patient.stop()
})

it('does not show a connection that says nothing', async () => {
  const before = catcher.screen()
  const socket = connect(catcher.port, '127.0.0.1')
  await new Promise((resolve) => socket.on('connect', resolve))
  socket.destroy()
  await post(`${catcher.url}/after-nothing`, '')
  expect(catcher.screen().slice(before.length)).toMatch(/^#\d+ {2}[^]*POST \/after-nothing/)
})

it('answers 413 to a body over the limit, counts all of it and shows its start', async () => {
  const file = join(temporaryFolder(), 'record.jsonl')
  const small = await launch(['--max-body', '1KiB', '-o', file, '--secret', 'github:s'])
  const bodies = [
    { body: 'x'.repeat(1024), status: 200, kept: 1024, truncated: false },
    { body: 'x'.repeat(1025), status: 413, kept: 1024, truncated: true },
    { body: 'x'.repeat(300_000), status: 413, kept: 1024, truncated: true },
  ]
  for (const { body, status, kept, truncated } of bodies) {
    expect((await post(small.url, body)).status).toBe(status)
    const record = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!) as Record<
      string,
      unknown
    >
    expect(record).toMatchObject({ size: body.length, truncated, answer: status })
    expect((record.body as string).length).toBe(kept)
  }
  expect(lastBlock(small.screen())).toContain(
    'the body is larger than 1.0 kB\nsignature unattempted (github)',
  )
  await small.stop()
})

describe('a body that was cut is never said to be whole', () => {
  const file = join(temporaryFolder(), 'cut.jsonl')
  const headers = { 'Content-Type': 'application/json' }
  /** The lines between the body and the answer, in the block of a body of 200,000 bytes. */
  const notes = async (args: readonly string[]) => {
    const cut = await launch(args)
    await post(cut.url, `["${'x'.repeat(199_996)}"]`, headers)
    await cut.stop()
    return /xx\n(.*)\nanswered \d+ · 200.0 kB/s.exec(cut.screen())![1]
  }
  const reason = 'the body is larger than 100.0 kB'
  const cut = 'the body is cut: 100000 B of 200000 B were kept'
  it.each<[string, string[], string]>([
    ['with a record', ['--max-body', '100000', '-o', file], `… 34.5 kB more\n${cut}\n\n${reason}`],
    [
      'without one',
      ['--max-body', '100000'],
      `… 34.5 kB more, use --output to keep it\n${cut}\n\n${reason}`,
    ],
    [
      'by a limit in KiB',
      ['--max-body', '128KiB'],
      '… 65.5 kB more, use --output to keep it\n' +
        'the body is cut: 131072 B of 200000 B were kept\n\n' +
        'the body is larger than 131.1 kB',
    ],
    ['whole, with a record', ['-o', file], '… 134.5 kB more\n'],
    ['whole, without one', [], '… 134.5 kB more, use --output to keep it\n'],
    [
      'not recorded',
      ['-o', '/dev/full'],
      '… 134.5 kB more\n\nnot recorded: ENOSPC: no space left on device, write',
    ],
  ])('%s', async (_name, args, expected) => {
    expect(await notes(args)).toBe(expected)
  })

  it('nor is it called broken for that', async () => {
    const small = await launch(['--max-body', '16'])
    await post(small.url, '{"a":1,"b":[2,3,4,5]}', headers)
    await post(small.url, new Uint8Array(gzipSync('{"a":"bcdefgh"}')), {
      'Content-Encoding': 'gzip',
    })
    const part = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`
    await sendRaw(small.port, part, true)
    await expect.poll(small.screen).toContain('aborted after 4 of 9 bytes')
    expect(small.screen()).not.toContain('not valid JSON')
    expect(small.screen()).toContain('(gzip, not decoded: its end is missing)')
    await small.stop()
  })
})

it('unpacks no bomb', async () => {
  const bomb = Uint8Array.from(gzipSync(Buffer.alloc(sized(64, 1024) * 1024 * 1024)))
  expect((await post(`${catcher.url}/bomb`, bomb, { 'Content-Encoding': 'gzip' })).status).toBe(200)
  expect(lastBlock()).toContain(
    '(gzip, not decoded: it unpacks to more than 10.5 MB)\n00000000  1f 8b',
  )
})

it('shows a million nested lists', async () => {
  const deep = '['.repeat(1_000_000)
  expect((await post(`${catcher.url}/deep`, deep)).status).toBe(200)
  expect(lastBlock()).toContain('found the end, with 1000000 brackets still open')
  await post(`${catcher.url}/closed`, deep + ']'.repeat(1_000_000))
  expect(lastBlock()).toContain(`\n${'  '.repeat(32)}[\n`)
  expect(lastBlock().length).toBeLessThan(70_000)
})

/** The most memory a process ever held, in MiB. */
function peakOf({ pid }: LaunchedProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

it('keeps its memory however large the bodies are', async () => {
  const megabyte = JSON.stringify({
    list: Array.from({ length: 24_000 }, (_, i) => ({ id: i, name: `entry ${i}` })),
  })
  const bodyOf = (number: number) => `{"number":${number},"rest":${megabyte}}`
  const fresh = await launchProcess(['--output', join(temporaryFolder(), 'record.jsonl')])
  const total = sized(100, 1000)
  const { answered } = await sendMany(fresh.port, 8, total, bodyOf)
  expect(answered.length).toBe(total)
  expect(peakOf(fresh)).toBeLessThanOrEqual(256)
  await fresh.stop()
})

it('keeps its memory however large one body is', async () => {
  const fresh = await launchProcess()
  // Each version of Node begins with another amount of memory.
  const idle = peakOf(fresh)
  const mebibyte = new Uint8Array(1024 * 1024)
  const count = sized(100, 1000)
  const body = Readable.from(Array.from({ length: count }, () => mebibyte))
  const sent = { method: 'POST', body, duplex: 'half' } as unknown as RequestInit
  expect((await fetch(fresh.url, sent)).status).toBe(413)
  expect(fresh.screen()).toContain(`answered 413 · ${((count * 1048576) / 1e6).toFixed(1)} MB`)
  expect(peakOf(fresh) - idle).toBeLessThanOrEqual(76)
  await fresh.stop()
})

it('keeps its memory however small the chunks of a body are', async () => {
  const fresh = await launchProcess()
  const idle = peakOf(fresh)
  const count = 2_000_000
  const head = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
  const reply = await sendRaw(fresh.port, `${head}${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`)
  expect(reply).toMatch(/^HTTP\/1\.1 200 /)
  expect(fresh.screen()).toContain('answered 200 · 2.0 MB')
  expect(peakOf(fresh) - idle).toBeLessThanOrEqual(76)
  await fresh.stop()
})

it('keeps its memory however long one string is', async () => {
  const fresh = await launchProcess()
  const idle = peakOf(fresh)
  await fetch(fresh.url, { method: 'POST', body: `"${'x'.repeat(9 * 1024 * 1024)}"` })
  expect(fresh.screen()).toContain('answered 200 · 9.4 MB')
  expect(peakOf(fresh) - idle).toBeLessThanOrEqual(64)
  await fresh.stop()
})

it('is not reached under another address than its own', async () => {
  const other = connect(catcher.port, '127.0.0.2')
  const refused = await new Promise((resolve) =>
    other.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
  )
  expect(refused).toBe('ECONNREFUSED')
  const open = await launch(['--host', '0.0.0.0'])
  expect(open.talk()).toMatch(
    /^local-catcher: warning: on 0\.0\.0\.0 others on the network can send here/,
  )
  await open.stop()
})

it('gives senders no CORS permission unless told to', async () => {
  const cors = (response: Response) => response.headers.get('access-control-allow-origin')
  expect(
    cors(
      await fetch(catcher.url, { method: 'OPTIONS', headers: { Origin: 'http://evil.example' } }),
    ),
  ).toBeNull()
})
