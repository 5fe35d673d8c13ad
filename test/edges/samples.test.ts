/** How much insights look at: what they answer at the number, and on both sides of it. */

import { beforeAll, vi } from 'vitest'
import { HOUR } from '../../worker/lib/time.ts'
import { ask, store } from '../worker/client.ts'
import { page } from '../worker/page.ts'
import { at, event, NOON, report, resource } from '../worker/reports.ts'
import { times } from './answers.ts'
import { edge, testEdges } from './edge.ts'

beforeAll(() => void vi.setSystemTime(NOON))

let runs = 0
/** Stores so many runs, a second after each other: one slice of a day has all of them. */
async function storeRuns(count: number): Promise<void> {
  for (; runs < count; runs++) {
    const time = at(runs * 1000 - HOUR)
    const clocks = { start_time: time, end_time: time, producer_timestamp: time }
    await store(report({ certname: `ran-${runs}`, ...clocks }))
  }
}

/** How many runs are timed in a span, and of how many the metrics are read. */
async function sampledIn(since: string): Promise<readonly [timed: number, read: number]> {
  const { buckets, types } = await ask('/insight/v1/trends', { since })
  const timed = (buckets as readonly { sampled: number }[]).map(({ sampled }) => sampled)
  return [Math.max(...timed), types.sampled]
}

testEdges('a trend', [
  edge({
    number: 'insight/trends/run-times.ts READ_RUNS',
    of: 'runs in a slice: of how many the metrics are read in a few buckets, and in many',
    cases: [
      [1, [1, 1]],
      [2, [2, 2]],
      [3, [3, 2]],
      [4, [4, 2]],
      [5, [4, 2]],
    ],
    async drive(count: number) {
      await storeRuns(count)
      return [(await sampledIn('4d'))[1], (await sampledIn('40d'))[1]]
    },
  }),
  edge({
    number: 'insight/trends/run-times.ts MANY_BUCKETS',
    of: 'buckets: of how many of five runs in a slice the metrics are read',
    cases: [
      [30, 4],
      [31, 4],
      [32, 2],
    ],
    drive: async (buckets: number) => (await sampledIn(`${buckets - 1}d`))[1],
  }),
  edge({
    number: 'insight/trends/run-times.ts TIMED_RUNS',
    of: 'runs in a slice: how many are timed',
    cases: [
      [23, 23],
      [24, 24],
      [25, 24],
    ],
    async drive(count: number) {
      await storeRuns(count)
      return (await sampledIn('4d'))[0]
    },
  }),
])

let failing = 0
/** Stores nodes that ran well three hours ago and have failed for an hour, each for another reason. */
async function storeFailing(count: number): Promise<void> {
  for (; failing < count; failing++) {
    const certname = `fails-${failing}`
    const letters = [...String(failing)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
    const failure = resource({ events: [event({ status: 'failure', message: `no ${letters}` })] })
    await store(
      ...[3, 1].map((hours) => {
        const time = at(-hours * HOUR)
        const clocks = { start_time: time, end_time: time, producer_timestamp: time }
        const failed = hours === 1 ? { status: 'failed', resources: [failure] } : {}
        return report({ certname, transaction_uuid: null, ...clocks, ...failed })
      }),
    )
  }
}

testEdges('what happened since the last look', [
  edge({
    number: 'insight/since.ts MOST_CAUSES',
    of: 'causes began: how many Fleet says',
    cases: [
      [99, '99'],
      [100, '100'],
      [101, '100'],
    ],
    async drive(count: number) {
      await storeFailing(count)
      const cookie = `console_looked=${times(2, () => NOON - 2 * HOUR).join('.')}`
      const [said] = await (await page('/console', { cookie })).texts('.since')
      return /(\d+) causes began/.exec(said ?? '')?.[1]
    },
  }),
])
