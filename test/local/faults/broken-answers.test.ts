/** An answer that fails in the middle never ends as if it were whole. */

import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { request as requestOverTls } from 'node:https'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { ROOT, startLocalService } from '../local-service.ts'
import { until } from '../until.ts'
import { leavesOf, makeDatabase, PAGE_BYTES, putDatabase } from './database.ts'

const REPORTS = 400
const fixture = (name: string): string => join(ROOT, 'test/fixtures/tls', name)

let folder = ''
let service: Service
let overTls = ''
const lines: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'broken-'))
  const made = await makeDatabase(folder, REPORTS)
  const data = join(folder, 'damaged')
  const file = await putDatabase(made, data)
  // Queries read the newest reports first: the first page of an answer is whole.
  await zero(file, leavesOf(made, 'reports')[0]!)
  service = await startLocalService({}, { data, readers: 2, onLine: (line) => lines.push(line) })
  const tls = {
    cert: fixture('server.pem'),
    key: fixture('server.key'),
    clientCa: null,
    clientCrl: null,
  }
  overTls = await service.listenOn({ host: '127.0.0.1', port: 0, tls })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

async function zero(file: string, page: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  await handle.close()
}

interface Taken {
  /** Null where the connection broke before the head was sent. */
  readonly status: number | null
  readonly body: string
  /** Whether the body had its end. */
  readonly complete: boolean
}

async function take(url: string, path: string, accept: string): Promise<Taken> {
  const response = await new Promise<IncomingMessage | null>((resolve) => {
    const address = `${url}${path}`
    const headers = { accept }
    const sent = address.startsWith('https:')
      ? requestOverTls(
          address,
          { headers, ca: caText, servername: 'localhost', agent: false },
          resolve,
        ).end()
      : get(address, { headers, agent: false }, resolve)
    sent.once('error', () => resolve(null))
  })
  if (response === null) return { status: null, body: '', complete: false }
  let body = ''
  response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
  await new Promise((resolve) => response.on('error', () => undefined).once('close', resolve))
  return { status: response.statusCode!, body, complete: response.complete }
}
let caText = ''
beforeAll(async () => {
  caText = await readFile(fixture('ca.pem'), 'utf8')
})

const FORMS = [
  ['/pdb/query/v4/reports', 'application/json'],
  ['/pdb/query/v4/reports', 'text/csv'],
  ['/pdb/admin/v1/archive', 'application/octet-stream'],
] as const

describe.each([
  ['plain HTTP', () => service.url],
  ['HTTPS', () => overTls],
])('over %s', (_, url) => {
  it.each(FORMS)('%s as %s breaks the connection', async (path, accept) => {
    const { status, body, complete } = await take(url(), path, accept)
    expect([status ?? 200, complete]).toEqual([200, false])
    expect(body).not.toContain('[failed')
  })

  it('NDJSON ends with a line that says so', async () => {
    const { status, body, complete } = await take(
      url(),
      '/pdb/query/v4/reports',
      'application/x-ndjson',
    )
    expect([status, complete]).toEqual([200, true])
    const rows = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.length).toBeLessThan(REPORTS)
    expect(rows.at(-1)).toEqual({
      error: 'This is not all: The database is damaged: a backup has to be restored.',
    })
  })
})

it('the log has it as an error, whatever LOG_REQUESTS says', async () => {
  lines.length = 0
  await take(service.url, '/pdb/query/v4/reports', 'application/json')
  const line = await until(() => {
    const found = lines.find((one) => one.includes('"ending":"failed"'))
    expect(found).toBeDefined()
    return JSON.parse(found!) as object
  })
  expect(line).toMatchObject({
    level: 'error',
    path: '/pdb/query/v4/reports',
    status: 200,
    error: 'Unavailable: The database is damaged: a backup has to be restored.',
  })
})

it('so it has a tool of MCP that fails, which is answered with 200', async () => {
  lines.length = 0
  const params = {
    name: 'query',
    arguments: { query: 'reports[count()] { noop = true }' },
  }
  const answer = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([200, { result: { isError: true } }])
  const line = await until(() => {
    const found = lines.find((one) => one.includes('"tool"'))
    expect(found).toBeDefined()
    return JSON.parse(found!) as object
  })
  expect(line).toMatchObject({
    level: 'error',
    tool: 'query',
    error: 'The database is damaged: a backup has to be restored.',
  })
})

it('a whole answer over the same connection ends as before', async () => {
  const { status, complete } = await take(service.url, '/pdb/query/v4/nodes', 'application/json')
  expect([status, complete]).toEqual([200, true])
})
