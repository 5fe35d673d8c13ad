/** `npm start` from outside: command line in, terminal and HTTP out. */

import { cp, mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenLine } from '../token-line.ts'
import { npmStart, type Started } from './npm-start.ts'
import { listeningSockets, treeOf } from './processes.ts'
import { sendReport } from './send-report.ts'
import { until } from './until.ts'

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
  headedStatus(url, { host, 'content-type': 'application/json' }, body)

const headedStatus = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request(url, { method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    outgoing.on('error', reject).end(body)
  })

const LIST_OF_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

/** Where a service listens that has not said so yet: until there is a report, by when most of the sample fleet is not in. */
const loadingAt = (pid: number): Promise<void> =>
  until(async () => {
    const [port] = listeningSockets(treeOf(pid)).tcp
    const url = `http://127.0.0.1:${port}/query/v4/reports?limit=1&query=["extract","hash"]`
    expect(await (await fetch(url)).json()).toHaveLength(1)
  })

interface Catch {
  readonly state: (service: Started, data: string) => Promise<unknown>
  /** Whether the service had left the state before the signal came, as on a busy machine. */
  readonly isTooLate: (end: Awaited<Started['ended']>) => boolean
}

/** Sends a signal to a service that is in a state which passes by itself; as often as it takes. */
async function caughtBy(signal: NodeJS.Signals, { state, isTooLate }: Catch) {
  for (;;) {
    const data = await mkdtemp(inFolder('caught-'))
    const service = npmStart(['--port', '0', '--data', data])
    await state(service, data)
    const end = await service.stop(signal)
    if (isTooLate(end)) continue
    const lines = end.output.split('\n').filter((line) => line !== '')
    const messages = lines.map((line) => (JSON.parse(line) as { message: string }).message)
    return { code: end.code, messages, names: await readdir(data) }
  }
}

describe('the service', () => {
  it('puts a sample fleet into an empty database, ends cleanly on a signal, and keeps its data', async () => {
    const data = inFolder('sample')
    const words = ['--port', '0', '--data', data]
    const first = npmStart(words)
    expect(await nodesAt(await first.ready)).toHaveLength(12)
    const { code, output } = await first.stop('SIGINT')
    expect(code).toBe(0)
    expect(output).toContain('with a sample fleet of 12 nodes')
    expect(output).toMatch(/"message":"stopped"}\n$/)
    expect(await readdir(data)).not.toContain('service.pid')
    await cp(data, inFolder('sample-empty'), { recursive: true })

    const second = npmStart(words)
    const url = await second.ready
    expect(await nodesAt(url)).toHaveLength(12)
    expect(await sendReport(url, 'web1.example.com')).toBe(200)
    await until(async () =>
      expect(await nodesAt(url)).toMatchObject([{ certname: 'web1.example.com' }]),
    )
    const end = await second.stop('SIGTERM')
    expect(end.code).toBe(0)
    expect(end.output).not.toContain('with a sample fleet')
    expect(end.output).toContain('The sample fleet was removed')
    expect(await readdir(data)).not.toContain('service.pid')
  })

  it('removes the sample fleet at a start with --empty', async () => {
    const empty = npmStart(['--port', '0', '--data', inFolder('sample-empty'), '--empty'])
    expect(await nodesAt(await empty.ready)).toEqual([])
    expect((await empty.stop('SIGTERM')).output).toContain('The sample fleet was removed')
  })

  it('ends on a signal while it loads the sample fleet', async () => {
    const { code, messages, names } = await caughtBy('SIGINT', {
      state: ({ pid }) => loadingAt(pid),
      isTooLate: ({ output }) => output.includes('listening on'),
    })
    expect([code, messages]).toEqual([0, ['stopped']])
    expect(names).not.toContain('service.pid')
  })

  it('releases the folder when a signal ends it before it is ready', async () => {
    const { code, messages, names } = await caughtBy('SIGINT', {
      state: (_, data) =>
        until(async () => expect(await readFile(join(data, 'service.pid'), 'utf8')).not.toBe('')),
      isTooLate: ({ code }) => code === 0,
    })
    expect([code, messages]).toEqual([130, []])
    expect(names).not.toContain('service.pid')
  })

  it.each([
    ['an empty folder', null],
    ['a folder that a killed service has left', '999999'],
  ])('is the only one to start of three started at once on %s', async (_, lock) => {
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
})

describe('a service that only this machine can connect to, without credentials', () => {
  let service: Started
  let url = ''
  /** So long that its lock's socket needs a shorter path. */
  let data = ''
  let words: string[] = []
  beforeAll(async () => {
    data = join(await mkdtemp(inFolder('long-')), 'x'.repeat(120))
    words = ['--port', '0', '--data', data, '--empty']
    service = npmStart(words)
    url = await service.ready
  })
  afterAll(() => service.stop('SIGINT'))

  it('has an empty database with --empty', async () => {
    expect(await nodesAt(url)).toEqual([])
  })

  it('says how much its disk has free', async () => {
    const { bavail, bsize } = await statfs(folder)
    await until(async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const free = Number(/^report_service_disk_free_bytes (\d\S*)$/m.exec(text)![1])
      // Other programs write to it, too.
      expect(free / (bavail * bsize)).toBeCloseTo(1, 0)
    })
  })

  it('lets hooks reach this machine, and says so', async () => {
    expect(await statusesAt(url)).toEqual([200, 201])
    expect(service.output()).toContain('Open to everyone on this machine')
    expect(service.output()).toContain('Hooks may deliver to receivers on this machine')
    expect(service.output()).not.toContain('CLIENT_CERTIFICATES')
  })

  it('is open under names of this machine, but not under a foreign name that resolves to it', async () => {
    const { port } = new URL(url)
    const names = ['localhost', '127.0.0.1', '[::1]', 'rebound.example', '127.0.0.1.example']
    const statuses = await Promise.all(
      names.map((name) => statusOf(`${url}/query/v4/nodes`, `${name}:${port}`)),
    )
    const byMcp = await Promise.all(
      names.map((name) => statusOf(`${url}/mcp`, `${name}:${port}`, LIST_OF_TOOLS)),
    )
    expect(statuses).toEqual([200, 200, 200, 403, 403])
    expect(byMcp).toEqual([200, 200, 200, 403, 403])
  })

  it.each([
    ['an image', 'cross-site', 'no-cors', 'image', 403],
    ['a script', 'cross-site', 'cors', 'empty', 403],
    ['a frame', 'cross-site', 'navigate', 'iframe', 403],
    ['a link', 'cross-site', 'navigate', 'document', 200],
    ['its own page', 'same-origin', 'cors', 'empty', 200],
    ['a typed address', 'none', 'navigate', 'document', 200],
  ])('reads by %s (%s, %s, %s) are answered %i', async (_, site, mode, dest, status) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
    expect(await headedStatus(`${url}/query/v4/nodes`, headers)).toBe(status)
  })

  it('locks its folder', async () => {
    const { code, output } = await npmStart(words).ended
    expect(code).toBe(4)
    expect(output).toContain(`The database in ${data} is in use by another service`)
  })

  it('is known as one in another container, under a process id that nobody has here', async () => {
    const lock = join(data, 'service.pid')
    const content = await readFile(lock, 'utf8')
    await writeFile(lock, content.replace(String(service.pid), '999999'))
    const { code, output } = await npmStart(words).ended
    await writeFile(lock, content)
    expect(output).toContain('is in use by another service (process 999999)')
    expect(code).toBe(4)
  })
})

