/** The service comes back when its runtime dies, and its runtime ends when the launcher does. */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { report } from '../worker/reports.ts'
import { startLocalService } from './local-service.ts'
import { npmStart } from './npm-start.ts'
import { runtimesOf, treeOf } from './processes.ts'
import { sendReport } from './send-report.ts'
import { until } from './until.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restart-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** As clients do, it comes again after 503. Nothing else may come but that and 200. */
async function certnamesAt(url: string): Promise<string[]> {
  for (;;) {
    const response = await fetch(`${url}/query/v4/nodes`)
    if (response.status === 200)
      return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
    await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  }
}

/** A connection that has sent half of a report, which the runtime has: a later request was answered. */
async function sendHalf(url: string) {
  const body = JSON.stringify(report({ certname: 'web1' }))
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let answer = ''
  socket.on('data', (piece) => (answer += piece.toString()))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const head = `POST /pdb/cmd/v1?command=store_report&version=8&certname=web1 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  await new Promise((resolve) => socket.write(head + body.slice(0, 100), resolve))
  const later = await fetch(`${url}/status/v1/simple`, { headers: { connection: 'close' } })
  expect(await later.text()).toBe('running')
  return {
    sendRest: () => socket.write(body.slice(100)),
    /** The answer, once the connection has ended. */
    answer: async () => {
      await closed
      return answer
    },
  }
}

describe('a service', () => {
  let service: Service
  let troubles: string[] = []
  afterEach(() => service.stop())

  async function start(name: string): Promise<string> {
    troubles = []
    service = await startLocalService(
      {},
      {
        data: join(folder, name),
        onTrouble: (sentence) => troubles.push(sentence),
        onLine: () => undefined,
        // However long the machine takes, requests wait and are waited for.
        timings: { socketsMs: 20, patienceMs: 600_000, stopMs: 600_000 },
      },
    )
    return service.url
  }

  const killRuntime = async (): Promise<number> => {
    const pid = await until(() => {
      expect(service.runtimePid()).not.toBeNull()
      return service.runtimePid()!
    })
    process.kill(pid, 'SIGKILL')
    return pid
  }

  it('whose runtime dies answers on the same port, and has every acknowledged report', async () => {
    const url = await start('killed')
    expect(await sendReport(url, 'web1')).toBe(200)
    await killRuntime()
    expect(await certnamesAt(url)).toEqual(['web1'])
    expect(await sendReport(url, 'web2')).toBe(200)
    expect((await certnamesAt(url)).sort()).toEqual(['web1', 'web2'])
    expect(troubles).toEqual([
      'The runtime (workerd) ended unexpectedly (SIGKILL). It starts again in 0.1 s.',
    ])
  })

  it('whose runtime dies fails hardly a query', async () => {
    const url = await start('unbroken')
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
      until(() => expect(statuses.length).toBeGreaterThanOrEqual(count))
    await answers(40)
    await killRuntime()
    await answers(statuses.length + 40)
    stop = true
    await Promise.all(asking)
    const refused = statuses.filter((status) => status !== 200)
    expect(refused.every((status) => status === 503)).toBe(true)
    // Each query is asked again, once: both times in vain, if the dead runtime's socket is still open then.
    expect(refused.length).toBeLessThanOrEqual(clients)
    expect(troubles[0]).toContain('ended unexpectedly (SIGKILL). It starts again in 0.1 s.')
  })

  it('answers 503 with Retry-After to the request that crashed its runtime', async () => {
    const half = await sendHalf(await start('cut'))
    await killRuntime()
    expect(await half.answer()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nretry-after: 1\r\n/)
  })

  it('waits longer after each crash of its runtime, and logs the reason', async () => {
    const url = await start('loop')
    let last = 0
    for (const seconds of ['0.1', '0.2', '0.4']) {
      await until(() => expect([null, last]).not.toContain(service.runtimePid()))
      last = await killRuntime()
      await until(() => expect(troubles.at(-1)).toContain(`again in ${seconds} s.`))
    }
    expect(await certnamesAt(url)).toEqual([])
  })

  it.each([
    ['while its runtime runs', false],
    ['and its runtime is killed', true],
  ])('comes back when its temporary folder is cleaned %s', async (name, isKilled) => {
    const url = await start(name)
    expect(await sendReport(url, 'web1')).toBe(200)
    await rm(await readFile(join(folder, name, 'service.run'), 'utf8'), { recursive: true })
    if (isKilled) await killRuntime()
    await until(async () => {
      const headers = { connection: 'close' }
      const answer = await fetch(`${url}/status/v1/simple`, { headers })
      expect([answer.status, await answer.text()]).toEqual([200, 'running'])
    })
    expect(await certnamesAt(url)).toEqual(['web1'])
  })

  it('finishes the requests under way when it is stopped', async () => {
    const url = await start('graceful')
    const half = await sendHalf(url)
    const stopped = service.stop()
    await until(() => expect(fetch(url)).rejects.toThrow())
    half.sendRest()
    expect(await half.answer()).toMatch(/^HTTP\/1\.1 200 /)
    await stopped
  })
})

it('a launcher that is killed takes all its processes with it', async () => {
  const words = ['--port', '0', '--data', join(folder, 'orphan'), '--empty']
  const started = npmStart(words)
  await started.ready
  // The process that writes, and a reader.
  await until(() => expect(runtimesOf(started.pid)).toHaveLength(2))
  const all = treeOf(started.pid)
  await started.stop('SIGKILL')
  const alive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }
  await until(() => expect(all.filter(alive)).toEqual([]))
})
