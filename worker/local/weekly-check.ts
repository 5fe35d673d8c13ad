/**
 * Checks the whole database once a week while the service runs, a page at a time: damage on pages that no query reads
 * would otherwise show when the last good backup is gone.
 */

import type { CheckAnswer } from '../integrity/check.ts'
import { DAY, MINUTE } from '../lib/time.ts'
import { readNoteFile, writeNoteFile } from './note-file.ts'

const FILE = 'last-check.json'
const EVERY_MS = 7 * DAY
/** Pages are checked for so long, once a minute: requests wait for a page at most. */
const STEP_MS = 1000

/** How far the check has come, as the data folder keeps it. */
interface CheckProgress {
  /** When it began, in ms. */
  readonly began: number
  /** Where it continues; null once it is complete. */
  readonly next: string | null
  readonly problems: number
}

export interface WeeklyCheck {
  /** Folder of the database. */
  readonly data: string
  readonly pageAfter: (after: string) => Promise<CheckAnswer>
  /** Called with a sentence about each problem. */
  readonly onProblem: (sentence: string) => void
  /** Called with a sentence once all is checked and well. */
  readonly onWell: (sentence: string) => void
}

/** Runs the check until the process ends. */
export function checkWeekly(check: WeeklyCheck): void {
  const again = (): void => void setTimeout(step, MINUTE).unref()
  const step = (): void =>
    void checkStep(check, Date.now())
      .catch((error: Error) => check.onProblem(`The weekly check has stopped: ${error.message}`))
      .then(again)
  again()
}

/** Checks the next pages, if a check is due. @param now in ms */
export async function checkStep(
  { data, pageAfter, onProblem, onWell }: WeeklyCheck,
  now: number,
): Promise<void> {
  const last = await readNoteFile<CheckProgress>(data, FILE)
  // A check that began in the future did so by a wrong clock.
  const isOver = last === null || (last.next === null && Math.abs(now - last.began) >= EVERY_MS)
  let progress: CheckProgress = isOver ? { began: now, next: '', problems: 0 } : last
  if (progress.next === null) return
  const until = performance.now() + STEP_MS
  while (progress.next !== null && performance.now() < until) {
    const { problems, next } = await pageAfter(progress.next)
    for (const { where, invariant } of problems)
      onProblem(`The database is not sound: ${where}. Broken rule: ${invariant}.`)
    progress = { ...progress, next, problems: progress.problems + problems.length }
    await writeNoteFile(data, FILE, progress)
  }
  if (progress.next === null && progress.problems === 0)
    onWell('The weekly check has read the whole database, and all is well.')
}
