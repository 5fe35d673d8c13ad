/** The hours and days of a span, each by its number since 1970. */

import { QueryError } from '../lib/errors.ts'
import { HOUR } from '../schema/clocks.ts'
import { BUCKETS, type BucketName } from './shapes.ts'
import type { View } from './view.ts'

/** Whoever asks names the span, and something is answered of every bucket, of empty ones too. */
const MOST_BUCKETS = 10_000
/** Hours of each of many causes: a hundred days. */
const MOST_HOURS = 2400

type Span = Pick<View, 'since' | 'until'>

/** The buckets of a span. @throws QueryError where there are more than are answered */
export function bucketsOf(span: Span, bucket: BucketName): number[] {
  const { first, behind } = within(span, BUCKETS[bucket])
  if (behind - first <= MOST_BUCKETS) return numbers(first, behind)
  throw new QueryError(
    `Between 'since' and 'until' there are ${behind - first} ${bucket}s, and ${MOST_BUCKETS} buckets are answered: ask for longer buckets, or of a shorter span.`,
  )
}

/** The hours of a span; of a longer one than a hundred days the last of them. */
export function lastHoursOf(span: Span): number[] {
  const { first, behind } = within(span, HOUR)
  return numbers(Math.max(first, behind - MOST_HOURS), behind)
}

const within = ({ since, until }: Span, length: number) => ({
  first: Math.floor(since / length),
  behind: Math.ceil(until / length),
})

const numbers = (first: number, behind: number): number[] =>
  Array.from({ length: Math.max(0, behind - first) }, (_, index) => first + index)
