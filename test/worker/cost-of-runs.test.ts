/** What pages of the fleet read does not grow with the runs of each node, but with the hours that count them. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { costOf, request } from './client.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { emptyDatabase } from './migrated-database.ts'
import { NOON } from './reports.ts'

const NODES = 24
/** Each node is at another letter, so that there is always one that fails, and one that is well again. */
const LETTERS = '--CF-D'
const RUNS = [6, 24] as const
const HOURS = (RUNS[1] - RUNS[0]) / 2

/**
 * Rows of a further hour: its counts, a row and an entry for each cause and drift, and the runs that failed, in which nodes are looked for
 * that come and go. Reading what each run failed by, and whom it broke, took 280.
 */
const MOST_ROWS_OF_HOUR = 90

const PAGES = ['/console', '/console?layout=wall', '/console/nodes', '/console/deploys']
const rows = new Map<string, number[]>()

beforeAll(async () => {
  for (const runs of RUNS) {
    await emptyDatabase()
    const numbers = Array.from({ length: NODES }, (_, index) => index)
    await storeInTime(
      ...numbers.flatMap((number) =>
        runsOf(
          `node-${number}`,
          LETTERS.repeat(RUNS[1]).slice(number, number + runs),
          number * 1000,
          {
            code_id: (number % 2 === 0 ? 'a1' : 'b2').repeat(20),
          },
        ),
      ),
    )
    const database = Database.primary(env.DB)
    const closed = await closeHours(database, NOON + 4 * HALF_HOUR)
    await groupHours(database, NOON + 4 * HALF_HOUR, closed)
    for (const page of PAGES) {
      await (await request(page)).text()
      const response = await request(page)
      await response.text()
      rows.set(page, [...(rows.get(page) ?? []), costOf(response).rowsRead])
    }
  }
})

describe(`${RUNS.join(' and ')} runs of each of ${NODES} nodes`, () => {
  it.each(PAGES)('%s', (page) => {
    const [few = 0, many = 0] = rows.get(page) ?? []
    expect(few).toBeGreaterThan(NODES)
    expect((many - few) / HOURS).toBeLessThanOrEqual(MOST_ROWS_OF_HOUR)
  })
})
