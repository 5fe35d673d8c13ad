/** Messages of a running service, as a receiver on this machine gets them. */

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

const MINUTE = 60_000

interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
let deliveries: Delivery[] = []
let answer = 200

const receiver: Server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    deliveries.push({
      path: request.url!,
      headers: request.headers,
      body: Buffer.concat(pieces).toString(),
    })
    // Followed, it would come back to another path.
    response.writeHead(answer, { location: '/elsewhere' }).end()
  })
})

let service: Service
let target: string
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  service = await startLocalService({ LOCAL_HOOKS: 'on' })
})
afterAll(async () => {
  await service.stop()
  receiver.close()
})
beforeEach(() => {
  deliveries = []
  answer = 200
})

const send = async (path: string, method: string, body?: object): Promise<Response> =>
  fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

let runs = 0
async function run(certname: string, status: string): Promise<void> {
  const time = new Date(Date.now() + ++runs).toISOString()
  const report = {
    ...(JSON.parse(readFileSync(join(ROOT, 'test/fixtures/failed-run.json'), 'utf8')) as object),
    certname,
    status,
    producer_timestamp: time,
    start_time: time,
    end_time: time,
  }
  const query = `command=store_report&version=8&certname=${certname}`
  const response = await send(`/pdb/cmd/v1?${query}`, 'POST', report)
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
}

/** What the trigger does once so many minutes have gone by. */
const tick = (minutes: number): Promise<void> =>
  service.tick(NOTIFY_CRON, new Date(Date.now() + minutes * MINUTE))

const makeHook = async (name: string): Promise<string> => {
  const filter = `certname = "${name}"`
  const hook = { transition: 'failed', filter, url: target }
  const response = await send(`/admin/v1/hooks/${name}`, 'PUT', hook)
  return (await response.json<{ secret: string }>()).secret
}

it('delivers a failure once, signed with the secret of the hook', async () => {
  const secret = await makeHook('db1')
  await run('db1', 'failed')
  await tick(1)
  await tick(2)
  expect(deliveries).toHaveLength(1)
  const [{ path, headers, body }] = deliveries as [Delivery]
  expect(path).toBe('/hook')
  expect(JSON.parse(body)).toMatchObject({ type: 'node.failed', data: { total: 1 } })
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${signature}`)
})

it.each([500, 302])(
  'retries a message after the status %i, at the same address only',
  async (status) => {
    const name = `web${status}`
    await makeHook(name)
    await run(name, 'failed')
    answer = status
    await tick(1)
    answer = 200
    await tick(3)
    await tick(4)
    expect(deliveries.map(({ path }) => path)).toEqual(['/hook', '/hook'])
    expect(deliveries[0]!.headers['webhook-id']).toBe(deliveries[1]!.headers['webhook-id'])
  },
)

it('an unreachable receiver does not affect housekeeping', async () => {
  await makeHook('gone')
  await run('gone', 'failed')
  await new Promise((resolve) => {
    receiver.close(resolve)
    receiver.closeAllConnections()
  })
  await tick(1)
  await service.tick()
  const response = await send('/admin/v1/deliveries', 'GET')
  const deliveries = await response.json<{ hook: string }[]>()
  expect(deliveries.find(({ hook }) => hook === 'gone')).toMatchObject({
    attempts: 1,
    delivered: null,
    next_attempt: expect.any(String),
  })
})
