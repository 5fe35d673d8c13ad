/** A question that one round trip answers: several of them, as the panels of a page, share that one. */

import type { Database, Row } from '../store/database.ts'
import type { Statement } from '../sql/statement.ts'

/** Statements, and how their rows, a list for each, become the answer. */
export interface Asked<Answer> {
  readonly statements: readonly Statement[]
  /** @throws NotFound where what was asked about is missing, or hidden by the row policy */
  readonly read: (results: readonly (readonly Row[])[]) => Answer
}

/** What is asked where an answer would cost too much, or say nothing new. */
export const NOTHING: Asked<null> = { statements: [], read: () => null }

type AnswersOf<Questions> = {
  readonly [Name in keyof Questions]: Questions[Name] extends Asked<infer Answer> ? Answer : never
}

/** The answers to all questions, by their names, from one batch: all of one moment. */
export async function together<Questions extends Readonly<Record<string, Asked<unknown>>>>(
  database: Database,
  questions: Questions,
): Promise<AnswersOf<Questions>> {
  const asked = Object.entries(questions)
  const results = await database.batch(asked.flatMap(([, { statements }]) => statements))
  let from = 0
  const answers = asked.map(([name, { statements, read }]) => {
    const answer = read(results.slice(from, from + statements.length))
    from += statements.length
    return [name, answer]
  })
  return Object.fromEntries(answers) as AnswersOf<Questions>
}

/** The answer to one question; no round trip where it needs none. */
export const answered = async <Answer>(
  database: Database,
  { statements, read }: Asked<Answer>,
): Promise<Answer> => read(statements.length === 0 ? [] : await database.batch(statements))

/** A question that another read takes along; `found` is its answer once that has been done, else null. */
export function alongside<Answer>({ statements, read }: Asked<Answer>) {
  let found: { readonly answer: Answer } | null = null
  return {
    statements,
    take: (results: readonly (readonly Row[])[]): void => {
      found = { answer: read(results) }
    },
    found: () => found,
  }
}
