/** HTTPS of a server of one's own: who is known by a certificate of Puppet's CA, and what clients of all kinds are answered. */

import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { Agent, request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { report } from '../worker/reports.ts'
import { npmStart } from './npm-start.ts'
import { connectionsTo } from './processes.ts'
import { until } from './until.ts'

const fixture = (name: string): string => join(ROOT, 'test/fixtures/tls', name)
const TOKEN = 'rqs_of_the_test_of_tls'

let folder = ''
let service: Service
/** Path of the runtime's socket, to which the port passes requests on. */
let socket = ''
const reloads: string[] = []
const troubles: string[] = []
const file = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tls-'))
  for (const [from, to] of [
    ['server.pem', 'cert'],
    ['server.key', 'key'],
    ['ca.pem', 'ca'],
    ['crl-web-2.pem', 'crl'],
  ] as const)
    await copyFile(fixture(from), file(to))
  service = await startLocalService(
    {
      ACCESS: 'closed',
      MAX_COMMAND_BYTES: '33554432',
      TOKENS: `test read,submit ${createHash('sha256').update(TOKEN).digest('hex')}`,
      CLIENT_CERTIFICATES: 'puppet.example.com submit,read certname=*\n* submit',
    },
    {
      data: file('data'),
      // However long the machine takes to start the runtime again, requests wait.
      timings: { tlsFilesMs: 20, idleMs: 50, patienceMs: 600_000 },
      tls: { cert: file('cert'), key: file('key'), clientCa: file('ca'), clientCrl: file('crl') },
      onChange: (sentence) => reloads.push(sentence),
      onTrouble: (sentence) => troubles.push(sentence),
    },
  )
  socket = join(await readFile(join(file('data'), 'service.run'), 'utf8'), 'tls')
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly text: string
  readonly continued: boolean
}

/** @param name whose certificate is presented; null for none */
const ask = (
  name: string | null,
  path: string,
  options: RequestOptions = {},
  body?: string | Buffer | readonly string[],
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let continued = false
    const outgoing = request(
      `${service.url}${path}`,
      {
        ca: readFileSync(fixture('ca.pem')),
        agent: false,
        ...(name !== null && {
          cert: readFileSync(fixture(`${name}.pem`)),
          key: readFileSync(fixture(`${name}.key`)),
        }),
        ...options,
      },
      (response) => {
        let text = ''
        response.on('data', (piece: Buffer) => (text += piece.toString()))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode!, text, continued }))
      },
    )
    outgoing.on('error', reject)
    const expects = Object.keys(options.headers ?? {}).includes('expect')
    const send = (): void => {
      if (Array.isArray(body)) for (const piece of body) outgoing.write(piece)
      outgoing.end(Array.isArray(body) ? undefined : body)
    }
    outgoing.on('continue', () => {
      continued = true
      send()
    })
    if (expects) outgoing.flushHeaders()
    else send()
  })

const READ = '/query/v4/nodes'
const submit = (
  name: string | null,
  certname: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Buffer | readonly string[] = JSON.stringify(report({ certname })),
): Promise<Answer> =>
  ask(
    name,
    `/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`,
    { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
    body,
  )

describe('client certificates', () => {
  it.each<[string, () => Promise<Answer>, number]>([
    ['the server reads', () => ask('puppet.example.com', READ), 200],
    ['the server sends for a node', () => submit('puppet.example.com', 'web-9'), 200],
    ['a node does not read', () => ask('web-1', READ), 403],
    ['a node sends its report', () => submit('web-1', 'web-1'), 200],
    ['a node does not send for another', () => submit('web-1', 'web-9'), 403],
    ['a node whose certificate is revoked', () => submit('web-2', 'web-2'), 401],
    ['the same name by another authority', () => submit('stranger-web-1', 'web-1'), 401],
    ['a name that is no Latin-1', () => submit('japan', 'web-1'), 401],
    ['nobody', () => ask(null, READ), 401],
  ])('%s', async (_, send, status) => {
    expect((await send()).status).toBe(status)
  })

  it.each([
    ['web-2', "The certificate 'web-2' is revoked."],
    [
      'stranger-web-1',
      "The certificate 'web-1' is not from an authority that this service trusts.",
    ],
  ])('%s is told why it has no access', async (name, sentence) => {
    const { status, text } = await ask(name, READ)
    expect([status, text.trim()]).toEqual([401, sentence])
  })

  it('a token works without a certificate', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await ask(null, READ, { headers })).status).toBe(200)
  })

  it.each(['x-launcher-cf', 'X-Launcher-CF', 'mf-cf-blob', 'cf-client-cert'])(
    'a header cannot replace a certificate: %s',
    async (name) => {
      const cf = { certPresented: '1', certVerified: 'SUCCESS', certRevoked: '0' }
      const certSubjectDNRFC2253 = 'CN=puppet.example.com'
      const value = JSON.stringify({ tlsClientAuth: { ...cf, certSubjectDNRFC2253 } })
      expect((await ask('web-1', READ, { headers: { [name]: value } })).status).toBe(403)
      expect((await ask(null, READ, { headers: { [name]: value } })).status).toBe(401)
    },
  )
})

