// What a connection does with requests in pieces, in a row, or late, and with answers that are not read.
import { connect, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openCatcher } from '../src/catcher.js'
import { Connection } from '../src/connection.js'
import { startCatcher, type Catcher } from '../src/index.js'
import { TestClock } from './clock.js'
import { acceptedAt, converse as converseWith, launch, post, sendRaw } from './launch.js'

/** Sends pieces one after the other over one connection; gives the replies, once there are `count`. */
const converse = (port: number, pieces: readonly string[], count: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').on('error', reject)
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
      if (reply.split('data received').length <= count) return
      socket.destroy()
      resolve(reply)
    })
    const send = (index: number) => {
      if (index < pieces.length) socket.write(pieces[index], () => setTimeout(send, 20, index + 1))
    }
    send(0)
  })

const head = (path: string, more: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`

describe('a connection', () => {
  it('takes a body in chunks, piece by piece, with what comes after it', async () => {
    await using catcher = await startCatcher()
    const chunks = ['3\r\nabc\r\n', '2\r\nde\r\n', '0\r\nX-Sum: 5\r\n\r\n']
    await converse(catcher.port, [head('/', 'Transfer-Encoding: chunked'), ...chunks], 1)
    expect(catcher.requests[0].text()).toBe('abcde')
    expect(catcher.requests[0].trailers).toEqual([['X-Sum', '5']])
  })

  it('answers requests that are sent together', async () => {
    await using catcher = await startCatcher()
    const all = ['/1', '/2', '/3'].map((path) => head(path, 'Content-Length: 1') + 'x')
    await converse(catcher.port, [all.join('')], 3)
    expect(catcher.requests.map(({ path }) => path)).toEqual(['/1', '/2', '/3'])
  })

  it('goes on with the next request after a large one that was refused', async () => {
    await using catcher = await startCatcher({ rules: [{ path: '/1', status: 500 }] })
    const large = 'x'.repeat(300_000)
    const first = head('/1', `Content-Length: ${large.length}`) + large
    const reply = converse(catcher.port, [first, head('/2', 'Content-Length: 1') + 'y'], 1)
    expect(await reply).toMatch(/^HTTP\/1\.1 500 [^]*HTTP\/1\.1 200 /)
    expect(catcher.requests.map(({ size }) => size)).toEqual([300_000, 1])
  })

  it('asks for a body only after the answer to the request before', async () => {
    const clock = new TestClock()
    const catcher = await launch(['-r', '/1 => delay=1s'], {}, clock)
    const { write, closed } = await converseWith(catcher.port)
    const waiting = 'Content-Length: 1\r\nExpect: 100-continue\r\nConnection: close'
    await write(head('/1', 'Content-Length: 0') + head('/2', waiting))
    await clock.pass(1000)
    await expect.poll(() => catcher.screen()).toContain('POST /1')
    await write('x')
    expect(await closed).toMatch(
      /^HTTP\/1\.1 200 [^]*\nHTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    )
    await catcher.stop()
  })

  it('records no answer to requests of a sender that closed its half before', async () => {
    await using catcher = await startCatcher({ rules: [{ path: '/1', delay: '30s' }] })
    const socket = connect(catcher.port, '127.0.0.1')
    socket.end(head('/1', 'Content-Length: 0') + head('/2', 'Content-Length: 0'))
    await expect
      .poll(() => catcher.requests.map(({ outcome }) => outcome))
      .toEqual(['left', 'left'])
    expect(catcher.requests.map(({ answer }) => answer)).toEqual([null, null])
  })

  it('answers a sender that closed its half', async () => {
    await using catcher = await startCatcher()
    const requests = head('/1', 'Content-Length: 0') + head('/2', 'Content-Length: 0')
    const reply = await sendRaw(catcher.port, requests, true)
    expect(reply.split('HTTP/1.1 200 OK')).toHaveLength(3)
    await expect.poll(() => catcher.requests.map(({ answer }) => answer)).toEqual([200, 200])
  })

  it('records no answer after one that was cut', async () => {
    await using catcher = await startCatcher({ rules: [{ path: '/1', fault: 'truncate' }] })
    const requests = head('/1', 'Content-Length: 0') + head('/2', 'Content-Length: 0')
    const reply = await sendRaw(catcher.port, requests)
    expect(reply.split('HTTP/1.1 200 OK')).toHaveLength(2)
    await expect
      .poll(() => catcher.requests.map(({ outcome }) => outcome))
      .toEqual(['truncate', 'left'])
    expect(catcher.requests[1]).toMatchObject({ path: '/2', answer: null, response: null })
  })

  it('puts a request together from pieces', async () => {
    await using catcher = await startCatcher()
    await converse(catcher.port, ['PO', 'ST / HTT', 'P/1.1\r\nContent-Length: 3\r\n\r\na', 'bc'], 1)
    expect(catcher.requests[0].text()).toBe('abc')
  })

  it('sends an answer to its end when the catcher is closed, also after its delay', async () => {
    const catcher = await startCatcher({ body: 'x'.repeat(8_000_000), delay: 1 })
    const reply = await post(catcher.url, 'x')
    const [text] = await Promise.all([reply.text(), catcher.close()])
    expect(text.length).toBe(8_000_000)
  })

  it('gives up on a body that does not end, and never on a sender that pauses between requests', async () => {
    const clock = new TestClock()
    const patient = await launch([], {}, clock)
    const { write, closed } = await converseWith(patient.port)
    await write(`${head('/whole', 'Content-Length: 1')}x`)
    await clock.pass(86_400_000)
    await write(`${head('/part', 'Content-Length: 3')}ab`)
    await clock.pass(59_999)
    expect(patient.screen()).not.toContain('/part')
    await clock.pass(1)
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 408 /)
    expect(patient.screen()).toContain('incomplete after 2 of 3 bytes: the headers may take 10 s')
    await patient.stop()
  })

  it('reads no more requests from a sender that does not read the answers', async () => {
    await using catcher = await startCatcher({ body: 'x'.repeat(1_000_000), keep: 1 })
    let count = 0
    catcher.subscribe(() => void count++)
    const accepted = acceptedAt(catcher.port)
    const socket = connect(catcher.port, '127.0.0.1').pause()
    socket.on('error', () => {})
    const asked = 300
    // More than is read in one turn of the event loop, about 2 MB, since only an answer makes it stop.
    const body = 'x'.repeat(100_000)
    for (let i = 0; i < asked; i++) socket.write(head('/', 'Content-Length: 100000') + body)
    const receiver = await accepted
    await expect.poll(() => receiver.isPaused()).toBe(true)
    expect(count).toBeLessThan(asked)
    socket.resume()
    await expect.poll(() => count).toBe(asked)
    socket.destroy()
  })

  it('has patience with a request that it does not read yet', async () => {
    const clock = new TestClock()
    const rules = [{ path: '/first', delay: '1h', times: 1 }]
    await using catcher = await openCatcher({ rules }, { clock })
    const { write } = await converseWith(catcher.port)
    const whole = head('/first', 'Content-Length: 0').repeat(100)
    await write(`${whole}${head('/last', 'Content-Length: 3')}ab`)
    await clock.pass(3_599_999)
    expect(catcher.requests).toEqual([])
    await write('c')
    await clock.pass(1)
    await expect.poll(() => catcher.requests.at(-1)?.path).toBe('/last')
    expect(catcher.requests.at(-1)).toMatchObject({ n: 101, outcome: 'answered', size: 3 })
  })

  it('reads no more requests from a sender whose requests have no answers yet', async () => {
    const clock = new TestClock()
    await using catcher = await openCatcher({ rules: [{ delay: '1h', times: 1 }] }, { clock })
    const accepted = acceptedAt(catcher.port)
    const socket = connect(catcher.port, '127.0.0.1').resume()
    const asked = 20_000
    const text = head('/', 'Content-Length: 0').repeat(asked)
    socket.write(text)
    const receiver = await accepted
    await expect.poll(() => receiver.isPaused()).toBe(true)
    expect(receiver.bytesRead).toBeLessThan(text.length / 2)
    await clock.pass(3_600_000)
    await expect.poll(() => catcher.requests.at(-1)?.n).toBe(asked)
    socket.destroy()
  })
})

it('a delay that is over leaves nothing on its connection', async () => {
  const clock = new TestClock()
  const socket = new Socket()
  const connection = new Connection(socket, socket, 0, () => Promise.resolve(), clock)
  const listeners = socket.listenerCount('close')
  await clock.passUntil(connection.delay(5))
  expect([clock.now(), socket.listenerCount('close')]).toEqual([5, listeners])
  connection.cutDelay()
  expect(socket.destroyed).toBe(false)
})

describe('a sender that vanishes', () => {
  const whole = head('/whole', 'Content-Length: 1') + 'x'
  const inChunks = head('/cut', 'Transfer-Encoding: chunked')
  const gone = 'the sender closed the connection'
  /** What it had sent of a request, what is noted as the cause, and what is kept of the body. */
  const PLACES: Readonly<Record<string, readonly [text: string, cause: string, body: string]>> = {
    'in the first line': ['POST /cut HT', gone, ''],
    'after the first line': ['POST /cut HTTP/1.1\r\n', gone, ''],
    'in the headers': ['POST /cut HTTP/1.1\r\nHost: x\r\nX-Hub', gone, ''],
    'after its first byte': ['P', gone, ''],
    'before the body': [head('/cut', 'Content-Length: 5'), 'aborted after 0 of 5 bytes', ''],
    'in the body': [head('/cut', 'Content-Length: 5') + 'ab', 'aborted after 2 of 5 bytes', 'ab'],
    'in the size of a chunk': [`${inChunks}1\r\na\r\n5`, 'aborted after 1 of an unknown', 'a'],
    'in a chunk': [`${inChunks}5\r\nab`, 'aborted after 2 of an unknown', 'ab'],
    'behind a chunk': [`${inChunks}2\r\nab`, 'aborted after 2 of an unknown', 'ab'],
    'in the trailers': [`${inChunks}1\r\na\r\n0\r\nX: `, 'aborted after 1 of an unknown', 'a'],
  }
  const WAYS: Readonly<Record<string, (socket: Socket) => unknown>> = {
    reset: (socket) => socket.resetAndDestroy(),
    close: (socket) => socket.destroy(),
    'close of its half': (socket) => socket.end(),
  }
  const cases = Object.keys(PLACES).flatMap((place) =>
    Object.keys(WAYS).map((way) => [place, way] as const),
  )

  /** Sends text, leaves once it was read, and gives what is noted once the connection is closed. */
  async function vanish(text: string, way: string, catcher: Catcher) {
    const accepted = acceptedAt(catcher.port)
    const socket = connect(catcher.port, '127.0.0.1').on('error', () => {})
    socket.resume().write(text)
    const receiver = await accepted
    await expect.poll(() => receiver.bytesRead).toBe(text.length)
    WAYS[way](socket)
    await expect.poll(() => receiver.closed).toBe(true)
  }

  it.each(cases)('%s, by a %s, is noted after the requests before', async (place, way) => {
    const [text, cause, body] = PLACES[place]
    await using catcher = await startCatcher()
    await vanish(whole + text, way, catcher)
    await expect.poll(() => catcher.requests.length).toBe(2)
    const [before, cut] = catcher.requests
    expect(before).toMatchObject({ path: '/whole', outcome: 'answered', answer: 200 })
    expect(cut).toMatchObject({ outcome: 'aborted', answer: null, complete: false })
    expect(cut.cause).toMatch(new RegExp(`^${cause}`))
    expect(cut.bytes.toString()).toBe(body)
    expect(cut.raw?.toString() ?? null).toBe(cause === gone ? text : null)
  })

  it.each(Object.keys(WAYS))('between requests, by a %s, is none that is noted', async (way) => {
    await using catcher = await startCatcher()
    await vanish(whole, way, catcher)
    await post(catcher.url, 'next')
    expect(catcher.requests.map(({ outcome }) => outcome)).toEqual(['answered', 'answered'])
  })

  it.each(Object.keys(WAYS))('before its answer, by a %s, is noted as left', async (way) => {
    await using catcher = await startCatcher({ delay: '1h' })
    await vanish(whole, way, catcher)
    await expect
      .poll(() => catcher.requests.map(({ outcome, answer }) => [outcome, answer]))
      .toEqual([['left', null]])
  })
})
