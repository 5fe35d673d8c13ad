/** What the Worker fetches: public addresses alone, whatever a name leads to, unless hooks may stay on this machine. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOST_CONNECTION, REFUSED_BY_RUNTIME } from '../../worker/notify/deliver.ts'
import { startWorker } from './worker-in-runtime.ts'

/** Fetches what its path names. */
const WORKER = `
  const worker = {
    async fetch(request) {
      const url = decodeURIComponent(new URL(request.url).pathname.slice(1))
      return new Response(await fetch(url).then((answer) => answer.text(), (error) => error.message))
    },
  }
  export default worker
  export const assets = worker
  import { DurableObject } from 'cloudflare:workers'
  export class DatabaseObject extends DurableObject {}
`

let requests = 0
const receiver: Server = createServer((_, response) => {
  requests++
  response.end('reached')
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, resolve))
  ;({ port } = receiver.address() as AddressInfo)
})
afterAll(() => receiver.close())

const HOSTS = ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '2130706433']

it('the runtime refuses addresses of this machine with the error that hooks recognise', async () => {
  const worker = await startWorker(WORKER)
  const answers = await Promise.all(
    HOSTS.map((host) => worker.ask(`/${encodeURIComponent(`http://${host}:${port}/`)}`)),
  )
  await worker.stop()
  for (const [index, answer] of answers.entries())
    expect([HOSTS[index], answer]).toEqual([
      HOSTS[index],
      expect.stringMatching(REFUSED_BY_RUNTIME),
    ])
  expect(requests).toBe(0)
})

it('addresses of this machine are reachable if local hooks are allowed', async () => {
  const worker = await startWorker(WORKER, { reachesThisMachine: true })
  const answer = await worker.ask(`/${encodeURIComponent(`http://127.0.0.1:${port}/`)}`)
  await worker.stop()
  expect([answer, requests]).toEqual(['reached', 1])
})

it('the runtime says that nothing answers with the error that hooks recognise', async () => {
  const worker = await startWorker(WORKER, { reachesThisMachine: true })
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port: free } = silent.address() as AddressInfo
  await new Promise((resolve) => silent.close(resolve))
  const answer = await worker.ask(`/${encodeURIComponent(`http://127.0.0.1:${free}/`)}`)
  await worker.stop()
  expect(answer).toMatch(LOST_CONNECTION)
})
