/** The port keeps requests while nobody answers behind it, also before the launcher knows that the runtime has died. */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import { connect, createServer as createRawServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { GatheredBodies } from '../../worker/local/host/gathered-bodies.ts'
import { ReaderPool } from '../../worker/local/host/reader-pool.ts'
import { createPlainPort } from '../../worker/local/host/plain-port.ts'
import type { Supervisor } from '../../worker/local/host/supervisor.ts'
import { LateAnswers } from '../../worker/local/late-answers.ts'
import { until } from './until.ts'

let folder = ''
let path = ''
let url = ''
let port: Server
let runtime: Server | null = null

let attempts = 0
let said: string[] = []
/** How long reports waited for their answers, in ms. */
let waits: number[] = []
/** It has not heard of any death yet. */
const UNAWARE: Partial<Supervisor> = {
  isStopping: false,
  whenReady: () => {
    attempts++
    return Promise.resolve(true)
  },
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'front-'))
  path = join(folder, 'runtime')
  attempts = 0
  said = []
  waits = []
  port = createPlainPort({
    runtimes: {
      writer: path,
      supervisor: UNAWARE as Supervisor,
      readerSocket: () => '',
      readers: new ReaderPool({ readers: [], alive: () => Promise.resolve(), patienceMs: 600_000 }),
      timeouts: { QUERY_TIMEOUT: 0, MAX_QUERY_TIMEOUT: 0 },
      bodies: new GatheredBodies(12_000_000),
      late: { note: (ms: number) => void waits.push(ms) } as LateAnswers,
    },
    timings: { idleMs: 600_000, patienceMs: 600_000 },
    onTrouble: (sentence) => said.push(sentence),
  })
  await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(port.address() as AddressInfo).port}`
})
afterEach(async () => {
  port.close()
  runtime?.closeAllConnections()
  runtime?.close()
  await rm(folder, { recursive: true })
})

/** A runtime that answers with what it was sent. */
async function startRuntime(): Promise<void> {
  runtime = createServer((request, response) => void request.pipe(response))
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
}

it.each([
  ['a request without a body', {}, ''],
  ['a command', { method: 'POST', body: 'x'.repeat(200_000) }, 'x'.repeat(200_000)],
])('%s waits for the runtime', async (_, init, body) => {
  const response = fetch(url, { ...init, headers: { connection: 'close' } })
  await until(() => expect(attempts).toBeGreaterThan(1))
  await startRuntime()
  const answer = await response
  expect([answer.status, await answer.text()]).toEqual([200, body])
})

it('measures how long a report waits for its answer, and nothing else', async () => {
  let answer: (() => void) | null = null
  runtime = createServer((request, response) => {
    request.resume()
    const end = (): void => void response.end('ok')
    if (request.url!.startsWith('/pdb/cmd')) answer = end
    else end()
  })
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
  for (const target of ['/pdb/query/v4/nodes', '/pdb/admin/v1/archive'])
    await (await fetch(url + target, { method: 'POST', body: 'x' })).text()
  const report = fetch(`${url}/pdb/cmd/v1?command=store_report`, { method: 'POST', body: 'x' })
  await until(() => expect(answer).not.toBeNull())
  const arrived = performance.now()
  await until(() => expect(performance.now() - arrived).toBeGreaterThan(50))
  expect(waits).toEqual([])
  answer!()
  await (await report).text()
  expect(waits).toEqual([expect.any(Number)])
  expect(waits[0]).toBeGreaterThan(50)
})

it('says that answers are late from a time on, and then once in twelve times that', () => {
  const late = new LateAnswers(5000, (sentence) => said.push(sentence))
  for (const tookMs of [4999, 5000, 17_000]) late.note(tookMs)
  expect(said).toEqual([
    'The runtime (workerd) took 5 s to answer; reports waited. The disk is slow, or the machine is busy.',
  ])
})

it.each([
  ['after the head of an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', 503],
  ['after an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 200],
  ['after the head of an answer without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
])('a runtime that dies %s', async (_, written, status) => {
  const dying = createRawServer((socket) => {
    socket.once('data', () => socket.write(written, () => socket.destroy()))
  })
  await new Promise<void>((resolve) => dying.listen(path, resolve))
  const answer = await fetch(url)
  expect(answer.status).toBe(status)
  await answer.text()
  dying.close()
})

it.each([
  ['GET', 2, 200],
  ['POST', 1, 503],
])('a %s that a dying runtime took is sent %i times', async (method, times, status) => {
  let taken = 0
  const runtimes = createRawServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      if (++taken === 1) socket.destroy()
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  await new Promise<void>((resolve) => runtimes.listen(path, resolve))
  const answer = await fetch(url, { method })
  await answer.text()
  expect([taken, answer.status]).toEqual([times, status])
  runtimes.close()
})

it('a request that ends every runtime is sent twice', async () => {
  let taken = 0
  const runtimes = createRawServer((socket) => {
    socket.once('data', () => {
      taken++
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => runtimes.listen(path, resolve))
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(taken).toBe(2)
  runtimes.close()
})

it('a request behind one whose answer ends the connection to the runtime gets another connection', async () => {
  let connections = 0
  const closing = createRawServer((socket) => {
    const number = ++connections
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nconnection: close\r\nx: ${number}\r\ncontent-length: 0\r\n\r\n`,
      ),
    )
  })
  await new Promise<void>((resolve) => closing.listen(path, resolve))
  const client = connect((port.address() as AddressInfo).port, '127.0.0.1')
  client.write(
    'GET /a HTTP/1.1\r\nhost: x\r\n\r\nGET /b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  )
  let answers = ''
  client.on('data', (piece: Buffer) => (answers += piece.toString()))
  await once(client, 'close')
  expect(answers.match(/^x: \d/gm)).toEqual(['x: 1', 'x: 2'])
  expect(connections).toBe(2)
  closing.close()
})

