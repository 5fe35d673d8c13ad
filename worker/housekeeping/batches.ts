/** Splits expired reports into batches that D1 can delete in one transaction, and into smaller ones where it can't. */

import { isShortOf } from '../store/failures.ts'
import type { ExpiredReport } from './expired-report.ts'

/** Reports and events of one batch: some 10,000 rows are what D1 deletes in a fraction of a second. */
export const MOST_REPORTS = 2000
export const MOST_DELETED_EVENTS = 5000

/** Splits reports into runs that one batch may delete. */
function batchesOf(expired: readonly ExpiredReport[]): ExpiredReport[][] {
  const batches: ExpiredReport[][] = []
  let events = Infinity
  for (const one of expired) {
    const size = Math.min(one.events, MOST_DELETED_EVENTS)
    if (events + size > MOST_DELETED_EVENTS || batches.at(-1)!.length >= MOST_REPORTS) {
      batches.push([])
      events = 0
    }
    batches.at(-1)!.push(one)
    events += size
  }
  return batches
}

export interface BatchWork {
  /** Deletes a batch. @param isLast whether no further batch follows */
  readonly work: (batch: readonly ExpiredReport[], isLast: boolean) => Promise<void>
  /** Called for a report that D1 can't even delete alone. @param error D1's, which it may throw again */
  readonly passOver: (report: ExpiredReport, isLast: boolean, error: unknown) => Promise<unknown>
  /** Called before each batch; if it returns false, the rest remains. */
  readonly mayContinue: () => boolean
}

/**
 * Deletes reports batch by batch. A batch that is too much work for D1 is halved until it passes, and the batches after it
 * grow again, but not to a size that was too much: one report can't delay the ones after it.
 *
 * @returns whether all reports were deleted or passed over
 */
export async function inBatches(
  expired: readonly ExpiredReport[],
  { work, passOver, mayContinue }: BatchWork,
): Promise<boolean> {
  const waiting = batchesOf(expired)
  let most = MOST_REPORTS
  /** The size of the last batch that was too much, unless one report alone was. */
  let failed = Infinity
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    if (!mayContinue()) return false
    if (batch.length > most) waiting.unshift(batch.splice(most))
    const isLast = waiting.length === 0
    try {
      await work(batch, isLast)
      most = Math.min(MOST_REPORTS, failed - 1, most * 2)
    } catch (error) {
      if (!isShortOf(error, 'too much work')) throw error
      if (batch.length === 1) await passOver(batch[0]!, isLast, error)
      else waiting.unshift(batch)
      failed = batch.length === 1 ? Infinity : batch.length
      most = Math.ceil(batch.length / 2)
    }
  }
  return true
}
