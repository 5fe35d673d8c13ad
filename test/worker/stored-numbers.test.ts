/** Numbers in the database that stand for something, written out: a database of today must mean the same to later releases. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { store } from './client.ts'
import { errorLine } from './fleets.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

const rowsOf = (sql: string): Promise<readonly (readonly unknown[])[]> =>
  env.DB.prepare(sql).raw<unknown[]>()

const CHANGE = resource({ events: [event()] })
const FACTER = [
  errorLine('no such fact', { source: 'Facter' }),
  errorLine('Applied catalog in 2.1 seconds', { level: 'notice' }),
]
const PENDING = { noop: true, noop_pending: true }

const STATES: readonly (readonly [state: number, certname: string, parts: Payload])[] = [
  [0, 'unchanged', {}],
  [1, 'changed', { status: 'changed', resources: [CHANGE] }],
  [2, 'corrective', { status: 'changed', corrective_change: true, resources: [CHANGE] }],
  [3, 'failed', { status: 'failed' }],
  [4, 'unchanged-noop', { noop: true }],
  [5, 'changed-noop', PENDING],
  [6, 'corrective-noop', { ...PENDING, corrective_change: true }],
  [7, 'failed-noop', { status: 'failed', noop: true }],
  [11, 'failed-by-events', { resources: [resource({ events: [event({ status: 'failure' })] })] }],
  [17, 'changed-and-pending', { status: 'changed', noop_pending: true, resources: [CHANGE] }],
  [32, 'without-facts', { logs: FACTER }],
]

beforeAll(async () => {
  vi.setSystemTime(NOON)
  await store(
    ...STATES.map(([, certname, parts]) => report({ certname, transaction_uuid: null, ...parts })),
  )
})

it.each(STATES)('schema/states.ts says %i for %s', async (state, certname) => {
  expect(
    await rowsOf(
      `select r.state from nodes n join reports r on r.id = n.latest where n.certname = '${certname}'`,
    ),
  ).toEqual([[state]])
})

it.each<[flags: number, clocks: string, times: Payload, receivedAt: number]>([
  [0, 'none', {}, 0],
  [1, 'agent', { start_time: at(-7_200_000) }, 0],
  [2, 'late', {}, 60_000],
  [3, 'both', { end_time: at(3_600_000) }, 60_000],
])(
  'schema/clocks.ts says %i for clocks of which these are wrong: %s',
  async (flags, certname, times, receivedAt) => {
    vi.setSystemTime(NOON + receivedAt)
    await store(report({ certname, transaction_uuid: null, ...times }))
    expect(
      await rowsOf(
        `select r.clock_flags from nodes n join reports r on r.id = n.latest where n.certname = '${certname}'`,
      ),
    ).toEqual([[flags]])
  },
)

it('schema/string-kinds.ts has a number for each kind of string', async () => {
  const failed = { property: 'the property', name: 'the event', status: 'failure' }
  await store(
    report({
      certname: 'strings',
      environment: 'the environment',
      producer: 'the producer',
      puppet_version: 'the agent',
      code_id: 'the code',
      resources: [resource({ file: 'the file', events: [event(failed)] })],
    }),
  )
  const kinds = await rowsOf(
    `select kind, value from strings where value like 'the %' or value in ('failed', 'failure', 'not_used') order by kind`,
  )
  expect(kinds).toEqual([
    [1, 'the environment'],
    [2, 'the producer'],
    [3, 'the agent'],
    [4, 'failed'],
    [5, 'not_used'],
    [6, 'the code'],
    [7, 'failure'],
    [8, 'the file'],
    [9, 'the property'],
    [10, 'the event'],
  ])
})
