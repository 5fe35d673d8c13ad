/** What insights read: rows of their span, of their node, or of their page, however many reports there are beside. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { MOST_READ_OF_CAUSE } from '../../worker/insight/causes/last-time.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, costOf, request } from './client.ts'
import { copyLatest } from './copies.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { NOON } from './reports.ts'

const OLD_REPORTS = 3000
/** One that reads them all reads more than ten times as many. */
const MOST_ROWS = 200
const DAYS = 10
const MILLISECOND = 1024

let hash = ''
let cause = ''
let version = ''

beforeAll(async () => {
  await storeInTime(
    ...runsOf('old', 'F', HALF_HOUR),
    ...runsOf('web-1', '-CF-CF', 0, { code_id: 'a1'.repeat(20) }),
    ...runsOf('web-2', '--D-F-', 0),
    ...runsOf('never-good', 'FF', 0),
  )
  // A minute apart, long before all spans.
  await copyLatest({ r: 'old' }, OLD_REPORTS, {
    id: `r.id - ${MILLISECOND} * (${DAYS * 86_400_000} + copy.value * 60000)`,
  })
  const closed = await closeHours(Database.primary(env.DB), NOON + 24 * 3_600_000)
  await groupHours(Database.primary(env.DB), Date.now(), closed)
  hash = (await ask('/query/v4/reports', { query: ['=', 'certname', 'web-1'] }))[0].hash
  version = (await ask('/insight/v1/deploys', { since: '30d' })).items[0].code_version
  cause = (await ask('/insight/v1/causes')).items[0].cause
})

/** How a cause ended the last time is found in so many of its reports, of three rows each. */
const MOST_ROWS_OF_CAUSE = MOST_ROWS + 3 * MOST_READ_OF_CAUSE

/** The counts of a span of a day, a mark per hour; and the windows in which a stretch's reports are read again. */
const MOST_ROWS_OF_CAUSES = MOST_ROWS + 24 + 10

/** A deploy reads whom it broke besides: still an eighth of the old reports. */
const MOST_ROWS_OF_DEPLOY = OLD_REPORTS / 8

const MOST: Readonly<Record<string, number>> = {
  causes: MOST_ROWS_OF_CAUSES,
  'causes/CAUSE': MOST_ROWS_OF_CAUSE,
  'deploys/production/VERSION': MOST_ROWS_OF_DEPLOY,
}

const PATHS = [
  'fleet',
  'map',
  'deploys',
  'deploys/production/VERSION',
  'timeline',
  'timeline?certname=web-1',
  'nodes?runs=32',
  'causes',
  'causes/CAUSE',
  'nodes/web-1',
  'nodes/never-good',
  'nodes/web-1/series?metric=time.total',
  'reports',
  'reports?state=failed',
  'reports/HASH',
  'reports/HASH/diff',
  'changes',
  'changes?certname=web-1',
  'search?q=web',
]

describe('an insight reads few rows', () => {
  it.each(PATHS)('%s', async (path) => {
    const named = path.replace('HASH', hash).replace('CAUSE', cause).replace('VERSION', version)
    const response = await request(`/insight/v1/${named}`)
    expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(/^{/)])
    const { roundTrips, rowsRead } = costOf(response)
    expect(roundTrips).toBe(1)
    expect(rowsRead).toBeLessThanOrEqual(MOST[path] ?? MOST_ROWS)
  })
})
