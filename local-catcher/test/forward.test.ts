import { createServer, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isRebound } from '../src/address.js'
import { launch, post, sendRaw, type Launched } from './launch.js'

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: string[]
  readonly body: string
}

const seen: Seen[] = []
const target = createServer(async (incoming: IncomingMessage, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const { method, url, rawHeaders } = incoming
  seen.push({ method, url, headers: rawHeaders, body: Buffer.concat(chunks).toString('latin1') })
  response.writeHead(201, ['Content-Type', 'application/json', 'X-Twice', '1', 'X-Twice', '2'])
  response.end('{"made":"yes"}')
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(target.address() as { port: number }).port}`
})
afterAll(() => target.close())

it('passes on the request as it came, and gives the sender the reply', async () => {
  const catcher = await launch(['--forward', `${address}/base/`])
  const head =
    'PUT /hook?q=%20 HTTP/1.1\r\nHost: me\r\nX-b: 1\r\nx-A: 2\r\nX-b: 3\r\nConnection: close, X-Private\r\nX-Private: p'
  const reply = await sendRaw(
    catcher.port,
    Buffer.from(`${head}\r\nContent-Length: 3\r\n\r\n\xff\x00a`, 'latin1'),
  )
  expect(reply).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
  expect(reply).toMatch(/X-Twice: 1\r\nX-Twice: 2\r\n[^]*\r\n\r\n\{"made":"yes"\}$/)
  const { headers, ...rest } = seen.at(-1)!
  expect(rest).toEqual({ method: 'PUT', url: '/base/hook?q=%20', body: '\xff\x00a' })
  const pairs = Array.from(
    { length: headers.length / 2 },
    (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}`,
  )
  expect(pairs).toEqual([
    `Host: ${address.slice(7)}`,
    'X-b: 1',
    'x-A: 2',
    'X-b: 3',
    'X-Local-Catcher-Hop: 1',
    'Content-Length: 3',
    'Connection: close',
  ])
  expect(catcher.screen()).toMatch(
    /\nforwarded to http:\S+\/base\/hook\?q=%20\nreplied 201 Created · application\/json · 14 B · \S+ m?s\n {2}\{\n {4}"made": "yes"\n {2}\}\nanswered 201 /,
  )
  await catcher.stop()
})

