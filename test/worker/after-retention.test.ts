/** What is asserted once retention has deleted reports: what outlives them is right, and what does not is not said. */

import { env } from 'cloudflare:workers'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, countRows, store } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { emptyDatabase } from './migrated-database.ts'
import { event, report, resource, type Payload } from './reports.ts'
import { READERS } from '../truth/documents.ts'
import { page, readPage } from './page.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const HOUR = 3_600_000

const at = (hours: number): string => new Date(NOW - hours * HOUR).toISOString()

const run = (hours: number, more: Payload = {}): Payload =>
  report({
    certname: 'web-1',
    start_time: at(hours),
    end_time: at(hours),
    producer_timestamp: at(hours),
    configuration_version: String(hours),
    ...more,
  })
const failedRun = (hours: number): Payload =>
  run(hours, {
    status: 'failed',
    resources: [resource({ events: [event({ status: 'failure', message: 'no such host' })] })],
  })

async function keepHouse(age: string): Promise<void> {
  const settings = readSettings({ ...env, REPORT_TTL: age })
  await runHousekeeping(Database.primary(env.DB), settings, NOW)
}

beforeEach(async () => {
  await emptyDatabase()
  vi.setSystemTime(NOW)
})
afterAll(() => void vi.useRealTimers())

it('A late report leaves a node its usual interval, of which deleted runs are a part', async () => {
  const usual = () => env.DB.prepare('SELECT usual FROM nodes').first<number>('usual')
  const strip = () => env.DB.prepare('SELECT length(runs) / 7 AS n FROM nodes').first<number>('n')
  await store(...[8, 7, 6, 5, 4, 1].map((hours) => run(hours)))
  await keepHouse('3h')
  await store(run(3), run(2.5))
  expect([await usual(), await strip()]).toEqual([HOUR, 8])
})

it('Readers of some nodes are not told when a cause was first seen', async () => {
  const { ask: askAs, request } = closed({
    TOKENS: tokenLine('webs', 'read', READERS.webs.filter),
  })
  const listed = async () => (await askAs('webs', '/insight/v1/causes', { since: '24h' })).items[0]
  await store(failedRun(8), failedRun(1))
  expect(await listed()).toMatchObject({ first_seen: at(8), new: true })
  await keepHouse('3h')
  const { cause, ...found } = await listed()
  expect(found).toMatchObject({ first_seen: null, new: false })
  for (const path of ['', `/causes/${cause}`, '/causes']) {
    const headers = { accept: 'text/html', 'x-authentication': 'webs' }
    const { html } = await readPage(await request(`/console${path}?since=24h`, { headers }))
    expect(html).toContain('no such host')
    expect(html).not.toMatch(/first seen/i)
  }
  expect((await ask('/insight/v1/causes', { since: '24h' })).items[0].first_seen).toBe(at(8))
})

it('A cause stays when its last run was deleted, and quotes no message', async () => {
  await store(failedRun(8), run(1))
  const { items } = await ask('/insight/v1/causes', { since: '24h' })
  const path = `causes/${items[0].cause}`
  await keepHouse('3h')
  expect(await countRows('report_causes')).toBe(0)
  expect(await ask(`/insight/v1/${path}`)).toMatchObject({
    ...{ first_seen: at(8), last_seen: at(8), reports: 0, failing: 0, sample: null },
    stretches: [{ since: at(8), until: at(8), runs: 1, deleted: 1 }],
  })
  const { text } = await page(`/console/${path}`)
  expect(text).toContain('No node fails because of this now.')
  expect(text).not.toContain('What Puppet said')
})
