/** `npm start` from outside: command line in, terminal and HTTP out. */

import { watch } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from './kill/service.ts'
import { tokenLine } from '../token-line.ts'
import { npmStart } from './npm-start.ts'

let folder = ''
const inFolder = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function nodesAt(url: string): Promise<unknown[]> {
  const response = await fetch(`${url}/query/v4/nodes`)
  return response.json<unknown[]>()
}

/** As a client is answered who calls the service by that name; `fetch` takes no `Host`. */
const statusOf = (url: string, host: string, body?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { host, 'content-type': 'application/json' }
    const outgoing = request(url, { method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    outgoing.on('error', reject).end(body)
  })

const LINE = `me read ${'0'.repeat(64)}`
const LIST_OF_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

const WAITING = { timeout: 60_000, interval: 5 }

/** Until there is one, by when most of the sample fleet is not in yet. */
const firstReportAt = (url: string): Promise<void> =>
  vi.waitFor(async () => {
    const response = await fetch(`${url}/query/v4/reports?limit=1&query=["extract","hash"]`)
    expect(await response.json()).toHaveLength(1)
  }, WAITING)

describe('the service', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'puts a sample fleet into an empty database, ends cleanly on %s, and keeps its data',
    async (signal) => {
      const words = ['--port', '0', '--data', inFolder(signal)]
      const first = npmStart(words)
      expect(await nodesAt(await first.ready)).toHaveLength(12)
      const { code, output } = await first.stop(signal)
      expect(code).toBe(0)
      expect(output).toContain('with a sample fleet of 12 nodes')
      expect(output).toMatch(/"message":"stopped"}\n$/)
      expect(await readdir(inFolder(signal))).not.toContain('service.pid')

      const second = npmStart(words)
      expect(await nodesAt(await second.ready)).toHaveLength(12)
      expect((await second.stop(signal)).output).not.toContain('sample fleet')
    },
  )

  it('is open under names of this machine, but not under a foreign name that resolves to it', async () => {
    const service = npmStart(['--port', '0', '--data', inFolder('names'), '--empty'])
    const url = await service.ready
    const { port } = new URL(url)
    const names = ['localhost', '127.0.0.1', '[::1]', 'rebound.example', '127.0.0.1.example']
    const statuses = await Promise.all(
      names.map((name) => statusOf(`${url}/query/v4/nodes`, `${name}:${port}`)),
    )
    const byMcp = await Promise.all(
      names.map((name) => statusOf(`${url}/mcp`, `${name}:${port}`, LIST_OF_TOOLS)),
    )
    await service.stop('SIGINT')
    expect(statuses).toEqual([200, 200, 200, 403, 403])
    expect(byMcp).toEqual([200, 200, 200, 403, 403])
  })

  it('ends on a signal while it loads the sample fleet', async () => {
    const port = await freePort()
    const data = inFolder('broken-off')
    const service = npmStart(['--port', String(port), '--data', data])
    await firstReportAt(`http://127.0.0.1:${port}`)
    const { code, output } = await service.stop('SIGINT')
    expect(code).toBe(0)
    const messages = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).message)
    expect(messages).toEqual(['stopped'])
    expect(await readdir(data)).not.toContain('service.pid')
  })

  it('releases the folder when a signal ends it before it is ready', async () => {
    const data = inFolder('early')
    const service = npmStart(['--port', '0', '--data', data])
    const lock = join(data, 'service.pid')
    await vi.waitFor(async () => expect(await readFile(lock, 'utf8')).not.toBe(''), WAITING)
    expect(await service.stop('SIGINT')).toEqual({ code: 130, output: '' })
    expect(await readdir(data)).not.toContain('service.pid')
  })

  it.each([
    ['an empty folder', null],
    ['a folder that a killed service has left', '999999'],
  ])(
    'is the only one to start of three started at once on %s',
    async (_, lock) => {
      const folder = await mkdtemp(inFolder('race-'))
      if (lock !== null) await writeFile(join(folder, 'service.pid'), lock)
      const services = Array.from({ length: 3 }, () =>
        npmStart(['--port', '0', '--data', folder, '--empty']),
      )
      const outcomes = await Promise.all(
        services.map(({ ready, ended }) =>
          Promise.race([ready.then(() => 'runs'), ended.then(({ code }) => code)]),
        ),
      )
      expect(outcomes.map(String).sort()).toEqual(['4', '4', 'runs'])
      await Promise.all(services.map(({ stop }) => stop('SIGINT')))
      expect(await readdir(folder)).not.toContain('service.pid')
    },
    180_000,
  )

  it('waits as long as another process takes over the lock of a killed service', async () => {
    const folder = await mkdtemp(inFolder('slow-'))
    const lock = join(folder, 'service.pid')
    await writeFile(lock, '999999')
    await writeFile(`${lock}.takeover`, String(process.pid))
    const watcher = watch(folder)
    const { ended } = npmStart(['--port', '0', '--data', folder, '--empty'])
    // It tries to take the lock over, or pushes the other aside.
    await new Promise((resolve) => watcher.once('change', resolve))
    watcher.close()
    await sleep(1000)
    await writeFile(lock, String(process.pid))
    await rm(`${lock}.takeover`, { recursive: true, force: true })
    const { code, output } = await ended
    expect(output).toContain(`is in use by another service (process ${process.pid})`)
    expect(code).toBe(4)
  })

  it('ends where another process takes over the lock, and does not finish', async () => {
    const folder = await mkdtemp(inFolder('stuck-'))
    const lock = join(folder, 'service.pid')
    await writeFile(lock, '999999')
    await writeFile(`${lock}.takeover`, String(process.pid))
    const { code, output } = await npmStart(['--port', '0', '--data', folder, '--empty']).ended
    expect(output).toContain(`is in use by another service (process ${process.pid})`)
    expect(code).toBe(4)
  })

  it('starts although a killed service had a process id that another program has now', async () => {
    const folder = await mkdtemp(inFolder('reused-'))
    const lock = join(folder, 'service.pid')
    const killed = npmStart(['--port', '0', '--data', folder, '--empty'])
    await killed.ready
    const left = await readFile(lock, 'utf8')
    await killed.stop('SIGKILL')
    await writeFile(lock, left.replace(String(killed.pid), '1'))
    const service = npmStart(['--port', '0', '--data', folder, '--empty'])
    await service.ready
    await service.stop('SIGINT')
    expect((await readdir(folder)).filter((name) => /lock|pid/.test(name))).toEqual([])
  })

  it('knows a service that runs in another container, under a process id that nobody has here', async () => {
    const folder = join(await mkdtemp(inFolder('long-')), 'x'.repeat(120))
    const words = ['--port', '0', '--data', folder, '--empty']
    const service = npmStart(words)
    await service.ready
    const lock = join(folder, 'service.pid')
    const content = await readFile(lock, 'utf8')
    await writeFile(lock, content.replace(String(service.pid), '999999'))
    const { code, output } = await npmStart(words).ended
    await service.stop('SIGINT')
    expect(output).toContain('is in use by another service (process 999999)')
    expect(code).toBe(4)
  })

  it('leaves the database empty with --empty, and locks its folder', async () => {
    const words = ['--port', '0', '--data', inFolder('empty'), '--empty']
    const service = npmStart(words)
    expect(await nodesAt(await service.ready)).toEqual([])
    const { code, output } = await npmStart(words).ended
    expect(code).toBe(4)
    expect(output).toContain(`The database in ${inFolder('empty')} is in use by another service`)
    await service.stop('SIGINT')
  })
})

