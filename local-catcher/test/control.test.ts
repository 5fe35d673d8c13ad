// The control API: what tests in any language ask of a running catcher.
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { finish, lacks, launch, post, temporaryFolder, type Launched } from './launch.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const TOKEN = 'the-token'

let catcher: Launched
let control = ''
beforeAll(async () => {
  const flags = ['--control', '-r', '/start => 418']
  catcher = await launch(flags, { LOCAL_CATCHER_CONTROL_TOKEN: TOKEN })
  control = /control on (\S+), with the token the-token\n/.exec(catcher.talk())![1]
})
afterAll(() => catcher.stop())

const call = async (method: string, path: string, body?: unknown, token = TOKEN) => {
  const reply = await fetch(control + path, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await reply.json()) as { count?: number; requests?: object[]; error?: string }
  return { status: reply.status, ...answer }
}
const get = (query: Record<string, string> = {}) =>
  call('GET', `/requests?${new URLSearchParams(query).toString()}`)
const statusOf = async (path: string) => (await post(catcher.url + path, '{}')).status
beforeEach(() => call('POST', '/reset'))

describe('requests', () => {
  it('are given as records, with their count', async () => {
    await post(`${catcher.url}/a`, '{"type":"paid","id":9007199254740993}')
    await post(`${catcher.url}/b`, Buffer.from([255]))
    const { status, count, requests } = await get()
    expect([status, count]).toEqual([200, 2])
    const [first, second] = requests!.map((each) => parseRecord(JSON.stringify(each)))
    expect([first.url, first.bytes.toString()]).toEqual([
      '/a',
      '{"type":"paid","id":9007199254740993}',
    ])
    expect(second.bytes).toEqual(Buffer.from([255]))
  })

  it('are those that match', async () => {
    await post(`${catcher.url}/a`, '{"type":"paid"}')
    await post(`${catcher.url}/a`, '{"type":"failed"}')
    expect(await get({ match: 'POST /a json.type=paid' })).toMatchObject({ count: 1 })
    expect(await get({ match: '/b' })).toMatchObject({ count: 0, requests: [] })
  })

  it('are waited for, whether they came before or not', async () => {
    const waiting = get({ match: '/later', wait: '30s', count: '2' })
    await statusOf('/other')
    await statusOf('/later')
    await statusOf('/later')
    expect(await waiting).toMatchObject({ status: 200, count: 2 })
    expect(await get({ match: '/later', wait: '30s' })).toMatchObject({ status: 200, count: 2 })
  })

  it('that do not come in time are 404, with what came instead', async () => {
    await post(`${catcher.url}/pay`, '{"total":13}')
    expect(await get({ match: '/pay json.total=12', wait: '1ms' })).toEqual({
      status: 404,
      error: expect.stringMatching(/^0 of 1 requests matched [^]*because json\.total is 13, not /),
    })
  })

  it('are forgotten', async () => {
    await statusOf('/a')
    expect(await call('DELETE', '/requests')).toEqual({ status: 200 })
    expect(await get()).toMatchObject({ count: 0 })
  })
})

describe('rules', () => {
  it('answer in their order, before those of the start, until the next ones', async () => {
    expect(await statusOf('/start')).toBe(418)
    await call('PUT', '/rules', [
      { path: '/start', status: 503, times: 1 },
      { path: '/start', status: 500, times: 1 },
    ])
    expect([await statusOf('/start'), await statusOf('/start'), await statusOf('/start')]).toEqual([
      503, 500, 418,
    ])
    await call('PUT', '/rules', [{ path: '/start', status: 201 }])
    await call('PUT', '/rules', [{ path: '/other', status: 202 }])
    expect([await statusOf('/start'), await statusOf('/other')]).toEqual([418, 202])
    await call('POST', '/reset')
    expect(await statusOf('/other')).toBe(200)
  })

  it('are taken all or none', async () => {
    await call('PUT', '/rules', [{ path: '/a', status: 201 }])
    expect(await call('PUT', '/rules', [{ path: '/b', status: 202 }, { stauts: 500 }])).toEqual({
      status: 400,
      error: "a rule has no 'stauts': did you mean 'status'?",
    })
    expect([await statusOf('/a'), await statusOf('/b')]).toEqual([201, 200])
  })
})

