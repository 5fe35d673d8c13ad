/** What comes in from outside: one socket, which leads to nothing but the service, and says nothing of its own connection. */

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { npmStart, type Started } from './npm-start.ts'
import { listeningSockets, treeOf } from './processes.ts'
import { sendReport } from './send-report.ts'

const TOKEN = 'rqs_of_the_test_of_the_ingress'
const CF = JSON.stringify({
  tlsClientAuth: {
    certPresented: '1',
    certVerified: 'SUCCESS',
    certRevoked: '0',
    certSubjectDNRFC2253: 'CN=puppet.example.com',
  },
})

let folder = ''
let service: Started
let url = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ingress-'))
  service = npmStart(['--port', '0', '--data', join(folder, 'data'), '--empty'], {
    environment: {
      ACCESS: 'closed',
      MAX_COMMAND_BYTES: '100000',
      CLIENT_CERTIFICATES: 'puppet.example.com admin certname=*',
      TOKENS: `test read,submit ${createHash('sha256').update(TOKEN).digest('hex')}`,
    },
  })
  url = await service.ready
  expect(await sendReport(url, 'web1', {}, { authorization: `Bearer ${TOKEN}` })).toBe(200)
})
afterAll(async () => {
  await service.stop('SIGTERM')
  await rm(folder, { recursive: true, force: true })
})

const listening = () => listeningSockets(treeOf(service.pid))

it('the service and its child processes have one TCP socket, at the printed port', () => {
  expect(treeOf(service.pid).length).toBeGreaterThan(1)
  expect(listening().tcp).toEqual([Number(new URL(url).port)])
})

it('all other sockets are in a folder that only the user may enter', () => {
  const { unix } = listening()
  expect(unix.length).toBeGreaterThan(0)
  for (const path of unix)
    expect([path, statSync(dirname(path)).mode & 0o777]).toEqual([path, 0o700])
})

/** Sends text as it is, and takes what comes until the connection ends. */
const exchange = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(text))
    socket.on('data', (piece) => (answer += piece.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })

async function reportCount(): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(`${url}/query/v4/reports`, { headers })
  return (await response.json<unknown[]>()).length
}

describe('the service refuses these requests without credentials, and loses no report', () => {
  it.each([
    ['everything', 'GET /query/v4/reports HTTP/1.1', 'host: localhost'],
    ['the root', 'GET / HTTP/1.1', 'host: localhost'],
    ['another name', 'GET /query/v4/reports HTTP/1.1', 'host: evil.example'],
    ['a tick', 'GET /tick?at=4102444800000 HTTP/1.1', 'host: admin'],
    ['a tick by an old name', 'GET /tick?at=4102444800000 HTTP/1.1', 'host: keeper.internal'],
    ['migrations', 'GET /prepare HTTP/1.1', 'host: localhost'],
    ['a probe', 'POST / HTTP/1.1', 'host: probe\r\ncontent-length: 2\r\n\r\n[]'],
    ['a route of Miniflare', 'GET /tick HTTP/1.1', 'host: localhost\r\nmf-route-override: admin'],
    ['a file', 'POST /core/store-temp-file HTTP/1.1', 'host: localhost\r\ncontent-length: 0'],
    ['a trigger', 'GET /cdn-cgi/mf/scheduled HTTP/1.1', 'host: localhost'],
    ['a tunnel', 'CONNECT localhost:80 HTTP/1.1', 'host: localhost:80'],
    ['another target', 'GET http://admin/tick?at=4102444800000 HTTP/1.1', 'host: localhost'],
    ['a certificate', 'GET /query/v4/reports HTTP/1.1', `host: localhost\r\nx-launcher-cf: ${CF}`],
    ['one for Miniflare', 'GET /query/v4/reports HTTP/1.1', `host: localhost\r\nmf-cf-blob: ${CF}`],
    ['one for the Worker', 'GET /query/v4/reports HTTP/1.1', `host: localhost\r\ncf: ${CF}`],
    [
      'the address of another request',
      'GET /query/v4/reports HTTP/1.1',
      'host: localhost\r\nmf-original-url: http://reports.example.com/status/v1/simple',
    ],
    [
      'a request hidden in another',
      'POST /a HTTP/1.1',
      `host: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /tick HTTP/1.1\r\nhost: admin\r\nx-launcher-cf: ${CF}`,
    ],
  ])('%s', async (_, line, headers) => {
    const answer = await exchange(`${line}\r\n${headers}\r\nconnection: close\r\n\r\n`)
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
    expect(statuses.length).toBeGreaterThan(0)
    for (const status of statuses) expect(status).toMatch(/^(?:40[01345]|5\d\d)$/)
    expect(await reportCount()).toBe(1)
  })
})

it.each(['', 'x'])('answers HEAD with the body "%s" like one without', async (body) => {
  const answer = await exchange(
    `HEAD /console/nodes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

describe('a runtime that asks to call the service finds no such way in', () => {
  let outsider: Miniflare
  beforeAll(() => {
    outsider = new Miniflare({
      modules: true,
      compatibilityDate: '2026-04-01',
      script: `export default {
        async fetch(request, { TARGET }) {
          const method = new URL(request.url).pathname.slice(1)
          const called = TARGET[method]({ scheduledTime: new Date('2100-01-01'), cron: '' })
          return new Response(await called.then(() => 'called', String))
        },
      }`,
      serviceBindings: { TARGET: { external: { address: new URL(url).host, http: {} } } },
    })
  })
  afterAll(() => outsider.dispose())

  it.each(['scheduled', 'tail', 'env'])('by %s', async (method) => {
    const response = await outsider.dispatchFetch(`http://outsider.example/${method}`)
    expect(await response.text()).toMatch(/^\w*Error: /)
  })
})

const BODY = Buffer.alloc(3_000_000, ' ')
const TIMES = 40

/** The statuses that as many posts are answered with, each on a connection of its own. */
async function statusesOf(headers: Record<string, string>): Promise<Set<string>> {
  const statuses = new Set<string>()
  for (let attempt = 0; attempt < TIMES; attempt++) statuses.add(await post(headers))
  return statuses
}

const post = (headers: Record<string, string>): Promise<string> =>
  new Promise((resolve) => {
    const request = httpRequest(`${url}/pdb/cmd/v1?command=store_report&version=8&certname=a`, {
      method: 'POST',
      agent: false,
      headers,
    })
    request.on('response', (response) => {
      response.resume()
      response.on('end', () => resolve(String(response.statusCode)))
    })
    request.on('error', (error) => resolve(error.message))
    request.end(BODY)
  })

const LENGTH = { 'content-length': String(BODY.length) }
const CHUNKED = { 'transfer-encoding': 'chunked' }
const JSON_BODY = { 'content-type': 'application/json', 'x-authentication': TOKEN }

describe('a request that is refused before its body has been read gets the answer, however large the body is', () => {
  it.each([
    ['for its announced length', { ...JSON_BODY, ...LENGTH }, '413'],
    ['for its length, as it comes', { ...JSON_BODY, ...CHUNKED }, '413'],
    ['for its type', { ...JSON_BODY, ...LENGTH, 'content-type': 'text/csv' }, '415'],
    ['for want of a token', { 'content-type': 'application/json', ...LENGTH }, '401'],
  ])('%s', async (_, headers, status) => {
    expect(await statusesOf(headers)).toEqual(new Set([status]))
  })
})
