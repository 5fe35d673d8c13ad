/** Checks every invariant of the database, page by page; each page is one bounded read of one moment. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import type { Database } from '../store/database.ts'
import { checkCauses } from './causes.ts'
import type { CheckedPage, Problem } from './checked-page.ts'
import { checkDays } from './days.ts'
import { checkDictionaries } from './dictionaries.ts'
import { checkHours } from './hours.ts'
import { checkNodes } from './nodes.ts'
import { checkReports } from './reports.ts'

type Check = (database: Database, after: number) => Promise<CheckedPage>

/** The parts of the check, in order. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['dictionaries', checkDictionaries],
  ['causes', checkCauses],
  ['nodes', checkNodes],
  ['reports', checkReports],
  ['hours', checkHours],
  ['days', checkDays],
]
const NAMES = CHECKS.map(([name]) => name)

/** Less than every key. */
const START = -Number.MAX_SAFE_INTEGER

/** The next page's cursor, with the result of this page; null after the last. */
export interface CheckAnswer {
  readonly check: string
  readonly checked: number
  readonly problems: readonly Problem[]
  readonly next: string | null
}

/**
 * Checks the page of `cursor`, or the first page where it is empty.
 *
 * @throws QueryError for a cursor that no page returned
 */
export async function checkPage(database: Database, cursor: string): Promise<CheckAnswer> {
  const [name = '', position] = cursor === '' ? [NAMES[0]] : cursor.split(':')
  const after = position === undefined ? START : Number(position)
  const index = NAMES.indexOf(name)
  if (index < 0 || !Number.isSafeInteger(after)) {
    throw new QueryError(
      `'${cursor}' is no place to go on from: 'after' takes the 'next' of an answer, or one of ${NAMES.join(', ')}.${suggestion(name, NAMES)}`,
    )
  }
  const { next, ...page } = await CHECKS[index]![1](database, after)
  return {
    check: name,
    ...page,
    next: next === null ? (NAMES[index + 1] ?? null) : `${name}:${next}`,
  }
}
