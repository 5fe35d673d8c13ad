/** Describes a read: its statements, and how their rows become an answer. Several reads can share one batch, which is one round trip. */

import { joined } from '../sql/joined.ts'
import type { RowsOf, Statement, TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** The rows of each statement; `batchRead` knows their types. */
type Results = readonly (readonly unknown[])[]

export interface BatchRead<Answer> {
  readonly statements: readonly Statement[]
  /** @throws NotFound where the subject of the read does not exist, or the row policy hides it */
  readonly read: (results: Results) => Answer
}

/** A read of typed statements: `read` gets the rows of each, in the order of the statements. */
export const batchRead = <const Statements extends readonly Statement[], Answer>(
  statements: Statements,
  read: (results: RowsOf<Statements>) => Answer,
): BatchRead<Answer> => ({ statements, read: (results) => read(results as RowsOf<Statements>) })

/** The same read, with an answer that is made from its answer. */
export const answering = <From, Answer>(
  { statements, read }: BatchRead<From>,
  answerOf: (answer: From) => Answer,
): BatchRead<Answer> => ({ statements, read: (results) => answerOf(read(results)) })

/** For a part of a page that needs no read. */
export const NO_READ: BatchRead<null> = { statements: [], read: () => null }

type AnswersOf<Reads> = {
  readonly [Name in keyof Reads]: Reads[Name] extends BatchRead<infer Answer> ? Answer : never
}

/** Combines reads; the answer is the list of their answers. */
export const listRead = <Answer>(
  reads: readonly BatchRead<Answer>[],
): BatchRead<readonly Answer[]> => ({
  statements: reads.flatMap(({ statements }) => statements),
  read: (results) => {
    let from = 0
    return reads.map(({ statements, read }) => {
      const answer = read(results.slice(from, from + statements.length))
      from += statements.length
      return answer
    })
  },
})

/** Combines named reads; the answer holds each answer by its name. */
export function namedReads<Reads extends Readonly<Record<string, BatchRead<unknown>>>>(
  reads: Reads,
): BatchRead<AnswersOf<Reads>> {
  const names = Object.keys(reads)
  return answering(
    listRead(Object.values(reads)),
    (answers) =>
      Object.fromEntries(
        answers.map((answer, index) => [names[index]!, answer] as const),
      ) as AnswersOf<Reads>,
  )
}

/** The same read in one statement, where its statements are typed and can be joined. Their rows come in no order. */
export function inOneStatement<Answer>(read: BatchRead<Answer>): BatchRead<Answer> {
  const { statements } = read
  const one = statements.every(isTyped) ? joined(statements) : null
  if (one === null) return read
  return batchRead([one], ([rows]) =>
    read.read(
      statements.map((_, index) => rows.filter(({ part }) => part === index).map(({ row }) => row)),
    ),
  )
}

const isTyped = (statement: Statement): statement is TypedStatement<unknown> =>
  'decode' in statement

/** Reads all in one batch, so that all answers, by name, are of the same moment. */
export const readAll = <Reads extends Readonly<Record<string, BatchRead<unknown>>>>(
  database: Database,
  reads: Reads,
): Promise<AnswersOf<Reads>> => readOne(database, namedReads(reads))

/** Reads one; makes no round trip where it has no statements. */
export const readOne = async <Answer>(
  database: Database,
  { statements, read }: BatchRead<Answer>,
): Promise<Answer> => read(statements.length === 0 ? [] : await database.batch(statements))

/** Prepares a read for another batch; `found()` returns its answer after that batch, null before. */
export function attach<Answer>({ statements, read }: BatchRead<Answer>): BatchRead<void> & {
  readonly found: () => { readonly answer: Answer } | null
} {
  let found: { readonly answer: Answer } | null = null
  return {
    statements,
    read: (results) => {
      found = { answer: read(results) }
    },
    found: () => found,
  }
}
