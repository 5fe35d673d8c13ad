// Forwarding and replaying send the raw target to the server that was named, whatever the sender or
// the record says. `target` is that server; `other` must hear nothing.
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseRecord, replay, send, startCatcher, type Catcher } from '../src/index.js'
import { finish, launch, sendRaw, sized, temporaryFolder } from './launch.js'

/** Heads of the requests that a server has heard, byte for byte as Latin-1. */
async function startEar(host: string, port = 0, answer = 'HTTP/1.1 204 No Content\r\n') {
  const heads: string[] = []
  const server = createServer((socket) => {
    let head = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      heads.push(head)
      socket.end(`${answer}Connection: close\r\n\r\n`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(port, host, resolve)
  })
  return { heads, server, port: (server.address() as AddressInfo).port }
}
type Ear = Awaited<ReturnType<typeof startEar>>

let target: Ear
let other: Ear
const servers: Server[] = []
let base = ''
beforeAll(async () => {
  target = await startEar('127.0.0.1')
  other = await startEar('127.0.0.1')
  servers.push(target.server, other.server)
  base = `http://127.0.0.1:${target.port}`
})
afterAll(() => servers.forEach((server) => server.close()))
afterEach(() => {
  target.heads.length = 0
  expect(other.heads.splice(0)).toEqual([])
})

/** The request target, and the Host, that the named server has heard last. */
const heard = () => {
  const head = target.heads.at(-1) ?? ''
  return {
    target: /^\S+ (.*) HTTP\/1\.1\r\n/.exec(head)?.[1],
    hosts: Array.from(head.matchAll(/^host: (.*)\r$/gim), ([, host]) => host),
  }
}
const named = () => [`127.0.0.1:${target.port}`]

/** A request line as it is written, with what the named server hears of it; OTHER is the other server. */
const TARGETS: readonly (readonly [what: string, sent: string, heard: string])[] = [
  ['a path', '/hooks/1', '/hooks/1'],
  ['two slashes', '//OTHER/steal?x=1', '//OTHER/steal?x=1'],
  ['two slashes from habit', '//hooks', '//hooks'],
  ['three slashes', '///OTHER/', '///OTHER/'],
  ['backslashes', '/\\OTHER/back\\slash', '/\\OTHER/back\\slash'],
  ['user information', '//me@OTHER/', '//me@OTHER/'],
  ['an at sign', '/@OTHER/', '/@OTHER/'],
  ['a path that ends the port', '/:1@OTHER/', '/:1@OTHER/'],
  ['an address of IPv6', '//[::1]:OTHER/', '//[::1]:OTHER/'],
  ['dots', '/a//b/../c/./d', '/a//b/../c/./d'],
  ['dots in escapes', '/a/%2e%2e/b/%2E./etc', '/a/%2e%2e/b/%2E./etc'],
  ['a quote', "/d?x=O'Brien", "/d?x=O'Brien"],
  ['what URLs escape', '/q{}|^`<>"?a="b"|c<d>{}', '/q{}|^`<>"?a="b"|c<d>{}'],
  ['a fragment', '/x?y#frag', '/x?y#frag'],
  ['question marks', '/x??//OTHER', '/x??//OTHER'],
  ['the absolute form', 'http://OTHER/x?y', '/x?y'],
  ['the absolute form without a path', 'http://OTHER', '/'],
  ['the absolute form with a query alone', 'http://OTHER?x=//y', '/?x=//y'],
  ['the absolute form, raw', "http://a@OTHER//b/../c?d='e'", "//b/../c?d='e'"],
]
/** Targets whose dots lead above their begin, for some server at least. */
const CLIMBING = [
  '/../../etc',
  '/..',
  '/%2e%2e/%2E./etc',
  '/a/../../b',
  '/a//../../b',
  '/..%2fetc',
  '/..\\etc',
  '/..;x=1/etc',
  'http://OTHER/../etc',
  // Go takes a number sign for a part of the path.
  '/a#/../../etc',
]
const spell = (text: string) => text.replaceAll('OTHER', `127.0.0.1:${other.port}`)

describe.each([
  ['', ''],
  ['/', ''],
  ['/api', '/api'],
  ['/api/', '/api'],
])('--forward to a URL with the path "%s"', (path, before) => {
  let catcher: Catcher
  beforeAll(async () => {
    catcher = await startCatcher({ forward: base + path })
  })
  afterAll(() => catcher.close())

  it.each(TARGETS)('passes on %s', async (_what, sent, expected) => {
    const reply = await sendRaw(
      catcher.port,
      `POST ${spell(sent)} HTTP/1.1\r\nHost: ${spell('OTHER')}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    )
    expect(reply).toMatch(/^HTTP\/1\.1 204 /)
    expect(heard()).toEqual({ target: before + spell(expected), hosts: named() })
    expect(catcher.requests.at(-1)?.forward?.url).toBe(base + before + spell(expected))
  })

  it.each(CLIMBING)('does not leave a path that was named: %s', async (sent) => {
    const reply = await sendRaw(
      catcher.port,
      `POST ${spell(sent)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    )
    expect(reply).toMatch(
      before === '' ? /^HTTP\/1\.1 204 / : /^HTTP\/1\.1 502 [^]*lead out of \/api/,
    )
    expect(target.heads).toHaveLength(before === '' ? 1 : 0)
  })

  it('passes on OPTIONS *', async () => {
    await sendRaw(catcher.port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(heard().target).toBe(before === '' ? '*' : '/api/*')
  })

  it('never passes on CONNECT, which asks for a tunnel to another server', async () => {
    const { port } = other
    const reply = await sendRaw(
      catcher.port,
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    expect(reply).toMatch(/^HTTP\/1\.1 502 [^]*forwarding failed: CONNECT asks for a tunnel/)
    expect(target.heads).toEqual([])
  })
})

describe('replay', () => {
  const recordOf = (fields: object) =>
    JSON.stringify({ method: 'POST', headers: [], body: '', ...fields })

  it.each(TARGETS)('sends %s', async (_what, recorded, expected) => {
    const hosts = ['Host', 'host'].map((name) => [name, spell('OTHER')])
    const record = parseRecord(recordOf({ url: spell(recorded), headers: hosts }))
    expect(await replay(record, base)).toMatchObject({ status: 204, url: base + spell(expected) })
    expect(heard()).toEqual({ target: spell(expected), hosts: named() })
  })

  it.each([
    ['a host without slashes', 'OTHER/x', '/OTHER/x'],
    ['user information alone', '@OTHER/x', '/@OTHER/x'],
    ['a port', ':1/x', '/:1/x'],
    ['nothing', '', '/'],
    ['a query', '?a', '/?a'],
  ])('sends a record written by hand with %s', async (_what, recorded, expected) => {
    await replay(parseRecord(recordOf({ url: spell(recorded) })), base)
    expect(heard()).toEqual({ target: spell(expected), hosts: named() })
  })

  it.each([
    ['a line end', { url: '/x HTTP/1.1\r\nHost: evil\r\n\r\n' }, /unescaped characters/],
    ['a blank', { url: '/x y' }, /unescaped characters/],
    ['a character beyond Latin-1', { url: '/→' }, /unescaped characters/],
    [
      'a line end in a header',
      { url: '/', headers: [['A', 'b\r\nHost: evil']] },
      /Invalid character/,
    ],
    [
      'a line end in the method',
      { url: '/', method: 'GET / HTTP/1.1\r\nA: b' },
      /valid HTTP token/,
    ],
    ['CONNECT', { url: 'OTHER', method: 'CONNECT' }, /CONNECT asks for a tunnel/],
  ])('sends nothing of a record with %s', async (_what, fields, reason) => {
    const record = parseRecord(spell(recordOf(fields)))
    expect((await replay(record, base)).error).toMatch(reason)
    expect(target.heads).toEqual([])
  })

  it.each([
    ['method', { method: 5 }],
    ['url', { url: { host: 'evil' } }],
  ])('refuses a record whose %s is no string', (name, fields) => {
    expect(() => parseRecord(recordOf(fields))).toThrow(`"${name}" is not a string`)
  })

  it('says in the command where it sends to', async () => {
    const file = join(temporaryFolder(), 'hooks.jsonl')
    writeFileSync(file, recordOf({ url: spell('//OTHER/steal?x=1') }))
    const { screen } = await finish(['replay', file, '--to', base])
    expect(screen).toContain(spell(`POST ${base}//OTHER/steal?x=1 → 204`))
    expect(heard()).toEqual({ target: spell('//OTHER/steal?x=1'), hosts: named() })
  })

  it('sends to exactly the URL that has a path', async () => {
    await replay(parseRecord(recordOf({ url: spell('//OTHER/x') })), `${base}/only?here=1`)
    expect(heard()).toEqual({ target: '/only?here=1', hosts: named() })
  })
})

it.each(['forward', 'typed'])('the page replays to the server that is %s', async (how) => {
  const catcher = await launch(['--ui', '0', ...(how === 'forward' ? ['-f', `${base}/api`] : [])])
  await sendRaw(
    catcher.port,
    `POST ${spell('//OTHER/x')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  )
  target.heads.length = 0
  const response = await fetch(`${catcher.page}/api/requests/1/replay`, {
    method: 'POST',
    headers: { Origin: catcher.page, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: base }),
  })
  expect(await response.json()).toMatchObject({ status: 204 })
  const before = how === 'forward' ? '/api' : ''
  expect(heard()).toEqual({ target: spell(`${before}//OTHER/x`), hosts: named() })
  await catcher.stop()
})

it('follows no redirect of the target', async () => {
  const location = `http://127.0.0.1:${other.port}/`
  const redirecting = await startEar('127.0.0.1', 0, `HTTP/1.1 307 Go\r\nLocation: ${location}\r\n`)
  servers.push(redirecting.server)
  const url = `http://127.0.0.1:${redirecting.port}`
  await using catcher = await startCatcher({ forward: url })
  const reply = await fetch(catcher.url, { redirect: 'manual' })
  expect([reply.status, reply.headers.get('location')]).toEqual([307, location])
  expect(await send(url)).toMatchObject({ status: 307 })
  expect(redirecting.heads).toHaveLength(2)
})

it('sends to an address of IPv6', async () => {
  const ear = await startEar('::1')
  servers.push(ear.server)
  const url = `http://[::1]:${ear.port}`
  expect(await send(`${url}/x`)).toMatchObject({ status: 204, url: `${url}/x` })
  expect(ear.heads[0]).toMatch(/^POST \/x HTTP\/1\.1\r\nHost: \[::1\]:\d+\r\n/)
})

it.each([
  ['--forward', ['-f', 'http://me:secret@127.0.0.1:1']],
  ['--to', ['replay', 'x.jsonl', '--to', 'http://me:secret@127.0.0.1:1']],
  ['a URL', ['send', 'http://me@127.0.0.1:1']],
])('refuses user information in %s, which would not be sent', async (_what, args) => {
  const { code, talk } = await finish(args)
  expect(code).toBe(2)
  expect(talk).toContain('a URL without user name and password: send them in a header')
  expect(talk).not.toContain('secret')
})

it('refuses a query in --forward, where the sender has its own', async () => {
  const { code, talk } = await finish(['-f', 'http://127.0.0.1:1/x?key=1'])
  expect(code).toBe(2)
  expect(talk).toContain('--forward takes no query')
})

/** Request targets that are made to lead elsewhere; those that a parser of HTTP takes, and others. */
const hostile = (other: number) => {
  const authority = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '127.1',
    '',
  ].flatMap((name) => [`${name}:${other}`, `me@${name}:${other}`, `a:b@${name}:${other}`])
  const piece = fc.oneof(
    fc.constantFrom('/', '//', '\\', '\\\\', '/\\', '..', '.', '%2f', '%5c', '%2e%2e', '%00'),
    fc.constantFrom('@', ':', '?', '#', ';', '&', '=', '*', '|', "'", '"', '<', '[', ']', '{', '^'),
    fc.constantFrom('http:', 'https:', 'HTTP://', 'file:', 'ws://', 'javascript:'),
    fc.constantFrom(...authority),
    fc.stringMatching(/^[!-~]{1,6}$/),
  )
  return fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
}

it('sends nothing to another server, whatever the target', async () => {
  await using catcher = await startCatcher({ forward: `${base}/api`, keep: 10 })
  const { port } = other
  let passedOn = 0
  let replayed = 0
  const check = async (text: string, start: string) => {
    const url = start + text
    const head = `POST ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    target.heads.length = 0
    const reply = await sendRaw(catcher.port, head)
    // Only a parser of HTTP decides what is a target; those that begin with a slash are, whole.
    if (reply.includes('lead out of /api')) expect(target.heads).toEqual([])
    else if (!reply.startsWith('HTTP/1.1 400 ')) {
      passedOn++
      expect(heard().hosts).toEqual(named())
      if (start === '/') expect(heard().target).toBe(`/api${url}`)
      else expect(heard().target).toMatch(/^\/api[/]/)
    }
    for (const to of [base, `${base}/api/once`]) {
      target.heads.length = 0
      const headers = [['Host', `127.0.0.1:${port}`]]
      const record = parseRecord(JSON.stringify({ method: 'POST', url, headers, body: 'x' }))
      await replay(record, to)
      replayed++
      expect(heard().hosts).toEqual(named())
      if (to !== base) expect(heard().target).toBe('/api/once')
      else if (start === '/') expect(heard().target).toBe(url)
    }
    expect(other.heads).toEqual([])
  }
  const starts = fc.constantFrom('/', '/', '/', '', 'http://', `http://127.0.0.1:${port}`)
  const property = fc.asyncProperty(hostile(port), starts, check)
  await fc.assert(property, { numRuns: sized(300, 5000) })
  expect(passedOn).toBeGreaterThan(sized(100, 2000))
  expect(replayed).toBeGreaterThanOrEqual(sized(600, 10_000))
}, 600_000)
