/** Numbers of days, in UTC: runs, failed runs, and the stretches of days in which nodes failed by a cause. */

import { visibleEver, type Question } from './fleet.ts'
import { timeOf, type Run } from './run.ts'

const DAY = 86_400_000
const dayOf = (time: number): number => Math.floor(time / DAY)

/** The runs that were ever stored, of the environment of the question and before now. */
const everyRun = (question: Question): readonly Run[] =>
  visibleEver(question).filter(
    ({ environment, producer }) =>
      (question.environment === null || environment === question.environment) &&
      producer <= question.now,
  )

/** Runs and failed runs of a day that begins at that time. */
export function numbersOfDay(
  question: Question,
  start: number,
): { readonly runs: number; readonly failed: number } {
  const own = everyRun(question).filter(({ producer }) => dayOf(producer) === dayOf(start))
  return { runs: own.length, failed: own.filter(({ failed }) => failed).length }
}

/** Consecutive days, each with a run that failed by a cause. Times in ms. */
export interface DayStretch {
  readonly since: number
  readonly until: number
  readonly runs: number
}

/** The newest first. */
export function dayStretchesOf(question: Question, cause: string): readonly DayStretch[] {
  const failures = everyRun(question)
    .filter(({ causes }) => causes.includes(cause))
    .toSorted((one, other) => timeOf(one) - timeOf(other))
  const stretches: DayStretch[] = []
  for (const run of failures) {
    const time = timeOf(run)
    const last = stretches[0]
    if (last !== undefined && dayOf(time) - dayOf(last.until) <= 1)
      stretches[0] = { since: last.since, until: time, runs: last.runs + 1 }
    else stretches.unshift({ since: time, until: time, runs: 1 })
  }
  return stretches
}
