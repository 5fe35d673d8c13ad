/** The service comes back when its runtime dies, and its runtime ends when the launcher does. */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { report } from '../worker/reports.ts'
import { npmStart, type Started } from './npm-start.ts'
import { runtimesOf, treeOf } from './processes.ts'

let folder = ''
let service: Started | null = null
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restart-'))
})
afterEach(async () => {
  await service?.stop('SIGKILL')
  service = null
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start(name: string): Promise<{ url: string; started: Started }> {
  const started = npmStart(['--port', '0', '--data', join(folder, name), '--empty'])
  service = started
  return { url: await started.ready, started }
}

const submit = (url: string, certname: string): Promise<Response> =>
  fetch(`${url}/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report({ certname })),
  })

/** As clients do, it comes again after 503. Nothing else may come but that and 200. */
async function certnamesAt(url: string): Promise<string[]> {
  for (;;) {
    const response = await fetch(`${url}/query/v4/nodes`)
    if (response.status === 200)
      return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  }
}

const WAITING = { timeout: 30_000, interval: 5 }

const killRuntime = async ({ pid }: Started): Promise<number> => {
  const [runtime] = await vi.waitFor(() => {
    const found = runtimesOf(pid)
    expect(found).toHaveLength(1)
    return found
  }, WAITING)
  process.kill(runtime!, 'SIGKILL')
  return runtime!
}

it('answers on the same port after its runtime was killed, and has every acknowledged report', async () => {
  const { url, started } = await start('killed')
  expect((await submit(url, 'web1')).status).toBe(200)
  await killRuntime(started)
  expect(await certnamesAt(url)).toEqual(['web1'])
  expect((await submit(url, 'web2')).status).toBe(200)
  expect((await certnamesAt(url)).sort()).toEqual(['web1', 'web2'])
  expect(started.output()).toContain(
    'The runtime (workerd) ended unexpectedly (SIGKILL). It starts again in 0.1 s.',
  )
})

it('fails hardly a query while its runtime dies', async () => {
  const { url, started } = await start('unbroken')
  const clients = 4
  const statuses: number[] = []
  let stop = false
  const asking = Array.from({ length: clients }, async () => {
    while (!stop) {
      const response = await fetch(`${url}/query/v4/nodes`)
      await response.text()
      statuses.push(response.status)
    }
  })
  const answers = (count: number) =>
    vi.waitFor(() => expect(statuses.length).toBeGreaterThanOrEqual(count), WAITING)
  await answers(40)
  await killRuntime(started)
  await answers(statuses.length + 40)
  stop = true
  await Promise.all(asking)
  const refused = statuses.filter((status) => status !== 200)
  expect(refused.every((status) => status === 503)).toBe(true)
  // Each query is asked again, once: both times in vain, if the dead runtime's socket is still open then.
  expect(refused.length).toBeLessThanOrEqual(clients)
  expect(started.output()).toContain('ended unexpectedly (SIGKILL). It starts again in 0.1 s.')
})

it('answers 503 with Retry-After to a request that crashed its runtime', async () => {
  const { url, started } = await start('cut')
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let answer = ''
  socket.on('data', (piece) => (answer += piece.toString()))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // Half of it, so that it can't have been answered.
  socket.write('POST /pdb/cmd/v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf')
  await sleep(300)
  await killRuntime(started)
  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nretry-after: 1\r\n/)
})

it('waits longer after each crash, and logs the reason', async () => {
  const { url, started } = await start('loop')
  let last = 0
  for (const seconds of ['0.1', '0.2', '0.4']) {
    await vi.waitFor(() => expect(runtimesOf(started.pid)).not.toContain(last), WAITING)
    last = await killRuntime(started)
    await vi.waitFor(() => expect(started.output()).toContain(`again in ${seconds} s.`), WAITING)
  }
  expect(await certnamesAt(url)).toEqual([])
})

it('stops all its processes when the launcher is killed', async () => {
  const { started } = await start('orphan')
  const runtimes = runtimesOf(started.pid)
  const all = treeOf(started.pid)
  expect(runtimes).toHaveLength(1)
  await started.stop('SIGKILL')
  const alive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }
  await vi.waitFor(() => expect(all.filter(alive)).toEqual([]), WAITING)
})

it('finishes the requests under way on SIGTERM', async () => {
  const { url, started } = await start('graceful')
  const { hostname, port } = new URL(url)
  const body = JSON.stringify(report({ certname: 'web1' }))
  const socket = connect({ host: hostname, port: Number(port) })
  let answer = ''
  socket.on('data', (piece) => (answer += piece.toString()))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(
    `POST /pdb/cmd/v1?command=store_report&version=8&certname=web1 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 100)}`,
  )
  await sleep(300)
  const ended = started.stop('SIGTERM')
  await sleep(200)
  socket.write(body.slice(100))
  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ended).toMatchObject({ code: 0 })
})

it.each([
  ['while its runtime runs', false],
  ['and its runtime is killed', true],
])('comes back when its temporary folder is cleaned %s', async (name, isKilled) => {
  const { url, started } = await start(name)
  expect((await submit(url, 'web1')).status).toBe(200)
  await rm(await readFile(join(folder, name, 'service.run'), 'utf8'), { recursive: true })
  if (isKilled) await killRuntime(started)
  await vi.waitFor(async () => {
    const headers = { connection: 'close' }
    const answer = await fetch(`${url}/status/v1/simple`, { headers })
    expect([answer.status, await answer.text()]).toEqual([200, 'running'])
  }, WAITING)
  expect(await certnamesAt(url)).toEqual(['web1'])
  const { code } = await started.stop('SIGTERM')
  expect(code).toBe(0)
})
