/** What a deploy changed, counted by nodes: also where the first nodes have run it many times before others run it at all. */

import { beforeAll, expect, it } from 'vitest'
import { ask } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { at, resource, type Payload } from './reports.ts'

const [OLD, NEW] = ['a1a1a1a1', 'b2b2b2b2']
const CHANGED = { status: 'changed', resources: [resource()] }
const NODES = ['web1', 'web2', 'web3', 'web4', 'web5', 'web6', 'web7', 'web8']

beforeAll(async () => {
  // Half-hourly runs of 26 hours, all but two with the new code; and two nodes that run it only now.
  const early: Payload[] = NODES.flatMap((name) =>
    runsOf(name, '-'.repeat(53)).map((run, index) => ({
      ...run,
      code_id: index < 2 ? OLD : NEW,
      ...(index === 2 ? CHANGED : {}),
    })),
  )
  const late: Payload[] = ['db1', 'db2'].flatMap((name) =>
    runsOf(name, '--').map((run, index) => ({
      ...run,
      code_id: index === 0 ? OLD : NEW,
      producer_timestamp: at(index === 0 ? -27 * 3_600_000 : 1000),
      ...(index === 1 ? CHANGED : {}),
    })),
  )
  const all = [...early, ...late].sort((one, other) =>
    String(one['producer_timestamp']) < String(other['producer_timestamp']) ? -1 : 1,
  )
  await storeInTime(...all)
})

it('counts each node whose first run with it changed the resource', async () => {
  const { changes, changes_among: among } = await ask(`/insight/v1/deploys/production/${NEW}`)
  expect([changes, among]).toMatchObject([[{ resource: 'File[/etc/motd]', nodes: 10 }], 10])
})

it('heads the runs before it with no version: they may be of several', async () => {
  const { text } = await page(`/console/deploys/production/${NEW}`)
  expect(text).toContain(`Per run Before ${NEW} Difference`)
})
