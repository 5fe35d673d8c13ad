/** Records D1's answers and replays them, so that a page's time is the Worker's own. */

import type { Statement } from '../../worker/sql/statement.ts'
import { bindingOf } from '../binding.ts'
import type { Probe } from '../probe.ts'

/** Statements of a batch → its answer as JSON, since rows are decoded in place: an object could be read once. */
export type Answers = Map<string, string>

/**
 * Without parameters, and with numbers masked: statements hold the current time and what is counted from it, and those of
 * a warm isolate name the generation that it knows. Neither is the same at the replay.
 */
const keyOf = (statements: readonly Statement[]): string =>
  JSON.stringify(statements.map(({ sql }) => sql)).replaceAll(/\d+/g, '#')

/** Queries the database and records its answers. */
export const recording = (probe: Probe, answers: Answers): D1Database =>
  bindingOf(async (statements) => {
    const results = await probe(statements)
    const key = keyOf(statements)
    if (answers.has(key))
      throw new Error(`Two batches of the page differ by numbers or parameters only: ${key}`)
    answers.set(key, JSON.stringify(results))
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
    const read = JSON.parse(results) as Awaited<ReturnType<Probe>>
    onAnswer()
    return Promise.resolve(read)
  })