/** The answers to a query without credentials, and to an administrator who wants a hook that reaches this machine. */
async function statusesAt(url: string): Promise<readonly number[]> {
  const asked = await fetch(`${url}/query/v4/nodes`)
  const made = await fetch(`${url}/admin/v1/hooks/trial`, {
    method: 'PUT',
    headers: { 'x-authentication': 'chief' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/', transition: 'failed' }),
  })
  return [asked.status, made.status]
}

it('settings decide against the defaults: ACCESS=open with tokens, certificates that nothing verifies, LOCAL_HOOKS=off', async () => {
  const data = await mkdtemp(inFolder('access-'))
  const settings = { ACCESS: 'open', CLIENT_CERTIFICATES: '* submit', LOCAL_HOOKS: 'off' }
  const environment = { TOKENS: tokenLine('chief', 'admin'), ...settings }
  const service = npmStart(['--port', '0', '--data', data, '--empty'], { environment })
  expect(await statusesAt(await service.ready)).toEqual([200, 400])
  const { output } = await service.stop('SIGTERM')
  expect(output).toContain('Open to everyone on this machine')
  expect(output).not.toContain('Hooks may deliver')
  expect(output).toContain('CLIENT_CERTIFICATES has no effect without --client-ca.')
})

it('the key of sessions is kept where nobody set one: who signed in stays signed in until another is set', async () => {
  const data = await mkdtemp(inFolder('key-'))
  const run = async (settings: Readonly<Record<string, string>>) => {
    const environment = { TOKENS: tokenLine('chief', 'admin'), ...settings }
    const service = npmStart(['--port', '0', '--data', data], { environment })
    return { service, url: await service.ready }
  }
  const { service, url } = await run({})
  // As behind a proxy on this machine: closed, and hooks don't reach it.
  expect(await statusesAt(url)).toEqual([401, 400])
  expect(service.output()).toContain('Closed: requests need credentials')
  expect(service.output()).not.toContain('Hooks may deliver')
  const signedIn = await fetch(`${url}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({ token: 'chief' }),
  })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  await service.stop('SIGTERM')
  expect((await stat(join(data, 'console-key'))).mode & 0o777).toBe(0o600)
  const statusAfter = async (settings: Readonly<Record<string, string>>): Promise<number> => {
    const again = await run(settings)
    const headers = { cookie, accept: 'text/html' }
    const page = await fetch(`${again.url}/console`, { headers, redirect: 'manual' })
    await again.service.stop('SIGTERM')
    return page.status
  }
  expect(await statusAfter({})).toBe(200)
  expect(await statusAfter({ CONSOLE_KEY: 'x'.repeat(32) })).toBe(303)
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
    [
      ['--prot', '1'],
      2,
      /^Unknown option '--prot'\. Did you mean '--port'\?\n\nnpm start -- \[options\]/,
    ],
  ])('%j', async (words, code, sentence) => {
    const ended = await npmStart([...words, ...(words[0] === '--port' ? [] : ['--port', '0'])])
      .ended
    expect(ended.code).toBe(code)
    expect(ended.output).toMatch(sentence)
  })
})
