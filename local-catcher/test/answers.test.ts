import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launch, post, sendPending, sendRaw, temporaryFolder } from './launch.js'

const folder = temporaryFolder()
const file = join(folder, 'body.json')
writeFileSync(file, '{"from":"file"}')
const rules = join(folder, 'rules.json')
writeFileSync(
  rules,
  JSON.stringify([{ path: '/pay', status: 402, headers: { 'X-Rule': 'a' }, body: 'pay' }]),
)

/** Status, content type and body of the answer to a request. */
async function answerTo(url: string, method = 'POST') {
  const response = await fetch(url, { method, ...(method === 'POST' && { body: 'x' }) })
  return [response.status, response.headers.get('content-type'), await response.text()]
}

const RECEIVED = '{"status":"OK","message":"data received"}\n'
const JSON_TYPE = 'application/json'
const CLOSE = 'Connection: close\r\n'
const TEXT_TYPE = 'text/plain; charset=utf-8'

describe('the answer', () => {
  it.each<[string, string[], string, (string | number | null)[]]>([
    ['says that the data was received', [], 'POST', [200, JSON_TYPE, RECEIVED]],
    ['to HEAD has headers only', [], 'HEAD', [200, JSON_TYPE, '']],
    ['is empty with --no-answer', ['--no-answer'], 'POST', [200, null, '']],
    ['is empty with --answer=false', ['--answer=false'], 'POST', [200, null, '']],
    ['has the status told', ['-s', '418'], 'POST', [418, JSON_TYPE, RECEIVED]],
    ['has no body where the status forbids it', ['-s', '204'], 'POST', [204, null, '']],
    ['has the body told', ['-b', 'hello'], 'POST', [200, TEXT_TYPE, 'hello']],
    ['has the body of a file', ['-b', `@${file}`], 'POST', [200, JSON_TYPE, '{"from":"file"}']],
    ['has the headers told', ['-H', 'Content-Type: a/b', '-b', 'x'], 'POST', [200, 'a/b', 'x']],
    [
      'follows the first rule that matches',
      ['-r', '/x => 404', '-r', '* => 500', '-r', '* => 501'],
      'POST',
      [500, null, ''],
    ],
    [
      'follows a rule for the method',
      ['-r', 'GET * => 500', '-r', 'post /h* => 501'],
      'POST',
      [501, null, ''],
    ],
    [
      'has the JSON written in a rule',
      ['-r', '/h* => body={"ok":true, "list": ["a b"]} 201'],
      'POST',
      [201, JSON_TYPE, '{"ok":true, "list": ["a b"]}'],
    ],
    [
      'has the quotes written in a rule',
      ['-r', '/h* => body="{\\"ok\\": true}"'],
      'POST',
      [200, JSON_TYPE, '{"ok": true}'],
    ],
    [
      'has what only looks like JSON in a rule',
      ['-r', '/h* => body={it}'],
      'POST',
      [200, TEXT_TYPE, '{it}'],
    ],
    [
      'has the body of a rule',
      ['-r', '/h* => 500 body="so {it} goes" header=Content-Type:x/y'],
      'POST',
      [500, 'x/y', 'so {it} goes'],
    ],
  ])('%s', async (_name, args, method, expected) => {
    const catcher = await launch(args)
    expect(await answerTo(`${catcher.url}/hooks/1?q=1`, method)).toEqual(expected)
    await catcher.stop()
  })
})

it('keeps repeated headers and values with colons', async () => {
  const catcher = await launch([
    '-H',
    'Set-Cookie: a=1',
    '-H',
    'Set-Cookie: b=2',
    '-H',
    'X-Url: http://a:1/',
  ])
  const reply = await sendRaw(catcher.port, 'GET / HTTP/1.0\r\n\r\n')
  expect(reply).toContain('\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Url: http://a:1/\r\n')
  await catcher.stop()
})

