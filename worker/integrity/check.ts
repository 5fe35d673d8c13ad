/** Whether the store holds what it must: every invariant, page by page, each page one bounded read of one moment. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import type { Database } from '../store/database.ts'
import { checkCauses } from './causes.ts'
import type { CheckedPage, Problem } from './checked-page.ts'
import { checkDictionaries } from './dictionaries.ts'
import { checkHours } from './hours.ts'
import { checkNodes } from './nodes.ts'
import { checkReports } from './reports.ts'

type Check = (database: Database, after: number) => Promise<CheckedPage>

/** What is checked, in this order. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['dictionaries', checkDictionaries],
  ['causes', checkCauses],
  ['nodes', checkNodes],
  ['reports', checkReports],
  ['hours', checkHours],
]
const NAMES = CHECKS.map(([name]) => name)

/** Before every key. */
const START = -Number.MAX_SAFE_INTEGER

/** A page, with the cursor of the one that follows; null behind the last. */
export interface CheckAnswer {
  readonly check: string
  readonly checked: number
  readonly problems: readonly Problem[]
  readonly next: string | null
}

/**
 * Checks the page that `cursor` names, the first where it is empty.
 *
 * @throws QueryError for a cursor that no page gave
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
