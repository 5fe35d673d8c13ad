/** The port for plain HTTP, as clients of all kinds meet it. */

import { connect } from 'node:net'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { connectionsTo } from './processes.ts'
import { report } from '../worker/reports.ts'
import { until } from './until.ts'

let folder = ''
let service: Service
/** Path of the runtime's socket, to which the launcher passes requests on. */
let socket = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'port-'))
  service = await startLocalService(
    {},
    // However long the machine takes to start the runtime again, requests wait.
    { data: folder, timings: { idleMs: 50, patienceMs: 600_000 } },
  )
  socket = join(await readFile(join(folder, 'service.run'), 'utf8'), 'plain')
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

/** A connection that one writes to as one likes. */
function open() {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(service.url).port) })
  let received = ''
  let closed = false
  socket.on('data', (piece) => (received += piece.toString()))
  socket.on('close', () => (closed = true))
  return {
    write: (text: string) => socket.write(text),
    end: () => socket.end(),
    /** Until so many answers have come. */
    answers: (count: number) =>
      until(() => {
        const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
        expect(statuses.length).toBeGreaterThanOrEqual(count)
        return statuses
      }),
    closed: () => until(() => expect(closed).toBe(true)),
    isClosed: () => closed,
  }
}

/** Until so many connections to the runtime are open. */
const passedOn = (count: number) => until(() => expect(connectionsTo(socket)).toBe(count))
const GET = 'GET /pdb/meta/v1/version HTTP/1.1\r\nhost: localhost\r\n\r\n'
const BODY = JSON.stringify(report({ certname: 'web1' }))
const EXPECTING = `POST /pdb/cmd/v1?command=store_report&version=8&certname=web1 HTTP/1.1\r
host: localhost\r
content-type: application/json\r
expect: 100-continue\r
content-length: ${Buffer.byteLength(BODY)}\r
\r
`

it('answers Expect: 100-continue at once, for the first request of a connection and for later ones', async () => {
  const connection = open()
  connection.write(EXPECTING)
  expect(await connection.answers(1)).toEqual(['100'])
  connection.write(BODY)
  expect(await connection.answers(2)).toEqual(['100', '200'])
  connection.write(GET)
  expect(await connection.answers(3)).toEqual(['100', '200', '200'])
  connection.write(EXPECTING)
  expect(await connection.answers(4)).toEqual(['100', '200', '200', '100'])
  connection.write(BODY)
  expect((await connection.answers(5)).at(-1)).toBe('200')
  connection.end()
})

it('a connection stays open while its connection to the runtime is closed, as it is idle', async () => {
  const connection = open()
  connection.write(GET)
  await connection.answers(1)
  await passedOn(0)
  expect(connection.isClosed()).toBe(false)
  connection.write(GET)
  expect(await connection.answers(2)).toEqual(['200', '200'])
  connection.end()
})

it('a connection survives a restart of the runtime, and the next request waits for the new one', async () => {
  const connection = open()
  connection.write(GET)
  await connection.answers(1)
  process.kill(service.runtimePid()!, 'SIGKILL')
  await until(() => expect(service.runtimePid()).toBeNull())
  expect(connection.isClosed()).toBe(false)
  connection.write(GET)
  expect(await connection.answers(2)).toEqual(['200', '200'])
  connection.end()
})

it('accepts a body that pauses for longer than the idle timeout', async () => {
  await passedOn(0)
  const connection = open()
  connection.write(EXPECTING)
  await connection.answers(1)
  connection.write(BODY.slice(0, 100))
  await passedOn(1)
  // The connection to the runtime that another client used later is closed as idle.
  const other = open()
  other.write(GET)
  await other.answers(1)
  await passedOn(1)
  other.end()
  connection.write(BODY.slice(100))
  expect(await connection.answers(2)).toEqual(['100', '200'])
  connection.end()
})

it('answers pipelined requests in order', async () => {
  const connection = open()
  connection.write(GET + GET + GET)
  expect(await connection.answers(3)).toEqual(['200', '200', '200'])
  connection.end()
})

it('answers a client that has closed its sending side', async () => {
  const connection = open()
  connection.write(GET)
  connection.end()
  expect(await connection.answers(1)).toEqual(['200'])
  await connection.closed()
})

it.each([
  ['HTTP/1.0', GET.replace('HTTP/1.1', 'HTTP/1.0')],
  ['Connection: close', GET.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')],
])('%s closes after the answer', async (_, request) => {
  const connection = open()
  connection.write(request)
  await connection.closed()
  expect(await connection.answers(1)).toEqual(['200'])
})