describe('the TLS port accepts', () => {
  it.each(['http/1.0', 'http/1.1'])('a client that speaks %s alone', async (protocol) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: readFileSync(fixture('ca.pem')),
      ALPNProtocols: [protocol],
    })
    socket.write(
      `GET /status/v1/simple HTTP/${protocol.slice(-3)}\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
    )
    let answer = ''
    for await (const piece of socket) answer += String(piece)
    expect([socket.alpnProtocol, answer.split('\r\n').at(-1)]).toEqual([protocol, 'running'])
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', async (version) => {
    const answer = await ask('puppet.example.com', READ, {
      minVersion: version,
      maxVersion: version,
    })
    expect(answer.status).toBe(200)
  })

  it('no TLS version older than 1.2', async () => {
    const old = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const
    await expect(ask(null, READ, old)).rejects.toThrow(/protocol version|unsupported protocol/i)
  })

  it('Expect: 100-continue, which it answers before the body arrives', async () => {
    const answer = await submit('web-1', 'web-1', { expect: '100-continue' })
    expect([answer.status, answer.continued]).toEqual([200, true])
  })

  it('a body in chunks', async () => {
    const text = JSON.stringify(report({ certname: 'web-1' }))
    expect((await submit('web-1', 'web-1', {}, [text.slice(0, 99), text.slice(99)])).status).toBe(
      200,
    )
  })

  it('a gzipped body', async () => {
    const body = gzipSync(JSON.stringify(report({ certname: 'web-1' })))
    expect((await submit('web-1', 'web-1', { 'content-encoding': 'gzip' }, body)).status).toBe(200)
  })

  it('a body of 16 MB', async () => {
    const logs = Array.from({ length: 4000 }, (_, line) => ({
      ...{ file: null, line, level: 'notice', source: 'Puppet', tags: [] },
      message: 'x'.repeat(4000),
      time: '2026-04-01T00:00:00.000Z',
    }))
    const body = JSON.stringify(report({ certname: 'web-1', logs }))
    expect(body.length).toBeGreaterThan(16e6)
    expect((await submit('web-1', 'web-1', { expect: '100-continue' }, body)).status).toBe(200)
  })

  it('a URL of 16 KB', async () => {
    const query = encodeURIComponent(JSON.stringify(['=', 'certname', 'x'.repeat(16_000)]))
    expect(await ask('puppet.example.com', `${READ}?query=${query}`)).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^\[\s*\]$/),
    })
  })

  it('many requests on one connection, also after it was idle', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort))
    for (let request = 0; request < 3; request++) {
      expect((await ask('puppet.example.com', READ, { agent })).status).toBe(200)
      // After the first one, its connection to the runtime is closed as idle.
      if (request === 0) await until(() => expect(connectionsTo(socket)).toBe(0))
    }
    agent.destroy()
    expect(ports.size).toBe(1)
  })

  it('HTTP/1.1 from a client that also offers HTTP/2', async () => {
    const socket = connect({
      port: Number(new URL(service.url).port),
      ca: readFileSync(fixture('ca.pem')),
      host: '127.0.0.1',
      ALPNProtocols: ['h2', 'http/1.1'],
    })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })

  it('no plain HTTP', async () => {
    const plain = service.url.replace('https', 'http')
    await expect(fetch(`${plain}${READ}`)).rejects.toThrow()
  })
})

describe('a change of the TLS files applies', () => {
  const serial = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(service.url)
      const socket = connect({ port: Number(port), ca: readFileSync(fixture('ca.pem')) }, () => {
        resolve(new X509Certificate(socket.getPeerCertificate().raw).serialNumber)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  const serialOf = (name: string): string =>
    new X509Certificate(readFileSync(fixture(name))).serialNumber
  /** In one step: half a file would be a change of its own. */
  const replace = async (name: string, by: string): Promise<void> => {
    await copyFile(fixture(by), file(`${name}.new`))
    await rename(file(`${name}.new`), file(name))
  }
  const reloaded = (times: number): Promise<void> => until(() => expect(reloads.length).toBe(times))

  it('to revocations, also on open connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = reloads.length
    await replace('crl', 'crl-none.pem')
    await reloaded(before + 1)
    const send = (): Promise<Answer> => ask('web-2', READ, { agent })
    expect((await send()).status).toBe(403)
    await replace('crl', 'crl-web-2.pem')
    await reloaded(before + 2)
    // The idle connection is being closed: a client may still choose it, and then asks again.
    expect((await send().catch(send)).status).toBe(401)
    agent.destroy()
  })

  it('to an expired revocation list, which refuses everybody and which a message names once', async () => {
    const before = reloads.length
    await replace('crl', 'crl-expired.pem')
    await reloaded(before + 1)
    const statuses = [await ask('web-1', READ), await ask('puppet.example.com', READ)]
    expect(statuses.map(({ status }) => status)).toEqual([401, 401])
    expect(troubles).toEqual([expect.stringContaining('A list in --client-crl has expired.')])
    await replace('crl', 'crl-web-2.pem')
    await reloaded(before + 2)
    expect((await ask('puppet.example.com', READ)).status).toBe(200)
  })

  it('to a renewed certificate', async () => {
    expect(await serial()).toBe(serialOf('server.pem'))
    await replace('key', 'renewed.key')
    await replace('cert', 'renewed.pem')
    await until(async () => expect(await serial()).toBe(serialOf('renewed.pem')))
  })

  it('not to an unusable file, which a message names', async () => {
    troubles.length = 0
    await replace('key', 'server.key')
    const sentence = expect.stringMatching(
      /^The changed TLS files are invalid, so the earlier ones stay in use: The key in \S*key is not the key of /,
    )
    await until(() => expect(troubles).toContainEqual(sentence))
    expect(await serial()).toBe(serialOf('renewed.pem'))
  })
})

describe('the command line', () => {
  it.each([
    [['--tls-cert', 'x'], '--tls-cert needs --tls-key as well.'],
    [['--client-ca', 'x'], '--client-ca needs --tls-cert as well.'],
    [['--tls-cert', '/nowhere', '--tls-key', '/nowhere'], "/nowhere can't be read (ENOENT)."],
    [
      ['--tls-cert', fixture('server.pem'), '--tls-key', fixture('renewed.key')],
      'is not the key of',
    ],
  ])('%j', async (words, sentence) => {
    const { code, output } = await npmStart([...words, '--port', '0', '--data', file('refused')])
      .ended
    expect(output).toContain(sentence)
    expect(output).not.toContain('    at ')
    expect(code).toBe(2)
  })

  it('closes a service that verifies client certificates, even on loopback', async () => {
    const words = ['--tls-cert', fixture('server.pem'), '--tls-key', fixture('server.key')]
    const started = npmStart(
      [
        ...words,
        '--client-ca',
        fixture('ca.pem'),
        '--port',
        '0',
        '--data',
        file('closed'),
        '--empty',
      ],
      { environment: { CLIENT_CERTIFICATES: 'puppet.example.com read' } },
    )
    const { port } = new URL(await started.ready)
    expect(started.output()).toContain(
      'Closed: requests need a client certificate that CLIENT_CERTIFICATES names, or a token.',
    )
    const statuses = [null, 'web-1', 'puppet.example.com'].map(async (name) => {
      const { status } = await ask(name, READ, { port })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([401, 401, 200])
    await started.stop('SIGTERM')
  })
})

it('who asks or sends while the runtime dies waits for the next one', async () => {
  const clients = 4
  const statuses: number[] = []
  let stop = false
  const asking = Array.from({ length: clients }, async () => {
    while (!stop) statuses.push((await ask('puppet.example.com', READ)).status)
  })
  const answers = (count: number) =>
    until(() => expect(statuses.length).toBeGreaterThanOrEqual(count))
  await answers(20)
  process.kill(service.runtimePid()!, 'SIGKILL')
  const response = await submit('puppet.example.com', 'web-9', {}, [' '.repeat(100_000), '{}'])
  await answers(statuses.length + 20)
  stop = true
  await Promise.all(asking)
  // A command that the dying runtime took is not sent again, nor a query twice.
  expect([400, 503]).toContain(response.status)
  const refused = statuses.filter((status) => status !== 200)
  expect(refused).toEqual(refused.map(() => 503))
  expect(refused.length).toBeLessThanOrEqual(clients)
})
