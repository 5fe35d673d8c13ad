/** A runtime that lives but answers nothing is replaced, and nothing that hangs keeps the service from stopping. */

import { afterEach, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../local-service.ts'
import { runtimesOf } from '../processes.ts'
import { sendReport } from '../send-report.ts'
import { until } from '../until.ts'

let service: Service
let troubles: string[] = []
let isStopped = false
afterEach(() => (isStopped ? undefined : service.stop()))

async function start(hungMs: number, stopMs: number): Promise<void> {
  troubles = []
  isStopped = false
  service = await startLocalService(
    {},
    {
      readers: 2,
      onLine: () => undefined,
      onTrouble: (sentence) => troubles.push(sentence),
      timings: { heartbeatMs: 20, hungMs, stopMs, patienceMs: 600_000 },
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
