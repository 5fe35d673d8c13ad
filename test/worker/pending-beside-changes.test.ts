/** Changes that are pending on a node whose runs change something else, too. */

import { beforeEach, expect, it } from 'vitest'
import { ask, store } from './client.ts'
import { HOUR, run } from './console-runs.ts'
import { emptyDatabase } from './migrated-database.ts'
import { event, resource, type Payload } from './reports.ts'

beforeEach(emptyDatabase)

const changedBeside = (more: Payload): Payload => ({
  status: 'changed',
  ...more,
  resources: [
    resource({ resource_title: '/etc/hosts', events: [event({ status: 'success' })] }),
    resource({ resource_title: '/etc/motd', events: [event({ status: 'noop' })] }),
  ],
})
const pendingOf = async (more: Payload) => {
  await store(...[40, 25, 1].map((hours) => run('node-1', hours * HOUR, changedBeside(more))))
  const { items } = await ask('/insight/v1/worth-a-look')
  return (items as { kind: string }[]).find(({ kind }) => kind === 'pending')
}

it('are worth a look after a day', async () => {
  expect(await pendingOf({ noop_pending: true })).toMatchObject({
    changes: 1,
    nodes: 1,
    certname: 'node-1',
  })
})

it('are not told of agents that do not report whether any are pending', async () => {
  expect(await pendingOf({ noop_pending: null })).toBeUndefined()
})
