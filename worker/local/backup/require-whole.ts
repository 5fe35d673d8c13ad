/** Refuses databases that are damaged, or that are not this service's. */

import { StartError } from '../command-line.ts'
import { historyProblems } from './history-list.ts'
import { verifyDatabase, type VerifiedDatabase } from './verify.ts'

/** Problems that a refusal lists. */
const MOST_LISTED = 5

/** The problems of a database or history, a line each. */
export function problemLines(problems: readonly string[]): string {
  const more = problems.length - MOST_LISTED
  const listed = problems
    .slice(0, MOST_LISTED)
    .map((problem) => `\n  ${problem.replaceAll('\n', '\n  ')}`)
  return listed.join('') + (more > 0 ? `\n  and ${more} more` : '')
}

/**
 * @param name of the file in the refusal
 * @throws StartError: 1 for a damaged database, 2 for one of another program
 */
export async function requireWhole(
  root: string,
  file: string,
  name: string,
): Promise<VerifiedDatabase> {
  const found = await verifyDatabase(root, file)
  if (found.problems.length > 0)
    throw new StartError(`${name} is damaged:${problemLines(found.problems)}`, 1)
  if (found.migrations === null)
    throw new StartError(`${name} isn't a backup: it's a database of another program.`, 2)
  return found
}

/** @param history the folder of a backup's history; null for none @throws StartError for a missing or damaged file */
export async function requireWholeHistory(history: string | null): Promise<void> {
  const problems = history === null ? [] : await historyProblems(history)
  if (problems.length > 0)
    throw new StartError(`The history in ${history} is damaged:${problemLines(problems)}`, 1)
}
