/** Divides a span into buckets of one length, each with its number since 1970. */

import { DAY, HOUR, MINUTE } from '../lib/time.ts'
import { QueryError } from '../lib/errors.ts'
import type { View } from './view.ts'

/** Lengths in ms. */
export const BUCKETS = { 'five-minutes': 5 * MINUTE, hour: HOUR, day: DAY } as const
export type BucketName = keyof typeof BUCKETS
export const BUCKET_NAMES = Object.keys(BUCKETS) as readonly BucketName[]

/** Most buckets of a span: the reader chooses the span, and the answer lists every bucket, including empty ones. */
const MOST_BUCKETS = 10_000
/** Longest span in buckets of five minutes, in ms: its runs are read one by one. */
export const LONGEST_OF_MINUTES = 6 * HOUR
/** Most hours listed for each of many causes: a hundred days. */
export const MOST_HOURS = 2400

type Limits = Pick<View, 'since' | 'until'>

/** The buckets of a span. @throws QueryError where there are too many */
export function bucketsOf(span: Limits, bucket: BucketName): number[] {
  if (bucket === 'five-minutes' && span.until - span.since > LONGEST_OF_MINUTES)
    throw new QueryError(
      `Buckets of five minutes are for spans of at most ${LONGEST_OF_MINUTES / HOUR} hours: ask for a shorter span, or for buckets of an hour.`,
    )
  const { first, behind } = within(span, BUCKETS[bucket])
  if (behind - first <= MOST_BUCKETS) return numbers(first, behind)
  throw new QueryError(
    `Between 'since' and 'until' there are ${behind - first} ${bucket}s, and ${MOST_BUCKETS} buckets are answered: ask for longer buckets, or of a shorter span.`,
  )
}

/** The hours of a span; only the last hundred days of a longer one. */
export function lastHoursOf(span: Limits): number[] {
  const { first, behind } = within(span, HOUR)
  return numbers(Math.max(first, behind - MOST_HOURS), behind)
}

const within = ({ since, until }: Limits, length: number) => ({
  first: Math.floor(since / length),
  behind: Math.ceil(until / length),
})

const numbers = (first: number, behind: number): number[] =>
  Array.from({ length: Math.max(0, behind - first) }, (_, index) => first + index)