it('a request after one whose body was refused gets another connection to the runtime, which ends the first without a word', async () => {
  const refusing = createRawServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
      socket.once('data', () => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => refusing.listen(path, resolve))
  for (const target of ['/reports', '/pdb/cmd/v1', '/reports'])
    expect((await fetch(url + target, { method: 'POST', body: 'x' })).status).toBe(400)
  refusing.close()
})

const PIECE = 5000

it('a long answer arrives as it was sent, however slowly clients take it', async () => {
  const numbers = new Uint32Array(5_000_000)
  for (let at = 0; at < numbers.length; at++) numbers[at] = at
  const sent = Buffer.from(numbers.buffer)
  // Short pieces, which the launcher reads on while the client still has to take the ones before.
  runtime = createServer((_, response) => {
    response.setHeader('content-length', sent.length)
    const write = (from: number): void => {
      response.write(sent.subarray(from, from + PIECE))
      if (from + PIECE < sent.length) setImmediate(write, from + PIECE)
      else response.end()
    }
    write(0)
  })
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
  const take = async (pauses: number): Promise<Buffer> => {
    const pieces: Buffer[] = []
    const answer = await new Promise<IncomingMessage>((resolve) => get(url, resolve))
    answer.on('data', (piece: Buffer) => {
      pieces.push(piece)
      if (pieces.length > pauses) return
      answer.pause()
      setTimeout(() => answer.resume(), 200)
    })
    await once(answer, 'end')
    return Buffer.concat(pieces)
  }
  const taken = await Promise.all([take(0), take(1), take(3)])
  expect(taken.map((bytes) => bytes.equals(sent))).toEqual([true, true, true])
})

