/** What long answers leave behind is collected: the runtime's memory does not grow with their number. */

import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { event, report, resource } from '../../worker/reports.ts'
import { startLocalService } from '../../local/local-service.ts'

const REPORTS = 4
const EVENTS = 1500
const LISTINGS = 40

let service: Service
beforeAll(async () => {
  service = await startLocalService({ LOG_REQUESTS: 'off' })
  for (let n = 0; n < REPORTS; n++) {
    const certname = `web${n}`
    const resources = Array.from({ length: EVENTS }, (_, index) =>
      resource({
        resource_title: `/etc/${n}/${index}`,
        events: [event({ message: `changed ${index} `.padEnd(200, 'x') })],
      }),
    )
    const query = `command=store_report&version=8&certname=${certname}`
    const response = await fetch(`${service.url}/pdb/cmd/v1?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report({ certname, status: 'changed', resources })),
    })
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  }
})
afterAll(() => service?.stop())

function megabytes(): number {
  const status = readFileSync(`/proc/${service.runtimePid()}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

it.skipIf(platform() !== 'linux')('of listings of all events, however many', async () => {
  let bytes = 0
  for (let listing = 0; listing < LISTINGS; listing++) {
    const response = await fetch(`${service.url}/pdb/query/v4/events`)
    const text = await response.text()
    bytes = text.length
    expect((JSON.parse(text) as unknown[]).length).toBe(REPORTS * EVENTS)
  }
  expect(bytes).toBeGreaterThan(4_000_000)
  // 500 MB without, 170 with.
  expect(megabytes()).toBeLessThan(300)
})
