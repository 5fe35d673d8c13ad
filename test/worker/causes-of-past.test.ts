/** What Causes says of a span that is over: what came later is neither new in it nor counted in it. */

import { beforeAll, expect, it, vi } from 'vitest'
import { ask, store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const at = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString()

const failedRun = (certname: string, hours: number, message: string) =>
  report({
    certname,
    start_time: at(hours),
    end_time: at(hours),
    producer_timestamp: at(hours),
    status: 'failed',
    resources: [
      resource({ events: [event({ status: 'failure', timestamp: at(hours), message })] }),
    ],
  })

beforeAll(async () => {
  vi.setSystemTime(NOW)
  await store(
    failedRun('db1.example.com', 8, 'E: Unable to locate package old'),
    failedRun('web1.example.com', 1, 'E: Unable to locate package later'),
    failedRun('web2.example.com', 1, 'E: Unable to locate package later'),
  )
})

it('lists the causes that fail now, but calls none new that came after the span', async () => {
  const { total, items } = await ask('/insight/v1/causes', { since: at(10), until: at(6) })
  expect(total).toBe(2)
  expect(items.map((one: never) => [one['failing'], one['nodes'], one['new']])).toEqual([
    [2, 0, false],
    [1, 1, true],
  ])
})

it('lists only the causes of the span as new ones', async () => {
  const parameters = { since: at(10), until: at(6), new: 'true' }
  const { items } = await ask('/insight/v1/causes', parameters)
  expect(items.map((one: never) => one['reason'])).toEqual(['E: Unable to locate package old'])
})

it('counts in its heading the causes and nodes of the span, and apart those that only fail now', async () => {
  const { texts } = await page(`/console/causes?from=${at(10)}&to=${at(6)}`)
  expect(await texts('h1')).toEqual([
    '1 cause of failure on 1 node 2026-03-02 02:00 UTC to 2026-03-02 06:00 UTC; 1 more fails now',
  ])
})

it.each([
  ['since=1h&nodes=nobody', true],
  ['from=2020-01-01&to=2020-01-02&nodes=nobody', false],
])('offers a longer span where one that is chosen has none: %s', async (search, isOffered) => {
  const { text } = await page(`/console/causes?${search}`)
  expect(text.includes('Show the last 30 days')).toBe(isOffered)
})