/** Sends bytes over one connection, and reads until its end. */
async function answersTo(bytes: string | Buffer): Promise<string> {
  const client = connect((port.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.end(bytes)
  let answers = ''
  client.on('data', (piece: Buffer) => (answers += piece.toString()))
  await once(client, 'close')
  return answers
}

it.each([
  ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n', '405 Method Not Allowed'],
  ['a bare line feed', 'GET / HTTP/1.1\r\nhost: a\nx: y\r\n\r\n', '400 Bad Request'],
  ['a bare carriage return', 'GET / HTTP/1.1\r\nhost: a\rx: y\r\n\r\n', '400 Bad Request'],
  [
    'a blank before a colon',
    'GET / HTTP/1.1\r\nhost: a\r\ncontent-length : 1\r\n\r\na',
    '400 Bad Request',
  ],
  ['credentials', 'GET http://a@localhost/ HTTP/1.1\r\nhost: a\r\n\r\n', '400 Bad Request'],
  ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n', '400 Bad Request'],
  ['an invalid host', 'GET / HTTP/1.1\r\nhost: a b\r\n\r\n', '400 Bad Request'],
  ['no path', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n', '400 Bad Request'],
  ['rubbish that ends', 'rubbish', '400 Bad Request'],
  ['half a head', 'GET / HTTP/1.1\r\nhost: a', '400 Bad Request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    '400 Bad Request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    '400 Bad Request',
  ],
  [
    "a length that isn't a number",
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +1\r\n\r\na',
    '400 Bad Request',
  ],
  ['no version', 'GET /\nhost: a\r\n\r\n', '400 Bad Request'],
  ['a tab in the path', 'GET /a\tb HTTP/1.1\r\nhost: a\r\n\r\n', '400 Bad Request'],
  ['the hello of TLS', Buffer.from('16030100050100000100', 'hex'), '400 Bad Request'],
])('the launcher itself refuses %s', async (_, bytes, status) => {
  expect(await answersTo(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`))
  expect(attempts).toBe(0)
})

/** A runtime whose answers are held until they are let go. */
async function startHolding(): Promise<{ readonly asked: string[]; readonly answer: () => void }> {
  const asked: string[] = []
  const held: (() => void)[] = []
  runtime = createServer((request, response) => {
    asked.push(request.url!)
    held.push(() => response.end('ok'))
  })
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
  return { asked, answer: () => held.shift()!() }
}

it('requests that a client sends ahead are passed on one at a time, and read no further', async () => {
  const { asked, answer } = await startHolding()
  const sockets: Socket[] = []
  port.on('connection', (socket) => sockets.push(socket))
  const client = connect((port.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write(
    Array.from({ length: 40_000 }, (_, n) => `GET /${n} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''),
  )
  await until(() => expect(sockets[0]!.isPaused()).toBe(true))
  await until(() => expect(asked).toEqual(['/0']))
  expect(sockets[0]!.bytesRead).toBeLessThan(200_000)
  answer()
  await until(() => expect(asked).toEqual(['/0', '/1']))
  expect(sockets[0]!.bytesRead).toBeLessThan(200_000)
  client.destroy()
})

it('rubbish behind a request gets no answer in its place', async () => {
  const { asked, answer } = await startHolding()
  const answers = answersTo('GET /a HTTP/1.1\r\nhost: x\r\n\r\nrubbish')
  await until(() => expect(asked).toEqual(['/a']))
  answer()
  expect((await answers).match(/HTTP\/1\.1 \d+|ok$/g)).toEqual(['HTTP/1.1 200', 'ok'])
})

it('half a body that ends is refused, and the runtime gets no more of it', async () => {
  let received = ''
  let end: string | null = null
  runtime = createServer((request) => {
    request.on('data', (piece: Buffer) => (received += piece.toString()))
    request.on('error', ({ message }) => (end = message))
  })
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
  const client = connect((port.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  client.on('data', (piece: Buffer) => (answer += piece.toString()))
  client.write('POST /pdb/cmd/v1 HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab')
  await until(() => expect(received).toBe('ab'))
  client.end()
  await once(client, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  await until(() => expect(end).toBe('aborted'))
})

it.each<[string, (byte: string) => string]>([
  ['a method', (byte) => `G${byte}ET / HTTP/1.1\r\nhost: x\r\n`],
  ['a path', (byte) => `GET /a${byte}b HTTP/1.1\r\nhost: x\r\n`],
  ['an address', (byte) => `GET http://a${byte}b/ HTTP/1.1\r\nhost: x\r\n`],
  ['a version', (byte) => `GET / HTTP/1.${byte}1\r\nhost: x\r\n`],
  ['a name', (byte) => `GET / HTTP/1.1\r\nhost: x\r\na${byte}b: c\r\n`],
  ['a value', (byte) => `GET / HTTP/1.1\r\nhost: x\r\na: b${byte}c\r\n`],
])('no byte in %s stops the launcher', async (_, head) => {
  await startRuntime()
  const answers = await Promise.all(
    Array.from({ length: 256 }, (_value, byte) => {
      const text = `${head(String.fromCharCode(byte))}connection: close\r\n\r\n`
      return answersTo(Buffer.from(text, 'latin1'))
    }),
  )
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 (?:200|4\d\d) /)
})

it('clients that speak TLS are one line in the log', async () => {
  for (let n = 0; n < 3; n++) await answersTo(Buffer.from('16030100050100000100', 'hex'))
  expect(said).toEqual([
    'A client at 127.0.0.1 speaks TLS to the port for plain HTTP. Its address needs http://, or the service --tls-cert.',
  ])
})

it.each([
  ['http://localhost:8080/a?b=c', '/a?b=c', 'localhost:8080'],
  ['HTTPS://x.example?b', '/?b', 'x.example'],
  ['http://x.example', '/', 'x.example'],
])('a target in absolute form, %s, is passed on as path and host', async (target, path_, host) => {
  runtime = createServer((asked, answer) => {
    const bodies: Buffer[] = []
    asked.on('data', (piece: Buffer) => bodies.push(piece))
    asked.on('end', () =>
      answer.end(`${asked.url} ${asked.rawHeaders.join(' ')} ${Buffer.concat(bodies).toString()}`),
    )
  })
  await new Promise<void>((resolve) => runtime!.listen(path, resolve))
  const head = `POST ${target} HTTP/1.1\r\nHost: other\r\nx: y\r\ncontent-length: 2\r\nconnection: close\r\n\r\n`
  expect((await answersTo(`${head}ok`)).split('\r\n\r\n')[1]).toContain(
    `${path_} host ${host} x y content-length 2 Connection keep-alive ok`,
  )
})
