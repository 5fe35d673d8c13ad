/** Records D1's answers and replays them, so that a page's time is the Worker's own. */

import type { Statement } from '../../worker/sql/statement.ts'
import { bindingOf } from '../binding.ts'
import type { Probe } from '../probe.ts'

/** Statements and parameters of a batch → its answer. */
export type Answers = Map<string, unknown>

/** Masks long numbers, since statements contain the current time, which differs at the replay. */
const keyOf = (statements: readonly Statement[]): string =>
  JSON.stringify(statements.map(({ sql, params }) => [sql, params])).replaceAll(/\d{6,}/g, '#')

/** Queries the database and records its answers. */
export const recording = (probe: Probe, answers: Answers): D1Database =>
  bindingOf(async (statements) => {
    const results = await probe(statements)
    answers.set(keyOf(statements), results)
    return results
  })

/**
 * Replays the recorded answers without a database.
 *
 * @param onAsked called when a page has queried
 * @param onAnswer called when the page continues with the answer
 */
export const replaying = (
  answers: Answers,
  onAsked: () => void,
  onAnswer: () => void,
): D1Database =>
  bindingOf((statements) => {
    onAsked()
    const results = answers.get(keyOf(statements))
    if (results === undefined) {
      throw new Error(`Nothing was taken down for ${keyOf(statements).slice(0, 500)}`)
    }
    onAnswer()
    return Promise.resolve(results)
  })
