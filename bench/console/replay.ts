/** Answers of D1, taken down once and given again: what is left of a page's time is the Worker's own. */

import type { Statement } from '../../worker/sql/statement.ts'
import { bindingOf } from '../binding.ts'
import type { Probe } from '../probe.ts'

/** What one batch was answered, by its statements and their parameters. */
export type Answers = Map<string, unknown>

/** The present stands in statements as times, hours and keys, and is another one when they are asked again. */
const keyOf = (statements: readonly Statement[]): string =>
  JSON.stringify(statements.map(({ sql, params }) => [sql, params])).replaceAll(/\d{6,}/g, '#')

/** Asks the database, and takes down what it answers. */
export const recording = (probe: Probe, answers: Answers): D1Database =>
  bindingOf(async (statements) => {
    const results = await probe(statements)
    answers.set(keyOf(statements), results)
    return results
  })

/**
 * Answers as was taken down, without a database.
 *
 * @param onAsked told when a page has asked
 * @param onAnswer told when it goes on with what it got
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
