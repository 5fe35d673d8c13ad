/** The service listens on the address that it names and nowhere else, and that socket leads to nothing but the service. */

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { npmStart, type Started } from './npm-start.ts'
import { listeningSockets, treeOf } from './processes.ts'

const TOKEN = 'rqs_of_the_test_of_sockets'
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
  folder = await mkdtemp(join(tmpdir(), 'sockets-'))
  service = npmStart(['--port', '0', '--data', join(folder, 'data'), '--empty'], {
    environment: {
      ACCESS: 'closed',
      CLIENT_CERTIFICATES: 'puppet.example.com admin certname=*',
      TOKENS: `test read,submit ${createHash('sha256').update(TOKEN).digest('hex')}`,
    },
  })
  url = await service.ready
  const query = 'command=store_report&version=8&certname=web1'
  const { report } = await import('../worker/reports.ts')
  const stored = await fetch(`${url}/pdb/cmd/v1?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(report({ certname: 'web1' })),
  })
  expect(stored.status).toBe(200)
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
    [
      'a request hidden in another',
      'POST /a HTTP/1.1',
      `host: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /tick HTTP/1.1\r\nhost: admin\r\nx-launcher-cf: ${CF}`,
    ],
  ])('%s', async (_, line, headers) => {
    const answer = await exchange(`${line}\r\n${headers}\r\nconnection: close\r\n\r\n`)
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
    expect(statuses.length).toBeGreaterThan(0)
    for (const status of statuses) expect(status).toMatch(/^(?:40[0134]|5\d\d)$/)
    expect(await reportCount()).toBe(1)
  })
})
