/** The stretches that last at the end of the last closed hour are stored in steps, as one: reports come between the steps. */

import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { storeStretches } from '../../worker/housekeeping/store-stretches.ts'
import { stretchesAreStored } from '../../worker/outcomes/stretch.ts'
import { everyRun } from '../../worker/outcomes/view.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { FORGET_STRETCHES } from '../../worker/store/hour-groups.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, JSON_TYPE, request, submit } from './client.ts'
import { around } from './database.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { emptyDatabase } from './migrated-database.ts'
import { at, event, NOON, resource } from './reports.ts'

/** An hour after the last run, when its hour is closed. */
const NOW = NOON + 3 * HALF_HOUR
const CAUSES = ['disk', 'mirror', 'certificate']
const failed = (cause: string) => ({
  status: 'failed',
  resources: [
    resource({ events: [event({ status: 'failure', message: `The ${cause} is broken` })] }),
  ],
})

/** For each cause two nodes that fail in turn, so that its stretch is longer than either's failures. */
beforeEach(async () => {
  await emptyDatabase()
  const runs = CAUSES.flatMap((cause) =>
    ['F-F-F-F-', '-F-F-F-F'].flatMap((letters, node) =>
      runsOf(`${cause}${node}`, letters).map((run, index) =>
        letters[index] === 'F' ? { ...run, ...failed(cause) } : run,
      ),
    ),
  )
  await storeInTime(...runs, ...runsOf('bystander', '--------'))
  vi.setSystemTime(NOW)
  await runHousekeeping(Database.primary(env.DB), readSettings({ ...env, NODE_TTL: '0' }), NOW)
  await Database.primary(env.DB).batch([FORGET_STRETCHES])
})

const areStored = async (): Promise<boolean> => {
  const [[found]] = await Database.primary(env.DB).batch([stretchesAreStored()])
  return found!.stored === 1
}
const beginnings = async (): Promise<string[]> =>
  (await ask('/insight/v1/causes')).items.map(({ since }: { since: string }) => since)

/** Stores them. @returns rows that each batch read */
async function storeMeanwhile(
  rowsAtOnce: number,
  meanwhile: (batch: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<number[]> {
  const rows: number[] = []
  const database = around(async (send) => {
    await meanwhile(rows.length)
    const results = await send()
    rows.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0))
    return results
  })
  await storeStretches(Database.primary(database), everyRun(NOW), rowsAtOnce)
  return rows
}

const SINCE = at(-7 * HALF_HOUR)

it.each([
  ['one by one where each reads as much as a batch may', 1, 3],
  ['and further ones together where they read less', 1_000_000, 2],
])('each cause has its beginning, %s', async (_, rowsAtOnce, batches) => {
  const rows = await storeMeanwhile(rowsAtOnce)
  // Before them what failed, and after them what is stored.
  expect(rows).toHaveLength(batches + 2)
  expect(await areStored()).toBe(true)
  expect(await beginnings()).toEqual([SINCE, SINCE, SINCE])
})

const deactivate = () => {
  const query = 'command=deactivate_node&version=3&certname=bystander'
  const body = JSON.stringify({ certname: 'bystander', producer_timestamp: at(HALF_HOUR) })
  return request(`/pdb/cmd/v1?${query}`, { method: 'POST', headers: JSON_TYPE, body })
}
const remove = () =>
  request('/pdb/admin/v1/cmd', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ command: 'delete', version: 1, payload: { certname: 'bystander' } }),
  })

const report = () => submit(runsOf('bystander', '-', -HALF_HOUR - 1000)[0]!)

it.each<[what: string, ...changes: (() => Promise<Response>)[]]>([
  ['is deactivated', deactivate],
  ['is deactivated, and reports again,', deactivate, report],
  ['is deleted', remove],
])('none is stored where a node %s meanwhile, and all are afterwards', async (_, ...changes) => {
  await storeMeanwhile(1, async (batch) => {
    const change = changes[batch - 2]
    if (change) expect((await change()).status).toBe(200)
  })
  expect(await areStored()).toBe(false)
  expect(await beginnings()).toEqual([SINCE, SINCE, SINCE])
  await storeMeanwhile(1)
  expect(await areStored()).toBe(true)
  expect(await beginnings()).toEqual([SINCE, SINCE, SINCE])
})
