/** What goes takes its causes with it, whether a report is too old or its node is deleted. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import worker from '../../worker/index.ts'
import { wrongIn } from '../soundness.ts'
import { ask, countRows, JSON_TYPE, request } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { event, NOON, report, resource } from './reports.ts'

const DAY = 24 * 3_600_000

/** Reasons with the number of reports that have each. */
async function causes(): Promise<string[]> {
  const { items } = await ask('/insight/v1/causes', { since: '30d' })
  return items
    .map((cause: { reports: number; reason: string }) => `${cause.reports} ${cause.reason}`)
    .sort()
}
const rows = (): Promise<number> => countRows('report_causes')

it('a run with a failed event has failed, whatever it calls itself', async () => {
  const resources = [resource({ events: [event({ status: 'failure', message: 'odd' })] })]
  await storeInTime(report({ certname: 'odd', status: 'changed', resources }))
  expect([await causes(), await rows()]).toEqual([['1 odd'], 1])
})

it('retention deletes the causes of deleted reports', async () => {
  await storeInTime(...runsOf('aged', 'FeF', 20 * DAY), ...runsOf('aged', 'F-'))
  expect(await rows()).toBe(5)
  const controller = { scheduledTime: NOON + DAY, cron: '', noRetry: () => undefined }
  await worker.scheduled(controller, env)
  expect(await causes()).toEqual(["1 Could not find package 'nginx'", '1 odd'])
  expect(await rows()).toBe(2)
  expect(await wrongIn(env.DB)).toEqual({})
})

it('deleting a node deletes the causes of its reports, and no others', async () => {
  await storeInTime(...runsOf('deleted', 'FeFF'), ...runsOf('stays', 'e'))
  expect(await rows()).toBe(7)
  const body = JSON.stringify({ command: 'delete', version: 1, payload: { certname: 'deleted' } })
  const response = await request('/pdb/admin/v1/cmd', { method: 'POST', headers: JSON_TYPE, body })
  expect(response.status).toBe(200)
  expect(await causes()).toEqual([
    "1 Could not find package 'nginx'",
    '1 Syntax error at end of input (/code/web.pp)',
    '1 odd',
  ])
  expect(await rows()).toBe(3)
  expect(await wrongIn(env.DB)).toEqual({})
})
