import { request as httpRequest } from 'node:http'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacks, launch, post, sendRaw, type Launched } from './launch.js'

let catcher: Launched
beforeAll(async () => {
  catcher = await launch(['--ui', '0'])
  await post(`${catcher.url}/orders?a=1`, '{"id":1.0,"text":"<script>alert(1)</script>"}', {
    'X-Id': "it's",
  })
  await post(`${catcher.url}/binary`, new Uint8Array([0, 1, 255]), {})
})
afterAll(() => catcher.stop())

interface Reply {
  readonly status: number | undefined
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

/** A request with any Host and Origin, which fetch would not send. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(catcher.page + path, { method, headers }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode, headers: incoming.headers, text }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const port = () => new URL(catcher.page).port
const json = { 'Content-Type': 'application/json' }

describe('who may ask', () => {
  it.each<[string, string, string, () => Record<string, string>, number]>([
    ['the page', 'GET', '/', () => ({}), 200],
    ['the page as localhost', 'GET', '/api/requests', () => ({ Host: `localhost:${port()}` }), 200],
    [
      'a name that was rebound',
      'GET',
      '/api/requests',
      () => ({ Host: `evil.example:${port()}` }),
      403,
    ],
    ['another port', 'GET', '/api/requests', () => ({ Host: '127.0.0.1:1' }), 403],
    ['a change without Origin', 'DELETE', '/api/requests', () => json, 403],
    [
      'a change from elsewhere',
      'DELETE',
      '/api/requests',
      () => ({ ...json, Origin: 'http://evil.example' }),
      403,
    ],
    [
      'a change from a sandbox',
      'POST',
      '/api/requests/1/replay',
      () => ({ ...json, Origin: 'null' }),
      403,
    ],
    [
      'a form',
      'POST',
      '/api/requests/1/replay',
      () => ({ Origin: catcher.page, 'Content-Type': 'text/plain' }),
      415,
    ],
    ['nobody: no such thing', 'GET', '/secrets', () => ({}), 404],
  ])('%s', async (_name, method, path, headers, status) => {
    expect((await ask(method, path, headers())).status).toBe(status)
  })

  it('lets the page run its own script and nothing else', async () => {
    const { headers, text } = await ask('GET', '/')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(text).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?:\/\/(?!localhost)/,
    )
  })
})

it('keeps every path of the catcher free for requests', async () => {
  await post(`${catcher.url}/api/requests`, 'caught')
  expect(catcher.screen()).toContain('POST /api/requests HTTP/1.1')
})

it('lists, finds and shows requests', async () => {
  const list = async (search: string) =>
    (
      JSON.parse((await ask('GET', `/api/list?search=${search}`)).text) as {
        requests: { n: number; url: string }[]
      }
    ).requests
  expect((await list('')).map(({ url }) => url).slice(0, 2)).toEqual(['/orders?a=1', '/binary'])
  expect((await list('ALERT')).map(({ n }) => n)).toEqual([1])
  expect((await list("it's")).map(({ n }) => n)).toEqual([1])
  expect(await list('nowhere')).toEqual([])
  const detail = JSON.parse((await ask('GET', '/api/requests/1')).text) as Record<string, unknown>
  expect(detail).toMatchObject({
    method: 'POST',
    answer: 200,
    pretty: '{\n  "id": 1.0,\n  "text": "<script>alert(1)</script>"\n}',
    raw: '{"id":1.0,"text":"<script>alert(1)</script>"}',
  })
  expect(detail.hex).toMatch(/^00000000 {2}7b 22 69 64 /)
})

it('tells of a request as it comes, and of a clearing', async () => {
  const stream = await fetch(`${catcher.page}/api/events`)
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted: RegExp) => {
    while (!wanted.test(text)) text += (await reader.read()).value ?? ''
  }
  await until(/retry/)
  await post(`${catcher.url}/told`, 'x')
  await until(/event: request\ndata: \{"n":\d+,.*"url":"\/told".*\}\n\n/)
  await reader.cancel()
})

it.skipIf(lacks('bash', 'curl'))('gives a curl command that sends the same again', async () => {
  for (const n of [1, 2]) {
    const { curl } = JSON.parse((await ask('GET', `/api/requests/${n}/curl`)).text) as {
      curl: string
    }
    expect(curl.includes('base64')).toBe(n === 2)
    expect(curl).not.toMatch(/-H '(host|content-length|connection)/i)
    const before = catcher.screen().length
    await promisify(execFile)('bash', ['-c', `${curl} -s`])
    const again = catcher.screen().slice(before)
    const first = catcher.screen().split(/^(?=#\d+ )/m)[n - 1]
    const comparable = (block: string) =>
      block
        .split('\n')
        .slice(1, -3)
        .filter((line) => !/^(connection|content-length|host):/i.test(line))
        .sort()
    expect(comparable(again)).toEqual(comparable(first))
  }
})

it('sends a request again, byte for byte, where the person says', async () => {
  const target = await launch(['--json'])
  const replay = (n: number, url: string) =>
    ask(
      'POST',
      `/api/requests/${n}/replay`,
      { ...json, Origin: catcher.page },
      JSON.stringify({ url }),
    )
  expect(JSON.parse((await replay(1, target.url)).text)).toMatchObject({ status: 200 })
  await replay(2, `${target.url}/elsewhere`)
  const [first, second] = target
    .screen()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(first).toMatchObject({
    method: 'POST',
    url: '/orders?a=1',
    body: '{"id":1.0,"text":"<script>alert(1)</script>"}',
  })
  expect(first.headers).toContainEqual(['X-Id', "it's"])
  expect(second).toMatchObject({ url: '/elsewhere', body: 'AAH/', encoding: 'base64' })
  expect((await replay(1, 'file:///etc/passwd')).status).toBe(400)
  expect((await replay(99, target.url)).status).toBe(404)
  await target.stop()
})

it('masks the reply to what it sends again', async () => {
  const own = await launch(['--ui', '0', '--redact', 'token'])
  const target = await launch(['-b', '{"token":"hunter2"}', '-H', 'Set-Cookie: token=hunter2'])
  await post(own.url, '{"a":1}')
  const reply = await fetch(`${own.page}/api/requests/1/replay`, {
    method: 'POST',
    headers: { ...json, Origin: own.page },
    body: JSON.stringify({ url: target.url }),
  })
  const text = await reply.text()
  expect([reply.status, text]).toEqual([200, expect.stringContaining('***')])
  expect(text).not.toContain('hunter2')
  await Promise.all([own.stop(), target.stop()])
})

it('sends nothing again of which it has a part only', async () => {
  const limited = await launch(['--ui', '0', '--max-body', '4'])
  await post(`${limited.url}/long`, '12345')
  await sendRaw(limited.port, 'no HTTP\r\n\r\n')
  for (const n of [1, 2]) {
    const response = await fetch(`${limited.page}/api/requests/${n}/curl`)
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({ error: 'this request was not received whole' })
  }
  await limited.stop()
})

it('says how much of a long body each view leaves out', async () => {
  await post(`${catcher.url}/long`, 'x'.repeat(300_000))
  const { n } = (
    JSON.parse((await ask('GET', '/api/list?search=/long')).text) as { requests: { n: number }[] }
  ).requests[0]
  expect(JSON.parse((await ask('GET', `/api/requests/${n}`)).text)).toMatchObject({
    hidden: 300_000 - 262_144,
    rawHidden: 300_000 - 262_144,
    hexHidden: 300_000 - 65_536,
  })
})

it('forgets on request', async () => {
  expect((await ask('DELETE', '/api/requests', { ...json, Origin: catcher.page })).status).toBe(200)
  expect(JSON.parse((await ask('GET', '/api/list')).text)).toMatchObject({ requests: [] })
})
