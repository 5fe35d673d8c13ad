/** Every surface that is held against the evaluator. */

import type { Documents } from '../documents.ts'
import { HOUR, visibleEver, visibleRuns } from '../evaluator/fleet.ts'
import type { Run } from '../evaluator/run.ts'
import { DAY, NOW } from '../stories/site.ts'
import { quantileTruth } from '../evaluator/figures.ts'
import { CAUSE_SURFACES } from './causes.ts'
import { DEPLOY_SURFACES } from './deploys.ts'
import { FLEET_SURFACES } from './fleet.ts'
import type { Surface } from './surface.ts'

interface TrendAnswer {
  readonly bucket_hours: number
  readonly buckets: readonly {
    readonly start: string
    readonly sampled: number
    readonly p95: number | null
  }[]
}

/** The buckets that are over: what clocks that are ahead put into the present is no figure of it. */
async function pastBuckets(documents: Documents) {
  const { buckets, bucket_hours: hours } = (await documents.insight('trends')) as TrendAnswer
  return buckets
    .map((bucket) => ({ ...bucket, from: Date.parse(bucket.start) }))
    .map((bucket) => ({ ...bucket, until: bucket.from + hours * HOUR }))
    .filter(({ until }) => until <= NOW)
}

const FIGURE_SURFACES: readonly Surface[] = [
  {
    kind: 'percentile',
    on: '/insight/v1/trends',
    shown: async (documents) => {
      const buckets = await pastBuckets(documents)
      return Object.fromEntries(buckets.map(({ start, p95 }) => [start, p95]))
    },
    truth: async (question, documents) => {
      const buckets = await pastBuckets(documents)
      return Object.fromEntries(
        buckets.map(({ start, from, until, p95 }) => {
          const truth = quantileTruth(question, 0.95, from, until)
          // None may be shown where there are few runs.
          return [start, p95 === null ? null : truth]
        }),
      )
    },
  },
]

const startOfDay = (time: number): number => time - (time % DAY)

const RUN_SURFACES: readonly Surface[] = [
  {
    kind: 'runs',
    on: '/insight/v1/trends?since=30d',
    // Deleted runs are counted by their days, and by nothing that a node is told from: its readers get whole days alone.
    shown: async (documents) => {
      const { runs, failed, deleted } = await documents.insight('trends?since=30d')
      return { runs, failed, deleted }
    },
    truth: (question, { reading }) => {
      const { environment, now, deletedBefore } = question
      const isCounted = (run: Run): boolean =>
        (environment === null || run.environment === environment) && run.producer <= now
      const stored = visibleRuns(question).filter(isCounted)
      const runs =
        reading.reader === 'webs'
          ? stored.filter(({ producer }) => startOfDay(producer) >= (deletedBefore ?? -Infinity))
          : visibleEver(question).filter(isCounted)
      return {
        runs: runs.length,
        failed: runs.filter(({ failed }) => failed).length,
        deleted: runs.filter((run) => !stored.includes(run)).length,
      }
    },
  },
]

export const SURFACES: readonly Surface[] = [
  ...FLEET_SURFACES,
  ...CAUSE_SURFACES,
  ...DEPLOY_SURFACES,
  ...FIGURE_SURFACES,
  ...RUN_SURFACES,
]
