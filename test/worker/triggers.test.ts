/** Which work a cron trigger does, by its text in `wrangler.toml`. */

import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/cron.ts'
import worker from '../../worker/index.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'
import { countRows, request } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { NOON } from './reports.ts'

const HOUR = 3_600_000

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))

/** What is left to do: hours that housekeeping has to close, and hooks that have not looked at the last hours. */
async function workLeft() {
  return {
    housekeeping: await countRows('open_hours'),
    hooks: await countRows('hooks where cursor < ?', NOON - HOUR),
  }
}

it.each([
  [HOUSEKEEPING_CRON, { housekeeping: 0, hooks: 1 }],
  [NOTIFY_CRON, { housekeeping: 1, hooks: 0 }],
  ['*/10 * * * *', { housekeeping: 0, hooks: 0 }],
  ['', { housekeeping: 0, hooks: 0 }],
])('after %j there is left: %j', async (cron, left) => {
  vi.setSystemTime(NOON - 5 * HOUR)
  const hook = { url: 'https://hooks.example.com/x', transition: 'failed' }
  await request('/admin/v1/hooks/told', { method: 'PUT', body: JSON.stringify(hook) })
  await storeInTime(...runsOf(`node of ${cron}`, '-', 4 * HOUR))
  expect(await workLeft()).toEqual({ housekeeping: 1, hooks: 1 })
  await worker.scheduled({ scheduledTime: NOON, cron, noRetry: () => undefined }, env)
  expect(await workLeft()).toEqual(left)
  await request('/admin/v1/hooks/told', { method: 'DELETE' })
  await worker.scheduled(createScheduledController({ scheduledTime: NOON }), env)
})

it('the log has a line of work that did something, and no other', async () => {
  vi.setSystemTime(NOON - 5 * HOUR)
  const lines: unknown[] = []
  const spy = vi.spyOn(console, 'info').mockImplementation((line: string) => {
    lines.push(JSON.parse(line))
  })
  const run = (cron: string, bindings: object) =>
    worker.scheduled(
      { scheduledTime: NOON, cron, noRetry: () => undefined },
      { ...env, ...bindings },
    )
  const runHousekeeping = (LOG_REQUESTS: string) => run(HOUSEKEEPING_CRON, { LOG_REQUESTS })
  const hook = { url: 'https://hooks.example.com/x', transition: 'failed' }
  await request('/admin/v1/hooks/told', { method: 'PUT', body: JSON.stringify(hook) })
  await run(NOTIFY_CRON, { LOG_REQUESTS: 'on' })
  await request('/admin/v1/hooks/told', { method: 'DELETE' })
  await runHousekeeping('off')
  await runHousekeeping('on')
  expect(lines).toEqual([])
  await storeInTime(...runsOf('logged', '-', 4 * HOUR))
  await runHousekeeping('on')
  await runHousekeeping('on')
  expect(lines).toEqual([
    expect.objectContaining({ level: 'info', rowsWritten: expect.any(Number) }),
  ])
  expect(lines).toMatchObject([{ housekeeping: { hoursClosed: 1 } }])
  await storeInTime(...runsOf('not logged', '-', 3 * HOUR))
  await runHousekeeping('off')
  expect(lines).toHaveLength(1)
  await storeInTime(...runsOf('archived', '--', 5 * 24 * HOUR))
  await run(HOUSEKEEPING_CRON, { LOG_REQUESTS: 'on', HISTORY: env.TEST_BUCKET })
  expect(lines[1]).toMatchObject({
    housekeeping: {
      archived: { days: 1, parts: 1, reports: 2, bytes: expect.any(Number), failure: null },
    },
  })
  spy.mockRestore()
})
