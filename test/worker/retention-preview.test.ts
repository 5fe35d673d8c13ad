/** The dry run of retention sees what arrived behind the place that the last run came to. */

import { env } from 'cloudflare:workers'
import { afterAll, expect, it, vi } from 'vitest'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import { costOf, store } from './client.ts'
import { NOON, report } from './reports.ts'

const DAY = 86_400_000

const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
afterAll(() => info.mockRestore())

/** A run of one node, some days ago. */
function run(days: number) {
  const time = new Date(NOON - days * DAY).toISOString()
  return report({
    certname: 'late',
    configuration_version: `${days}`,
    start_time: time,
    end_time: time,
    producer_timestamp: time,
  })
}

it.each([
  [{ NODE_TTL: '0', NODE_PURGE_TTL: '0' }, []],
  [{ NODE_TTL: '1d', NODE_PURGE_TTL: '0' }, ['expire_nodes']],
  [{ NODE_TTL: '0', NODE_PURGE_TTL: '1d' }, ['purge_nodes']],
])('with %j has the steps of nodes %j', async (settings, steps) => {
  const request = new Request('http://service.example/admin/v1/retention')
  const response = await app.fetch(request, { ...env, ...settings })
  const answer = await response.json<{ steps: { step: string }[] }>()
  const ofNodes = answer.steps.map(({ step }) => step).filter((step) => step.endsWith('_nodes'))
  expect(ofNodes).toEqual(steps)
})

const due = async (): Promise<number> => {
  const response = await app.fetch(new Request('http://service.example/admin/v1/retention'), env)
  // Nodes, where the one rule begins with what it has let go, and a page of reports if any are of age.
  expect(costOf(response).roundTrips).toBeLessThanOrEqual(3)
  const { steps } = await response.json<{ steps: { step: string; reports: number }[] }>()
  return steps.find(({ step }) => step === 'purge_reports')!.reports
}

const tick = () =>
  worker.scheduled({ scheduledTime: NOON, cron: '', noRetry: () => undefined }, env)

it('says nothing of nodes that are kept for ever', async () => {
  const stepsWith = async (settings: Record<string, string>): Promise<string[]> => {
    const request = new Request('http://service.example/admin/v1/retention')
    const { steps } = await (
      await app.fetch(request, { ...env, ...settings })
    ).json<{
      steps: { step: string }[]
    }>()
    return steps.map(({ step }) => step).filter((step) => step.endsWith('_nodes'))
  }
  expect(await stepsWith({ NODE_TTL: '1h', NODE_PURGE_TTL: '1h' })).toEqual([
    'expire_nodes',
    'purge_nodes',
  ])
  expect(await stepsWith({ NODE_TTL: '0', NODE_PURGE_TTL: '0' })).toEqual([])
})

it('counts a late report that the last run had passed already', async () => {
  vi.setSystemTime(NOON)
  await store(run(0), run(20))
  await tick()
  expect(await due()).toBe(0)
  await store(run(30))
  expect(await due()).toBe(1)
  await tick()
  expect(await due()).toBe(0)
})
