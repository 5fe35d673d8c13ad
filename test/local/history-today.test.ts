/** The year of a node that ends today, on each day of a month: what is not compacted yet costs no more reads than the page promises. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import { DAY } from '../../worker/lib/time.ts'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { until } from './until.ts'

const MOST_READS = 30
/** Each day of a month is the last one once, and the year before the first of them is there. */
const LAST_DAYS = 31
const DAYS = 366 + LAST_DAYS
const START = Math.floor(Date.now() / DAY) - DAYS - 1

let data: string
let service: Service
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'history-today-'))
  service = await startLocalService(
    { LOG_REQUESTS: 'off', REPORT_TTL: '14d', NODE_TTL: '0', HISTORY_MODE: 'required' },
    { data },
  )
})
afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true })
})

const commands = [
  ...fleetCommands({
    ...{ nodes: 1, runs: DAYS, start: START * DAY + 1000, intervalSeconds: 86_400, seed: 5 },
  }),
]
const certname = String(commands[0]!.payload.certname)

async function send(first: number, end: number): Promise<void> {
  for (const { command, version, payload } of commands.slice(first, end)) {
    const response = await fetch(`${service.url}/pdb/cmd/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command, version, payload }),
    })
    expect(response.status).toBe(200)
  }
}

interface Years {
  readonly runs: number
  readonly looked: { readonly files: number; readonly reads: number; readonly from: string | null }
}

const years = async (): Promise<Years> =>
  (await fetch(`${service.url}/insight/v1/nodes/${certname}/years`)).json<Years>()

it(`takes at most ${MOST_READS} reads, whatever day it is`, { timeout: 600_000 }, async () => {
  for (let last = DAYS - LAST_DAYS; last < DAYS; last++) {
    await send(last === DAYS - LAST_DAYS ? 0 : last, last + 1)
    const now = new Date((START + last + 1) * DAY)
    // Until housekeeping has nothing left to do: the files stay as they are. A busy machine leaves work to the next run.
    let before = ''
    await until(async () => {
      await service.tick(undefined, now)
      const { files, reads: count } = (await years()).looked
      const [was, is] = [before, `${files} ${count}`]
      before = is
      // Before its days are archived, the database has the year.
      expect(count).toBeGreaterThan(20)
      expect(count).toBeLessThanOrEqual(MOST_READS)
      expect(is).toBe(was)
    })
    const { runs, looked } = await years()
    // 366 days of files, and the runs of the database.
    expect(runs, JSON.stringify(looked)).toBeGreaterThanOrEqual(365)
  }
})
