/** The port for plain HTTP, as clients of all kinds meet it. */

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { report } from '../worker/reports.ts'

let service: Service
beforeAll(async () => {
  service = await startLocalService()
})
afterAll(() => service.stop())

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
      vi.waitFor(() => {
        const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
        expect(statuses.length).toBeGreaterThanOrEqual(count)
        return statuses
      }, WAITING),
    closed: () => vi.waitFor(() => expect(closed).toBe(true), WAITING),
    isClosed: () => closed,
  }
}

const WAITING = { timeout: 30_000, interval: 5 }
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

it('a connection may be idle for longer than workerd allows', async () => {
  const connection = open()
  connection.write(GET)
  await connection.answers(1)
  await sleep(7000)
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
  await vi.waitFor(() => expect(service.runtimePid()).toBeNull(), WAITING)
  expect(connection.isClosed()).toBe(false)
  connection.write(GET)
  expect(await connection.answers(2)).toEqual(['200', '200'])
  connection.end()
})

it('accepts a body that pauses for longer than the idle timeout', async () => {
  const connection = open()
  connection.write(EXPECTING)
  await connection.answers(1)
  connection.write(BODY.slice(0, 100))
  await sleep(4000)
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
