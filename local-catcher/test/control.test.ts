// The control API: what tests in any language ask of a running catcher.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { lacks, launch, post, temporaryFolder, type Launched } from './launch.js'

const recipes = readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8')
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

  it('are those that match a query with a question mark', async () => {
    await post(`${catcher.url}/a?q=x`, '{}')
    expect(await call('GET', '/requests?match=/a%20query.q=x?y')).toMatchObject({ count: 0 })
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
      error: expect.stringMatching(
        /^0 of 1 requests matched [^]*#\d+ POST \/pay: json\.total is 13, not /,
      ),
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
    ['with a parameter twice', 'GET', '/requests?match=/a&match=/b', undefined, TOKEN, 400],
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

/** The code of a recipe in this language. */
const blockOf = (language: string) =>
  new RegExp(`^\\x60{3}${language}\\n([^]*?)^\\x60{3}$`, 'm').exec(recipes)![1]

interface Language {
  readonly name: string
  readonly file: string
  /** The words that make a program of the file, where that is not run as it is. */
  readonly build?: readonly string[]
  readonly run: readonly string[]
  /** Makes a program of the recipe's lines. */
  readonly wrap?: (code: string) => string
}
const LANGUAGES: readonly Language[] = [
  { name: 'python', file: 'ask.py', run: ['python3', 'ask.py'] },
  {
    name: 'java',
    file: 'Ask.java',
    build: ['javac', 'Ask.java'],
    run: ['java', '-Xshare:auto', 'Ask'],
    wrap: (code) => `import java.net.*;
      import java.net.http.*;
      import java.net.http.HttpResponse.BodyHandlers;
      import java.nio.charset.StandardCharsets;
      class Ask { public static void main(String[] arguments) throws Exception { ${code} } }`,
  },
  {
    name: 'go',
    file: 'ask.go',
    build: ['go', 'build', 'ask.go'],
    run: ['./ask'],
    wrap: (code) => `package main
      import ("log"; "net/http"; "net/url"; "os")
      func main() {
      ${code}
      }`,
  },
  { name: 'ruby', file: 'ask.rb', run: ['ruby', 'ask.rb'] },
]

describe('the recipes ask in', () => {
  for (const { name, file, build, run, wrap = String } of LANGUAGES) {
    const [program] = build ?? run
    it.skipIf(lacks(program))(name, async () => {
      const cwd = temporaryFolder()
      const env = {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, no_proxy: '*' },
        LOCAL_CATCHER_CONTROL_URL: control,
        LOCAL_CATCHER_CONTROL_TOKEN: TOKEN,
      }
      /** The exit code of a program of another language. */
      const codeOf = ([command, ...args]: readonly string[]) =>
        new Promise<number | null>((resolve) => {
          spawn(command, args, { cwd, env, stdio: 'ignore' }).on('close', resolve)
        })
      // What has come need not be waited for, and what does not come not for as long.
      writeFileSync(`${cwd}/${file}`, wrap(blockOf(name)).replace('5s', '50ms'))
      if (build) expect(await codeOf(build)).toBe(0)
      await post(`${catcher.url}/pay`, '{"type":"failed","total":12}')
      expect(await codeOf(run)).not.toBe(0)
      await post(`${catcher.url}/pay`, '{"type":"paid","total":12}')
      expect(await codeOf(run)).toBe(0)
    })
  }
})
