/** Reports that are not there: what can be said of them, when those that go leave nothing behind. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { purgeNodes } from '../../worker/housekeeping/expire-nodes.ts'
import worker from '../../worker/index.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { counting } from './database.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { readPage } from './page.ts'
import { NOON } from './reports.ts'

const DAY = 24 * 3_600_000
const HTML = { accept: 'text/html' }
const TOKENS = [tokenLine('boss', 'admin,read'), tokenLine('web', 'read', 'certname=web-*')].join(
  '\n',
)
let deletedHash = ''

beforeAll(async () => {
  await storeInTime(...runsOf('web-1', '-', 20 * DAY))
  deletedHash = (await ask('/query/v4/reports'))[0].hash
  await storeInTime(...runsOf('web-1', '-', 10 * DAY), ...runsOf('web-1', '--'))
  const controller = { scheduledTime: NOON, cron: '', noRetry: () => undefined }
  await worker.scheduled(controller, env)
})

const read = async (path: string, token = 'boss', settings: Record<string, string> = {}) => {
  const service = closed({ TOKENS, ...settings })
  const headers = { ...HTML, 'x-authentication': token }
  return readPage(await service.request(path, { headers }))
}

describe('the page of a deleted report says', () => {
  it.each([
    ['of a report', () => `/console/reports/${deletedHash}`],
    ['of its comparison', () => `/console/reports/${deletedHash}/diff`],
    ['of one with another', () => `/console/diff/${deletedHash}..${deletedHash}`],
  ])('when retention removes reports, and how far back they reach: %s', async (_, path) => {
    const { status, text } = await read(path())
    expect(status).toBe(404)
    expect(text).toContain(deletedHash)
    expect(text).toContain(
      'after 14d (REPORT_TTL), except each node’s latest: now those from before 2026-02-16 12:',
    )
    expect(text).toContain('The oldest stored report is from 2026-02-20 12:00 UTC.')
    expect(text).toContain('so this one may have existed.')
  })

  it('by which other ages, where there are some', async () => {
    const settings = { REPORT_TTL: '0', REPORT_TTL_RULES: 'status=failed:60d' }
    const { text } = await read(`/console/reports/${deletedHash}`, 'boss', settings)
    expect(text).toContain('Reports are kept at any age (REPORT_TTL).')
    expect(text).toContain('Some reports have another age: status=failed:60d (REPORT_TTL_RULES).')
  })

  it('nothing of reports that a restricted reader may not see', async () => {
    const { status, text } = await read(`/console/reports/${deletedHash}`, 'web')
    expect(status).toBe(404)
    expect(text).not.toContain('The oldest')
    expect(text).toContain('You see only nodes named web-*.')
  })
})

it('nodes that are to be deleted wait once there is no time left, and cost nothing', async () => {
  await env.DB.prepare('UPDATE nodes SET deactivated = 1').run()
  const { database, batches } = counting()
  const purged = await purgeNodes(Database.primary(database), NOON, 0, () => false)
  expect(purged).toMatchObject({ nodes: 0, reports: 0, complete: false })
  expect(batches()).toBe(1)
  await env.DB.prepare('UPDATE nodes SET deactivated = NULL').run()
})

it('the page of an unknown node does not mention reports', async () => {
  expect((await read('/console/nodes/unknown')).text).not.toContain('REPORT_TTL')
})

describe('the 404 for a report says in a header how far back reports reach', () => {
  it.each([
    ['/query/v4/reports/:hash/events', '2026-02-20T12:00:00.000Z'],
    ['/pdb/query/v4/reports/:hash/logs', '2026-02-20T12:00:00.000Z'],
    ['/insight/v1/reports/:hash', '2026-02-20T12:00:00.000Z'],
    ['/query/v4/nodes/unknown', null],
  ])('%s: %s', async (path, oldest) => {
    const response = await request(path.replace(':hash', deletedHash))
    expect(response.status).toBe(404)
    expect(response.headers.get('x-oldest-report')).toBe(oldest)
    const { error } = await response.json<{ error: string }>()
    expect(error).toMatch(/^No information is known about (report [0-9a-f]{40}|node unknown)$/)
  })

  it('for readers who may see all reports only', async () => {
    const service = closed({ TOKENS })
    const headers = { 'x-authentication': 'web' }
    const response = await service.request(`/query/v4/reports/${deletedHash}/logs`, { headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-oldest-report')).toBeNull()
  })
})
