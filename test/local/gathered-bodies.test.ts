/** Bodies of reads are gathered within a bounded memory, before anybody has looked at credentials. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { GatheredBodies, type Gathered } from '../../worker/local/host/gathered-bodies.ts'
import { until } from './until.ts'

const MB = 1024 * 1024

let server: Server
let bodies: GatheredBodies
let clients: Socket[] = []
/** What became of each body, in the order in which that was known. */
let kinds: string[] = []
let last: Gathered | null = null

beforeEach(async () => {
  bodies = new GatheredBodies(12 * MB)
  kinds = []
  clients = []
  server = createServer((incoming, outgoing) => {
    void bodies.gather(incoming, outgoing).then((gathered) => {
      last = gathered
      kinds.push(gathered.kind)
      if (gathered.kind === 'no room') outgoing.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const client of clients) client.destroy()
  server.closeAllConnections()
  server.close()
})

/** Begins a body of so many bytes, and sends the first of them. */
function send(length: number, sent: number | Buffer): Socket {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  clients.push(client)
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`)
  client.write(typeof sent === 'number' ? Buffer.alloc(sent, 'x') : sent)
  return client
}

it('a body is given as it was sent', async () => {
  send(5, Buffer.from('hello'))
  await until(() => expect(kinds).toEqual(['whole']))
  expect(last).toEqual({ kind: 'whole', body: Buffer.from('hello') })
})

it('one that is longer than any query is not gathered to its end', async () => {
  send(20 * MB, 13 * MB)
  await until(() => expect(kinds).toEqual(['too large']))
})

it('those that are coming for longest make room for others', async () => {
  for (let body = 0; body < 12; body++) {
    send(6 * MB, 5 * MB)
    await until(() => expect(kinds.length).toBeGreaterThanOrEqual(body - 5))
  }
  send(5, Buffer.from('small'))
  await until(() => expect(kinds).toContain('whole'))
  expect(new Set(kinds)).toEqual(new Set(['no room', 'whole']))
})

it('whole ones that wait for their answers leave no room for more than the rest', async () => {
  for (let body = 1; body <= 4; body++) {
    send(8 * MB, 8 * MB)
    await until(() => expect(kinds).toHaveLength(body))
  }
  send(8 * MB, 8 * MB)
  await until(() => expect(kinds).toEqual(['whole', 'whole', 'whole', 'whole', 'no room']))
  // What a client that leaves waited for makes room again.
  clients[0]!.destroy()
  await until(async () => {
    send(MB, MB)
    await until(() => expect(kinds.at(-1)).toBe('whole'))
  })
})

it('a body in pieces of a byte each is given up', async () => {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  clients.push(client)
  client.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  client.write('1\r\n \r\n'.repeat(20_000))
  await until(() => expect(kinds).toEqual(['too fine']))
})