describe('a call is refused', () => {
  it.each([
    ['with another token', 'GET', '/requests', undefined, 'other', 401],
    ['without a token', 'GET', '/requests', undefined, '', 401],
    ['with another token, that changes', 'DELETE', '/requests', undefined, 'other', 401],
    ['to nothing', 'GET', '/nothing', undefined, TOKEN, 404],
    ['with an unknown parameter', 'GET', '/requests?mach=/a', undefined, TOKEN, 400],
    ['with a wrong match', 'GET', '/requests?match=a/b', undefined, TOKEN, 400],
    ['with a wrong time', 'GET', '/requests?wait=5', undefined, TOKEN, 400],
    ['with a count and no time', 'GET', '/requests?count=5', undefined, TOKEN, 400],
    ['with rules that are no list', 'PUT', '/rules', {}, TOKEN, 400],
    ['without rules', 'PUT', '/rules', undefined, TOKEN, 400],
  ])('%s', async (_what, method, path, body, token, status) => {
    const reply = await call(method, path, body, token)
    expect(reply).toEqual({ status, error: expect.stringMatching(/./) })
  })

  it('under another name of the machine', async () => {
    const reply = await new Promise<number | undefined>((resolve) => {
      const headers = { Host: 'evil.example', Authorization: `Bearer ${TOKEN}` }
      httpRequest(`${control}/requests`, { headers }, ({ statusCode }) => resolve(statusCode)).end()
    })
    expect(reply).toBe(403)
  })

  it('for the page, which --ui serves', async () => {
    const reply = await fetch(new URL('/', control), {
      headers: { Authorization: `Bearer ${TOKEN}` },
    })
    expect(reply.status).toBe(404)
  })
})

/** The code of a README block in this language. */
const blockOf = (language: string) =>
  new RegExp(`^\\x60{3}${language}\\n([^]*?)^\\x60{3}$`, 'm').exec(readme)![1]
const SENT = '{"type":"paid","total":12}'

interface Language {
  readonly program: string
  readonly name: string
  readonly file: string
  readonly flags?: readonly string[]
  /** Makes a program of the lines in the README. */
  readonly wrap?: (code: string) => string
}
const LANGUAGES: readonly Language[] = [
  { program: 'python3', name: 'python', file: 'ask.py' },
  {
    program: 'java',
    name: 'java',
    file: 'Ask.java',
    wrap: (code) => `import java.net.*;
      import java.net.http.*;
      import java.net.http.HttpResponse.BodyHandlers;
      import java.nio.charset.StandardCharsets;
      class Ask { public static void main(String[] arguments) throws Exception { ${code} } }`,
  },
  {
    program: 'go',
    name: 'go',
    file: 'ask.go',
    flags: ['run'],
    wrap: (code) => `package main
      import ("log"; "net/http"; "net/url"; "os")
      func main() {
      ${code}
      }`,
  },
  { program: 'ruby', name: 'ruby', file: 'ask.rb' },
]

describe('the README asks in', () => {
  for (const { program, name, file, flags = [], wrap = String } of LANGUAGES) {
    it.skipIf(lacks(program))(name, async () => {
      const script = `${temporaryFolder()}/${file}`
      writeFileSync(script, wrap(blockOf(name)))
      const code = async (body: string) => {
        const sending = `fetch(process.env.LOCAL_CATCHER_URL+'/pay',{method:'POST',body:'${body}'})`
        const asking = `require('child_process').spawnSync(process.argv[1],process.argv.slice(2),{stdio:'ignore'})`
        const both = `${sending}.then(()=>process.exit(${asking}.status))`
        const command = [process.execPath, '-e', both, program, ...flags, script]
        const environment = { HOME: process.env.HOME ?? '', no_proxy: '*' }
        return (await finish(['-p', '0', '--control', '--', ...command], environment)).code
      }
      expect(await code(SENT)).toBe(0)
      expect(await code(SENT.replace('paid', 'failed'))).not.toBe(0)
    })
  }
})