it.each([
  ['with a bare line end', 'X-A: a\rSet-Cookie: evil=1'],
  ['with a folded line', 'X-A: a\r\n Set-Cookie: evil=1'],
  ['with a control character', 'X-A: \x1b[31m'],
  ['with a NUL', 'X-A: a\0b'],
  ['without a name', ': evil'],
])(
  'answers 502 where the reply has a header %s, and passes none of it on',
  async (_name, header) => {
    const hostile = createTcpServer((socket) => {
      const head = `HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: 2\r\n\r\n`
      socket.once('data', () => socket.end(`${head}ok`)).on('error', () => {})
    })
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    const { port } = hostile.address() as { port: number }
    const catcher = await launch(['--forward', `http://127.0.0.1:${port}`])
    const reply = await sendRaw(catcher.port, 'GET / HTTP/1.0\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[^]*\r\n\r\nforwarding failed: /)
    expect(reply).not.toMatch(/evil|X-A/)
    // It is still there for the next one.
    expect(await sendRaw(catcher.port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 502/)
    expect(await catcher.stop()).toBe(0)
    hostile.close()
  },
)

it.each([
  ['with the length of its body', 'POST', 'Content-Length: 4\r\n\r\nmade', '4', 'made'],
  ['in chunks', 'POST', 'Transfer-Encoding: chunked\r\n\r\n4\r\nmade\r\n0\r\n\r\n', '4', 'made'],
  ['without a body', 'POST', 'Content-Length: 0\r\n\r\n', '0', ''],
  ['to HEAD, with a length and no body', 'HEAD', 'Content-Length: 7\r\n\r\n', '7', ''],
  ['to HEAD, without a length', 'HEAD', 'X-A: 1\r\n\r\n', '0', ''],
])('passes on a reply %s', async (_name, method, rest, length, body) => {
  const target = createTcpServer((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n${rest}`))
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as { port: number }
  const catcher = await launch(['--forward', `http://127.0.0.1:${port}`])
  const reply = await fetch(catcher.url, { method })
  expect([reply.headers.get('content-length'), await reply.text()]).toEqual([length, body])
  await catcher.stop()
  target.close()
})

it('answers 502 to a reply that is larger than --max-body, instead of its beginning', async () => {
  let reply = ''
  const target = createServer((_, response) => {
    for (const character of reply) response.write(character)
    response.end()
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as { port: number }
  const catcher = await launch(['-f', `http://127.0.0.1:${port}`, '--max-body', '8', '--json'])
  const answers = []
  for (reply of ['8 bytes.', '9 bytes..']) {
    const answer = await post(catcher.url, 'x')
    answers.push([answer.status, await answer.text()])
  }
  expect(answers).toEqual([
    [200, '8 bytes.'],
    [502, 'the reply of the target is larger than 8 B\n'],
  ])
  const records = catcher.screen().trimEnd().split('\n')
  expect(records.map((line) => JSON.parse(line) as object)).toMatchObject([
    { answer: 200, forward: { truncated: false, body: '8 bytes.' } },
    { answer: 502, cause: answers[1][1].toString().trimEnd(), forward: { truncated: true } },
  ])
  await catcher.stop()
  target.close()
})

it('answers 502 when the target is down, says why, and keeps the request', async () => {
  const catcher = await launch(['-f', 'http://127.0.0.1:9', '--json'])
  expect((await post(catcher.url, 'kept')).status).toBe(502)
  expect(JSON.parse(catcher.screen())).toMatchObject({
    body: 'kept',
    answer: 502,
    forward: { status: 502, error: 'nothing listens on 127.0.0.1:9' },
  })
  await catcher.stop()
  const shown = await launch(['-f', 'http://127.0.0.1:9'])
  await post(`${shown.url}/x`, 'forwarding to http')
  expect(shown.screen()).toContain(
    '\nforwarding to http://127.0.0.1:9/x failed: nothing listens on 127.0.0.1:9\n',
  )
  expect(shown.screen()).toContain('\n forwarding to http\n')
  await shown.stop()
})

it.each([
  [
    'switches protocols',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    'closed the connection without a reply',
  ],
  ['replies with no final status', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n', 'the status 99'],
  ['does not speak HTTP', 'hello\r\n\r\n', 'Parse Error'],
])('answers 502 to a target that %s', async (_what, text, reason) => {
  const target = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(text))
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as { port: number }
  const catcher = await launch(['-f', `http://127.0.0.1:${port}`])
  const reply = await post(catcher.url, 'x')
  expect(reply.status).toBe(502)
  expect(await reply.text()).toMatch(new RegExp(`^forwarding failed: .*${reason}`))
  await catcher.stop()
  target.close()
})

it('lets a rule go before the target', async () => {
  const catcher = await launch(['-f', address, '-r', '* => 503 x1', '-r', '* => delay=20ms'])
  const before = seen.length
  expect((await post(catcher.url, 'a')).status).toBe(503)
  expect(seen.length).toBe(before)
  expect((await post(catcher.url, 'b')).status).toBe(201)
  await catcher.stop()
})

it.each<[host: string, status: number]>([
  ['evil.example:PORT', 421],
  ['EVIL.EXAMPLE.:PORT', 421],
  ['7f000001.rbndr.example:PORT', 421],
  // What senders on this machine, in containers and behind tunnels write.
  ['127.0.0.1:PORT', 201],
  ['[::1]:PORT', 201],
  ['localhost:PORT', 201],
  ['app.localhost:PORT', 201],
  ['catcher:PORT', 201],
  ['host.docker.internal:PORT', 201],
  ['a-b.trycloudflare.com', 201],
  ['tunnel.example:443', 201],
])('passes nothing on from a page whose name was made to lead here: %s', async (host, status) => {
  const catcher = await launch(['-f', address])
  const before = seen.length
  const head = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const reply = await sendRaw(catcher.port, head.replace('PORT', String(catcher.port)))
  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(seen.length - before).toBe(status === 421 ? 0 : 1)
  await catcher.stop()
})

it.each<[host: string, port: number, isOurs: boolean]>([
  ['evil.example', 80, true],
  ['evil.example', 443, true],
  ['evil.example:443', 80, false],
  ['evil.example', 8080, false],
  ['catcher', 80, false],
  ['app.localhost', 80, false],
])('knows the name of a page on a port that browsers leave out: %s on %i', (host, port, isOurs) => {
  expect(isRebound(host, port)).toBe(isOurs)
})

it('breaks a loop of a catcher that forwards to itself', async () => {
  const probe = await launch()
  await probe.stop()
  const catcher = await launch(['-p', String(probe.port), '-f', `${probe.url}/x`])
  expect((await post(catcher.url, 'round')).status).toBe(508)
  await catcher.stop()
})

it('breaks a loop of two catchers', async () => {
  let first: Launched | null = null
  // The address of one has to be known to the other before it has one.
  const between = createTcpServer((socket) => {
    const onward = connect(first!.port, '127.0.0.1').on('error', () => {})
    socket
      .on('error', () => {})
      .pipe(onward)
      .pipe(socket)
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  const { port } = between.address() as { port: number }
  const second = await launch(['-f', `http://127.0.0.1:${port}`])
  first = await launch(['-f', second.url])
  for (const { url } of [first, second]) {
    const reply = await post(url, 'round')
    expect(reply.status).toBe(508)
    expect(await reply.text()).toContain('a loop')
  }
  await Promise.all([second.stop(), first.stop()])
  between.close()
})
