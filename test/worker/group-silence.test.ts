/** What is said of a group that fell silent: what its nodes have in common is said only where it tells them from nodes that report. */

import { expect, it } from 'vitest'
import { fleetSilence } from '../../worker/insight/nodes/group-silence.ts'

const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const HOUR = 3_600_000

/** Six silent nodes `web` and six nodes `db` that report. */
const silenceOf = (
  silent: { readonly environment: string; readonly producer: string },
  reporting: { readonly environment: string; readonly producers: readonly string[] },
) => {
  const node = (name: string, environment: string, producer: string | null) => ({
    certname: name,
    environment,
    silence: producer === null ? null : ([NOON - 5 * HOUR, HOUR / 2, producer] as const),
  })
  const numbers = [1, 2, 3, 4, 5, 6]
  const nodes = numbers.flatMap((number) => [
    node(`web-${number}`, silent.environment, silent.producer),
    node(`db-${number}`, reporting.environment, null),
  ])
  const view = { nodeGroup: /^[a-z]+/, since: NOON - 24 * HOUR, silentAfter: 2 * HOUR }
  const { silent_groups } = fleetSilence(view, nodes, {
    ...{ failed: 0, newest: NOON, producers: reporting.producers },
  })
  const [{ environment, producer }] = silent_groups as [(typeof silent_groups)[number]]
  return { environment, producer }
}

it.each([
  [
    'nothing that all nodes have',
    { environment: 'production', producers: ['puppet-a'] },
    { environment: null, producer: null },
  ],
  [
    'the environment that others have not',
    { environment: 'staging', producers: ['puppet-a'] },
    { environment: 'production', producer: null },
  ],
  [
    'the server that others do not ask',
    { environment: 'production', producers: ['puppet-a', 'puppet-b'] },
    { environment: null, producer: 'puppet-a' },
  ],
  [
    'nothing where nobody reports to compare with',
    { environment: 'production', producers: [] },
    { environment: null, producer: null },
  ],
])('%s', (_, reporting, common) => {
  expect(silenceOf({ environment: 'production', producer: 'puppet-a' }, reporting)).toEqual(common)
})
