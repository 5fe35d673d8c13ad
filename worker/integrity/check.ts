/** Checks every invariant of the database, page by page; each page is one bounded read of one moment. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import type { Database } from '../store/database.ts'
import { checkArchivedDays } from './archived-days.ts'
import { checkArchivedMonths } from './archived-months.ts'
import { checkCauses } from './causes.ts'
import type { CheckedPage, CheckOptions, Problem } from './checked-page.ts'
import { checkDays, checkHours } from './hours.ts'
import { checkDictionaries } from './dictionaries.ts'
import { checkHourGroups } from './hour-groups.ts'
import { checkIndexes } from './indexes.ts'
import { checkNodes } from './nodes.ts'
import { remedyOf, repairAll } from './repairs.ts'
import { checkReports } from './reports.ts'

/** What the launcher of a self-hosted service found lost in the log of the database, as SQLite says nothing of it. */
export const checkLog = (
  _database: Database,
  _after: number,
  { lostLog }: Pick<CheckOptions, 'lostLog'>,
): Promise<CheckedPage> => {
  const problems =
    lostLog === null
      ? []
      : [
          {
            invariant: 'the log of the database has all that was committed',
            where: lostLog.where,
            remedy: lostLog.remedy,
          },
        ]
  return Promise.resolve({ checked: problems.length, problems, next: null })
}

type Check = (database: Database, after: number, options: CheckOptions) => Promise<CheckedPage>

/** The parts of the check, in order. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  // First, as the rows that other checks read are found by indexes.
  ['indexes', checkIndexes],
  ['dictionaries', checkDictionaries],
  ['causes', checkCauses],
  ['nodes', checkNodes],
  ['reports', checkReports],
  ['hours', checkHours],
  ['hour-groups', checkHourGroups],
  ['days', checkDays],
  ['history', checkArchivedDays],
  ['history-months', checkArchivedMonths],
  ['log', checkLog],
]
const NAMES = CHECKS.map(([name]) => name)

/** Less than every key. */
const START = -Number.MAX_SAFE_INTEGER

/** The next page's cursor, with the result of this page; null after the last. */
export interface CheckAnswer {
  readonly check: string
  readonly checked: number
  readonly problems: readonly AnsweredProblem[]
  readonly next: string | null
}

/** A problem with what to do about it. */
export interface AnsweredProblem {
  readonly invariant: string
  readonly where: string
  readonly remedy: string
  /** Whether it can be mended by computing again, or was. */
  readonly repair: 'none' | 'possible' | 'done'
}

/**
 * Checks the page of `cursor`, or the first page where it is empty.
 *
 * @throws QueryError for a cursor that no page returned
 */
export async function checkPage(
  database: Database,
  cursor: string,
  options: CheckOptions,
): Promise<CheckAnswer> {
  const [name = '', position] = cursor === '' ? [NAMES[0]] : cursor.split(':')
  const after = position === undefined ? START : Number(position)
  const index = NAMES.indexOf(name)
  if (index < 0 || !Number.isSafeInteger(after)) {
    throw new QueryError(
      `'${cursor}' isn't a place to go on from: 'after' takes the 'next' of an answer, or one of ${NAMES.join(', ')}.${suggestion(name, NAMES)}`,
    )
  }
  const check = CHECKS[index]![1]
  const { next, checked, problems } = await check(database, after, options)
  const repairs = options.repairs && problems.some(({ mends }) => mends !== undefined)
  if (repairs) await repairAll(database, problems, options.history)
  // What is right now was mended, what followed from it included.
  const left = repairs ? (await check(database, after, options)).problems : problems
  const isLeft = (one: Problem): boolean =>
    left.some(({ invariant, where }) => invariant === one.invariant && where === one.where)
  return {
    check: name,
    checked,
    problems: problems.map((problem) => ({
      invariant: problem.invariant,
      where: problem.where,
      remedy: problem.remedy ?? remedyOf(problem.mends),
      repair: !isLeft(problem) ? 'done' : problem.mends === undefined ? 'none' : 'possible',
    })),
    next: next === null ? (NAMES[index + 1] ?? null) : `${name}:${next}`,
  }
}
