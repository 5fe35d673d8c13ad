/** Runs whose facts failed before they applied their catalog: no failures, but to be found. */

import { beforeAll, expect, it } from 'vitest'
import { ask } from './client.ts'
import { errorLine, runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import type { Payload } from './reports.ts'

const FACTER: Payload = {
  status: 'unchanged',
  logs: [
    errorLine('no such fact', { source: 'Facter' }),
    errorLine('Applied catalog in 2.1 seconds', { level: 'notice' }),
  ],
}

beforeAll(() =>
  storeInTime(
    ...runsOf('well-1', '--', 0, {}),
    ...runsOf('ruby-1', '--', 0, FACTER),
    ...runsOf('ruby-2', '-', 0, FACTER),
  ),
)

const named = ({ items }: { items: readonly { certname: string }[] }): string =>
  items.map(({ certname }) => certname).join(' ')

it.each([
  ['/insight/v1/nodes', { fact_errors: 'true' }, 'ruby-1 ruby-2'],
  ['/insight/v1/nodes', { fact_errors: 'false' }, 'well-1'],
  ['/insight/v1/nodes', { fact_errors: 'true', state: 'failed' }, ''],
  ['/insight/v1/reports', { fact_errors: 'true', certname: 'ruby-1' }, 'ruby-1 ruby-1'],
  ['/insight/v1/reports', { fact_errors: 'true', certname: 'well-1' }, ''],
])('%s with %j lists %j', async (path, parameters, expected) => {
  expect(named(await ask(path, parameters))).toBe(expected)
})

it('are counted in the fleet, beside its states', async () => {
  const fleet = await ask('/insight/v1/fleet')
  expect([fleet.nodes, fleet.fact_errors]).toEqual([3, 2])
  expect(fleet.environments[0].fact_errors).toBe(2)
})

it.each([
  ['/console', '2 with fact errors'],
  ['/console/nodes', 'Fact errors 2'],
  ['/console/nodes?state=fact-errors', '2 nodes with fact errors of 3'],
  ['/console/reports?state=fact-errors', '3 reports with fact errors'],
])('%s says: %s', async (path, sentence) => {
  expect((await page(path)).text).toContain(sentence)
})

it.each(['/console/reports', '/console/nodes'])('are what no query says: %s', async (path) => {
  const isQuery = async (state: string): Promise<boolean> =>
    (await page(`${path}?state=${state}`)).text.includes('Open as query')
  expect(await isQuery('failed')).toBe(true)
  expect(await isQuery('fact-errors')).toBe(false)
})

it('nor is silence', async () => {
  expect((await page('/console/nodes?state=silent')).text).not.toContain('Open as query')
})

it('are a filter only where a node has them', async () => {
  expect((await page('/console/nodes?exclude=ruby')).text).not.toContain('Fact errors')
})
