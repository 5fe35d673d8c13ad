import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { launch, post, sendRaw, sized, temporaryFolder } from './launch.js'

/** Numbers from 0 to 1 that are the same in every run. */
function generator(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const SCALARS = ['0', '-0', '1.0', '1e400', '9007199254740993', '-1.5E-7', 'true', 'false', 'null']
const STRINGS = [
  '""',
  '"\\/"',
  '"\\ud800"',
  '"\\u003c&>"',
  '"é🐎"',
  '"a\\"b\\\\"',
  '"{[,:]}"',
  '"  "',
]

/** A JSON text as its tokens, with duplicate keys and every spelling that parsers lose. */
function tokens(random: () => number, depth = 0): string[] {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]
  const kind = random()
  if (depth > 4 || kind < 0.4) return [pick(random() < 0.5 ? SCALARS : STRINGS)]
  const entries = Array.from({ length: Math.floor(random() * 4) }, () => [
    ...(kind < 0.7 ? [pick(STRINGS), ':'] : []),
    ...tokens(random, depth + 1),
  ])
  const [open, close] = kind < 0.7 ? ['{', '}'] : ['[', ']']
  return [open, ...entries.flatMap((entry, i) => (i === 0 ? entry : [',', ...entry])), close]
}

/** Without the whitespace between tokens. */
const compact = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string) => string ?? '')

it('prints 10,000 JSON texts with nothing changed but the whitespace between tokens', async () => {
  const random = generator(1)
  const texts = Array.from({ length: 10_000 }, () => tokens(random))
  const blank = () => [' ', '\n', '\t', '\r\n', ''][Math.floor(random() * 5)]
  const catcher = await launch(['--no-info'])
  for (let at = 0; at < texts.length; at += 500) {
    const spaced = texts
      .slice(at, at + 500)
      .map((each) => each.map((token) => token + blank()).join(''))
    const requests = spaced.map(
      (text, i) =>
        `POST / HTTP/1.1\r\nHost: x\r\n${i === 499 ? 'Connection: close\r\n' : ''}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
    await sendRaw(catcher.port, requests.join(''))
  }
  await catcher.stop()
  const printed = catcher.screen().split('\n\n').slice(0, -1)
  expect(printed.length).toBe(10_000)
  expect(printed.map(compact)).toEqual(texts.map((each) => each.join('')))
})

it('records random bytes so that they replay as the identical request', async () => {
  const file = join(temporaryFolder(), 'record.jsonl')
  const catcher = await launch(['--output', file])
  const random = generator(2)
  const sent: string[] = []
  for (let n = 0; n < sized(100, 1000); n++) {
    const body = randomBytes(Math.floor(random() * 300))
    const names = ['x-a', 'X-A', 'X-a', 'Accept'].sort(() => random() - 0.5)
    const headers = names.map((name) => `${name}: v${Math.floor(random() * 10)}\xe9`)
    const method = ['POST', 'PUT', 'DELETE', 'PROPFIND'][n % 4]
    const head = [`${method} /r/${n}?q=%00&q HTTP/1.1`, 'Host: x', ...headers]
    const request = `${head.join('\r\n')}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body.toString('latin1')}`
    sent.push(request)
    await sendRaw(catcher.port, Buffer.from(request, 'latin1'))
  }
  await catcher.stop()
  const received: string[] = []
  const replayed = createServer((socket) => {
    let bytes = ''
    socket.on('data', (chunk) => (bytes += chunk.toString('latin1')))
    socket.on('end', () => {
      received.push(bytes)
      socket.end()
    })
  })
  await new Promise<void>((resolve) => replayed.listen(0, '127.0.0.1', resolve))
  const { port } = replayed.address() as { port: number }
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { method, url, headers, bytes } = parseRecord(line)
    const head = `${method} ${url} HTTP/1.1\r\n${headers.map((pair) => `${pair.join(': ')}\r\n`).join('')}\r\n`
    await sendRaw(port, Buffer.concat([Buffer.from(head, 'latin1'), bytes]), true)
  }
  replayed.close()
  expect(received).toEqual(sent)
})

it('ends a half line left by a crash before the next record', async () => {
  const file = join(temporaryFolder(), 'record.jsonl')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, '{"n":1,"half')
  const catcher = await launch(['-o', file])
  await post(catcher.url, 'a')
  await post(catcher.url, 'b')
  await catcher.stop()
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines[0]).toBe('{"n":1,"half')
  expect(lines.slice(1, 3).map((line) => parseRecord(line).text())).toEqual(['a', 'b'])
  expect(lines[3]).toBe('')
})

it('writes the record in the documented form', async () => {
  const catcher = await launch(['--json'])
  const head =
    'POST /orders?source=test HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-A: 1\r\nx-a: 2'
  await sendRaw(catcher.port, `${head}\r\nContent-Length: 7\r\n\r\n{"a":1}`)
  await sendRaw(catcher.port, 'nonsense\r\n\r\n')
  await catcher.stop()
  const [first, second] = catcher
    .screen()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(first).toEqual({
    n: 1,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    method: 'POST',
    url: '/orders?source=test',
    httpVersion: '1.1',
    headers: [
      ['Host', 'h'],
      ['Connection', 'close'],
      ['X-A', '1'],
      ['x-a', '2'],
      ['Content-Length', '7'],
    ],
    body: '{"a":1}',
    encoding: 'utf8',
    size: 7,
    truncated: false,
    elapsed: expect.any(Number),
    answer: 200,
  })
  expect(second).toMatchObject({
    n: 2,
    method: null,
    url: null,
    outcome: 'malformed',
    answer: 400,
    raw: Buffer.from('nonsense\r\n\r\n').toString('base64'),
  })
})

it('keeps blocks whole: requests over 64 connections, none damaged', async () => {
  const most = sized(5_000, 100_000)
  const { sendMany } = await import('./launch.js')
  const catcher = await launch()
  const { answered, failed } = await sendMany(catcher.port, 64, most)
  await catcher.stop()
  const block =
    /#\d+ {2}\S+Z {2}127\.0\.0\.1:\d+ ---\nPOST \/load\/(\d+) HTTP\/1\.1\nHost: x\nContent-Length: \d+\n\n\{\n {2}"number": \1,\n {2}"text": "x*"\n\}\n\nanswered 200 · \d+ B · \S+ m?s\n\n/g
  const screen = catcher.screen()
  const whole = [...screen.matchAll(block)].map((match) => Number(match[1]))
  expect(failed).toBe(0)
  expect(screen.replace(block, '')).toBe('')
  expect(whole.sort((a, b) => a - b)).toEqual(Array.from({ length: most }, (_, i) => i + 1))
  expect(answered.length).toBe(most)
})
