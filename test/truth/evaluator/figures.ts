/** Figures of many runs. */

import { visibleRuns, type Question } from './fleet.ts'

/**
 * The quantile of the times of all runs of a part of the span, in seconds, by nearest rank; null without runs.
 *
 * @param from inclusive, in ms
 * @param until exclusive, in ms
 */
export function quantileTruth(
  question: Question,
  fraction: number,
  from: number,
  until: number,
): number | null {
  const { since, until: end, environment } = question
  const times = visibleRuns(question)
    .filter(
      (run) =>
        (environment === null || run.environment === environment) &&
        run.producer >= Math.max(from, since) &&
        run.producer < Math.min(until, end),
    )
    .map(({ seconds }) => seconds)
    .sort((one, other) => one - other)
  return times[Math.ceil(fraction * times.length) - 1] ?? null
}