describe('on loopback', () => {
  it.each([
    ['without credentials, it is open', {}, 200, 'Open to everyone on this machine'],
    [
      'with tokens, it is closed, as behind a proxy',
      { TOKENS: LINE },
      401,
      'Closed: requests need',
    ],
    ['with tokens and ACCESS=open, it is open', { TOKENS: LINE, ACCESS: 'open' }, 200, 'Open to'],
    [
      'certificates without --client-ca are told of',
      { CLIENT_CERTIFICATES: '* submit' },
      200,
      'CLIENT_CERTIFICATES has no effect without --client-ca.',
    ],
  ])('%s', async (_, environment, status, sentence) => {
    const data = await mkdtemp(inFolder('access-'))
    const service = npmStart(['--port', '0', '--data', data, '--empty'], { environment })
    const { status: answered } = await fetch(`${await service.ready}/query/v4/nodes`)
    expect(answered).toBe(status)
    expect((await service.stop('SIGTERM')).output).toContain(sentence)
  })
})

/** Hooks to this machine reach what else listens here, which only those who are on it anyway may ask for. */
describe('hooks to this machine', () => {
  const SENTENCE = 'Hooks may deliver to receivers on this machine (LOCAL_HOOKS).'
  const TOKENS = tokenLine('chief', 'admin')

  it.each([
    ['open on loopback', [], {}, 201],
    ['open on loopback, LOCAL_HOOKS=off', [], { LOCAL_HOOKS: 'off' }, 400],
    ['open to others', ['--host', '0.0.0.0'], { ACCESS: 'open' }, 400],
    ['closed on loopback, as behind a proxy', [], { TOKENS }, 400],
    ['closed, LOCAL_HOOKS=on', [], { TOKENS, LOCAL_HOOKS: 'on' }, 201],
  ])('%s', async (_, words, environment, status) => {
    const data = await mkdtemp(inFolder('hooks-'))
    const service = npmStart(['--port', '0', '--data', data, '--empty', ...words], { environment })
    const { port } = new URL(await service.ready)
    const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/hooks/trial`, {
      method: 'PUT',
      headers: { 'x-authentication': 'chief' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/', transition: 'failed' }),
    })
    const text = await answer.text()
    const { output } = await service.stop('SIGTERM')
    expect([answer.status, text]).toEqual([status, expect.anything()])
    expect(output.includes(SENTENCE)).toBe(status === 201)
  })
})

describe('a wrong option or setting fails with a message', () => {
  let other: Server
  beforeAll(async () => {
    other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => other.close())

  it('a busy port', async () => {
    const { port } = other.address() as AddressInfo
    const words = ['--port', String(port), '--data', inFolder('busy')]
    expect(await npmStart(words).ended).toEqual({
      code: 3,
      output: `Port ${port} is in use by another program. Choose another: npm start -- --port ${port + 1}\n`,
    })
  })

  it.each([
    ['/nowhere', 'and /nowhere is none (ENOENT). Name another: RUNTIME_DIRECTORY=DIR npm start'],
    [`/${'x'.repeat(60)}`, 'is too long for the sockets of the runtime: at most 60 bytes fit.'],
  ])('RUNTIME_DIRECTORY=%s', async (base, sentence) => {
    const environment = { RUNTIME_DIRECTORY: base }
    const words = ['--port', '0', '--data', inFolder('runtime')]
    const { code, output } = await npmStart(words, { environment }).ended
    expect(output).toContain(sentence)
    expect(output).not.toContain('    at ')
    expect(code).toBe(5)
  })

  it.each([
    [['--data', '/dev/null/x'], 4, /^The folder \/dev\/null\/x can't be written to \(ENOTDIR\)\./],
    [['--data='], 2, /^--data takes the name of a folder\.\n$/],
    [['--port', 'eighty'], 2, /^--port takes a number from 0 to 65535, not "eighty"\.\n$/],
    [['--prot', '1'], 2, /^Unknown option '--prot'\.\n\nnpm start -- \[options\]/],
  ])('%j', async (words, code, sentence) => {
    const ended = await npmStart([...words, ...(words[0] === '--port' ? [] : ['--port', '0'])])
      .ended
    expect(ended.code).toBe(code)
    expect(ended.output).toMatch(sentence)
  })
})
