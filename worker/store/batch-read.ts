/** What one round trip reads: the statements, and how their rows become an answer. Several reads share a batch. */

import type { RowsOf, Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'

/** Rows of statements, a list for each. */
type Results = readonly (readonly Row[])[]

export interface BatchRead<Answer> {
  readonly statements: readonly Statement[]
  /** @throws NotFound where what is read about does not exist, or hidden by the row policy */
  readonly read: (results: Results) => Answer
}

/** A read of typed statements: `read` gets the rows of each, in the order of the statements. */
export const batchRead = <const Statements extends readonly Statement[], Answer>(
  statements: Statements,
  read: (results: RowsOf<Statements>) => Answer,
): BatchRead<Answer> => ({ statements, read: (results) => read(results as RowsOf<Statements>) })

/** For a part of a page that has nothing to read. */
export const NO_READ: BatchRead<null> = { statements: [], read: () => null }

type AnswersOf<Reads> = {
  readonly [Name in keyof Reads]: Reads[Name] extends BatchRead<infer Answer> ? Answer : never
}

/** The answers to all reads, by their names, from one batch: all of one moment. */
export async function readAll<Reads extends Readonly<Record<string, BatchRead<unknown>>>>(
  database: Database,
  reads: Reads,
): Promise<AnswersOf<Reads>> {
  const named = Object.entries(reads)
  const results: Results = await database.batch(named.flatMap(([, { statements }]) => statements))
  let from = 0
  const answers = named.map(([name, { statements, read }]) => {
    const answer = read(results.slice(from, from + statements.length))
    from += statements.length
    return [name, answer]
  })
  return Object.fromEntries(answers) as AnswersOf<Reads>
}

/** The answer to one read; no round trip where it has no statements. */
export const readOne = async <Answer>(
  database: Database,
  { statements, read }: BatchRead<Answer>,
): Promise<Answer> => read(statements.length === 0 ? [] : await database.batch(statements))

/** Statements that are sent with another read, and what takes their rows. */
export interface Attachment {
  readonly statements: readonly Statement[]
  readonly take: (results: Results) => void
}

/** A read to be attached to another; `found()` is its answer once that has been read, else null. */
export function attach<Answer>({
  statements,
  read,
}: BatchRead<Answer>): Attachment & { readonly found: () => { readonly answer: Answer } | null } {
  let found: { readonly answer: Answer } | null = null
  return {
    statements,
    take: (results) => {
      found = { answer: read(results) }
    },
    found: () => found,
  }
}
