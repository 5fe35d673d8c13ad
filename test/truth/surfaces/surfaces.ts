/** Every surface that is held against the evaluator. */

import type { Documents } from '../documents.ts'
import { HOUR } from '../evaluator/fleet.ts'
import { NOW } from '../stories/site.ts'
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

export const SURFACES: readonly Surface[] = [
  ...FLEET_SURFACES,
  ...CAUSE_SURFACES,
  ...DEPLOY_SURFACES,
  ...FIGURE_SURFACES,
]
