/**
 * A runtime that lives but answers nothing is replaced, one that a slow disk holds up is waited for, and nothing that hangs
 * keeps the service from stopping.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../local-service.ts'
import { npmStart } from '../npm-start.ts'
import { runtimesOf } from '../processes.ts'
import { sendReport } from '../send-report.ts'
import { until } from '../until.ts'

let service: Service
let troubles: string[] = []
let isStopped = true
afterEach(() => (isStopped ? undefined : service.stop()))

async function start(hungMs: number, stopMs: number, lateMs = 600_000): Promise<void> {
  troubles = []
  isStopped = false
  service = await startLocalService(
    {},
    {
      readers: 2,
      onLine: () => undefined,
      onTrouble: (sentence) => troubles.push(sentence),
      timings: { heartbeatMs: 20, hungMs, lateMs, stopMs, patienceMs: 600_000 },
    },
  )
}

it('a runtime that is stopped (SIGSTOP) is reported and replaced; the request that it had gets 503', async () => {
  await start(8000, 600_000)
  expect(await sendReport(service.url, 'web1')).toBe(200)
  const hung = service.runtimePid()!
  process.kill(hung, 'SIGSTOP')
  expect(await sendReport(service.url, 'web2')).toBe(503)
  expect(troubles[0]).toBe(
    'The runtime (workerd) has answered nothing for 8 s. The service replaces it.',
  )
  await until(() => expect([null, hung]).not.toContain(service.runtimePid()))
  expect(await sendReport(service.url, 'web3')).toBe(200)
  const nodes = await fetch(`${service.url}/pdb/query/v4/nodes`)
  const certnames = (await nodes.json<{ certname: string }[]>()).map(({ certname }) => certname)
  expect(certnames.toSorted()).toEqual(['web1', 'web3'])
})

it('a service stops although all its processes stand still', async () => {
  await start(600_000, 100)
  await until(() => expect(runtimesOf(process.pid)).toHaveLength(2))
  for (const pid of runtimesOf(process.pid)) process.kill(pid, 'SIGSTOP')
  await service.stop()
  isStopped = true
  expect(runtimesOf(process.pid)).toEqual([])
})

// A FIFO that nobody reads holds up whoever opens it, as a disk does that hangs.
it.skipIf(process.platform === 'win32')(
  'a launcher whose disk hangs is ended within 10 s of a signal, by 137',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'hang-'))
    onTestFinished(() => rm(data, { recursive: true }))
    execFileSync('mkfifo', [join(data, 'reserve.partial')])
    const environment = { RUNTIME_DIRECTORY: data }
    const started = npmStart(['--port', '0', '--data', data], { environment })
    await started.ready
    const { code, output } = await started.stop('SIGTERM')
    expect(output).toContain('The service did not stop within 9.5 s, and is ended.')
    expect(code).toBe(137)
  },
)

/** Makes each write to the disk of these processes take two seconds. */
const SLOW = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', '/dev/null']
const DELAY = ['-e', 'inject=fsync,fdatasync:delay_enter=2000000']
const canTrace = spawnSync('strace', [...SLOW, ...DELAY, 'true']).status === 0

it.skipIf(!canTrace)(
  'on a slow disk reports wait, queries do not, and the log says how slow it is',
  async () => {
    await start(600_000, 600_000, 1000)
    expect(await sendReport(service.url, 'web0')).toBe(200)
    const certnamesNow = async (): Promise<string[]> => {
      const nodes = await fetch(`${service.url}/pdb/query/v4/nodes`)
      const rows = await nodes.json<{ certname: string }[]>()
      return rows.map(({ certname }) => certname).toSorted()
    }
    const slow = spawn('strace', [...SLOW, ...DELAY, '-p', String(service.runtimePid())])
    const ended = once(slow, 'exit')
    // From its first late write on it is attached.
    let sent = 0
    await until(async () => {
      const begun = performance.now()
      expect(await sendReport(service.url, `web${++sent}`)).toBe(200)
      expect(performance.now() - begun).toBeGreaterThan(1900)
    })
    const last = sendReport(service.url, `web${++sent}`)
    const isStored = last.then(() => true)
    const before = Array.from({ length: sent }, (_, n) => `web${n}`).toSorted()
    expect(await certnamesNow()).toEqual(before)
    expect(await Promise.race([isStored, Promise.resolve(false)])).toBe(false)
    expect(await last).toBe(200)
    slow.kill('SIGTERM')
    await ended
    expect(await certnamesNow()).toEqual([...before, `web${sent}`].toSorted())
    expect(troubles).toHaveLength(1)
    expect(troubles[0]).toMatch(
      /^The runtime \(workerd\) took \d(\.\d)? s to answer; reports waited\. The disk is slow, or the machine is busy\.$/,
    )
  },
)