it('answers the requests of one connection in order, alike whichever way they go out', async () => {
  const catcher = await launch(['-r', '/dated => 200 header=Date:never'])
  const ask = (method: string, path: string, more = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const reply = await sendRaw(
    catcher.port,
    ask('GET', '/') + ask('HEAD', '/') + ask('GET', '/dated') + ask('GET', '/', CLOSE),
  )
  const [kept, head, dated, last] = reply.split(/(?=HTTP\/1\.1 200 OK\r\n)/)
  const headers = (connection: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 42\r\nDate: <date>\r\n${connection}\r\n\r\n`
  const steady = (text = '') => text.replace(/Date: \w{3}, [^\r]*GMT/, 'Date: <date>')
  const keep = 'Connection: keep-alive'
  const [, date = ''] = /^Date: (.*)$/m.exec(kept) ?? []
  expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(60_000)
  expect(steady(kept)).toBe(headers(keep) + RECEIVED)
  expect(steady(head)).toBe(headers(keep))
  expect(dated?.match(/^Date: .*$/gm)).toEqual(['Date: never'])
  expect(steady(last)).toBe(headers('Connection: close') + RECEIVED)
  await catcher.stop()
})

it('fails the first two times, then succeeds', async () => {
  const catcher = await launch(['-r', 'POST /pay => 503 x2'])
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await post(`${catcher.url}/pay`, '')).status)
  expect(statuses).toEqual([503, 503, 200, 200])
  expect((await fetch(`${catcher.url}/pay`)).status).toBe(200)
  await catcher.stop()
})

it.each([
  ['10%', [10, 20]],
  ['0.3', [4, 7, 10, 14, 17, 20]],
  ['0', []],
])('fails an even share of requests: %s', async (rate, expected) => {
  const catcher = await launch(['-r', `* => 500 rate=${rate}`])
  const failed = []
  for (let i = 1; i <= 20; i++) if ((await post(catcher.url, '')).status === 500) failed.push(i)
  await catcher.stop()
  expect(failed).toEqual(expected)
})

it('reads rules from a file, after those of the command line', async () => {
  const catcher = await launch(['--rules', rules, '-r', 'GET /pay => 200 body=free'])
  expect(await answerTo(`${catcher.url}/pay`)).toEqual([402, TEXT_TYPE, 'pay'])
  expect(await answerTo(`${catcher.url}/pay`, 'GET')).toEqual([200, TEXT_TYPE, 'free'])
  await catcher.stop()
})

it('waits as long as told', async () => {
  const catcher = await launch(['-r', '/slow => delay=250ms', '-d', '20ms'])
  const took = async (path: string) => {
    const sent = performance.now()
    expect(await answerTo(catcher.url + path)).toEqual([200, JSON_TYPE, RECEIVED])
    return performance.now() - sent
  }
  // A timer may fire within the millisecond before its time.
  expect(await took('/slow')).toBeGreaterThanOrEqual(249)
  expect(await took('/other')).toBeGreaterThanOrEqual(19)
  const [, shown] = /answered 200 · \d+ B · ([\d.]+) ms/.exec(catcher.screen())!
  expect(Number(shown)).toBeGreaterThanOrEqual(249)
  await catcher.stop()
})

it('notices a sender that leaves before the answer', async () => {
  const catcher = await launch(['-d', '60s'])
  const { leave } = await sendPending(catcher.port, 'x')
  leave()
  await expect
    .poll(catcher.screen)
    .toContain('not answered: the sender left before the answer · 1 B')
  await catcher.stop()
})

describe('a bad day in under 40 characters', () => {
  const message = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx'
  it.each([
    ['reset', '* => fault=reset', /^ECONNRESET$/, 'connection reset by a rule'],
    ['close', '* => fault=close', /^$/, 'connection closed by a rule'],
    [
      'truncate',
      '* => fault=truncate',
      /Content-Length: 42\r\n[^]*\r\n\r\n\{"status":"OK","messa$/,
      'answer cut off by a rule',
    ],
    [
      'truncate',
      '* => 500 body=0123456789 fault=truncate',
      /^HTTP\/1\.1 500 [^]*Length: 10\r\n[^]*\r\n\r\n01234$/,
      'answer cut off by a rule',
    ],
  ])('%s: %s', async (word, rule, reply, shown) => {
    expect(rule.length).toBeLessThanOrEqual(40)
    const catcher = await launch(['-r', rule, '--json'])
    expect(await sendRaw(catcher.port, message)).toMatch(reply)
    expect(JSON.parse(catcher.screen())).toMatchObject({ answer: null, outcome: word })
    await catcher.stop()
    const readable = await launch(['-r', rule])
    await sendRaw(readable.port, message)
    expect(readable.screen()).toContain(`\nnot answered: ${shown} · 1 B`)
    await readable.stop()
  })

  it.each([
    ['to HEAD', 'HEAD', '* => fault=truncate', /^HTTP\/1\.1 200 $/],
    ['with a status that has no body', 'POST', '* => 204 fault=truncate', /^HTTP\/1\.1 204 $/],
  ])('truncate cuts the head of an answer %s', async (_name, method, rule, reply) => {
    const catcher = await launch(['-r', rule])
    expect(await sendRaw(catcher.port, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(reply)
    await catcher.stop()
  })

  it('is not called played where the request could not be recorded', async () => {
    const catcher = await launch(['-r', '* => fault=reset', '-o', '/dev/full'])
    expect(
      await sendRaw(catcher.port, message.replace('x\r\n', 'x\r\nConnection: close\r\n')),
    ).toMatch(/^HTTP\/1\.1 503 /)
    expect(await sendRaw(catcher.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 503 /)
    expect(catcher.screen()).not.toMatch(/as told|answered 400/)
    expect(catcher.screen().match(/^answered 503 · /gm)).toHaveLength(2)
    expect(await catcher.stop()).toBe(1)
  })

  it('hang: the connection stays open and says nothing, until the catcher stops', async () => {
    const catcher = await launch(['-r', '* => fault=hang'])
    let over = false
    const reply = sendRaw(catcher.port, message).finally(() => (over = true))
    await expect.poll(catcher.screen).toContain('\nnot answered: left hanging by a rule')
    expect(over).toBe(false)
    expect(await catcher.stop()).toBe(0)
    expect(await reply).toBe('')
  })
})
