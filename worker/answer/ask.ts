/** Answers a planned query: compiles the plan, reads the first page and returns a result set. */

import { planQuestion } from '../plan/build.ts'
import type { CountsPlan, NothingPlan, Plan, RowPolicy, SelectPlan } from '../plan/plan.ts'
import type { Query } from '../query/ast.ts'
import { entityNameOf } from '../query/subqueries.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers, PreparedQuery, type Answer, type AnswerOptions } from '../store/answer.ts'
import { listRead, readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { dictionaryReader } from '../store/dictionary-reader.ts'

/** The rows that answer a plan; of several summaries of counts, the numbers are of the first. */
export interface ResultSet extends Omit<Answer, 'totalRead'> {
  /** The number of rows in `pages`, after limit and offset. Takes a round trip unless the total was requested. */
  readonly count: () => Promise<number>
}

/** The SQL and the first reads of a plan that is asked more than once; null before its first answer. */
export interface KeptSql {
  prepared: PreparedQuery | null
}

export interface AskOptions extends Partial<AnswerOptions> {
  /** Wraps the compilation, so that a trace can time it. */
  readonly compiling?: (compile: () => Promise<PreparedQuery>) => Promise<PreparedQuery>
  /** Where the SQL of the plan is kept, if it follows from the plan alone. */
  readonly kept?: KeptSql
}

/**
 * Plans a query that names its entity itself, as for `/query/v4`.
 *
 * @throws QueryError where the query can't be understood
 */
export const planRoot = (query: Query, rowPolicy: RowPolicy | null): SelectPlan | NothingPlan =>
  planQuestion({
    entity: entityNameOf(query),
    query,
    activeOnly: true,
    rowPolicy,
  })

/**
 * Asks the database a planned question. Usually takes one round trip.
 *
 * @throws QueryError where a limit of D1 refuses the query, Unavailable where the database can't answer
 */
export async function ask(
  database: Database,
  question: Plan,
  options: AskOptions = {},
): Promise<ResultSet> {
  if (question.kind === 'nothing') return constantRows(question.rows)
  const { compiling = (work) => work(), kept, ...others } = options
  const prepare = async (): Promise<PreparedQuery> => {
    if (kept?.prepared) return kept.prepared
    const prepared = new PreparedQuery(await compile(question, dictionaryReader(database)))
    // Regular expressions become the ids that match now.
    if (kept && prepared.compiled.patterns.matches.size === 0) kept.prepared = prepared
    return prepared
  }
  const answers = await openAnswers(database, () => compiling(prepare), {
    total: false,
    prefix: '',
    ...others,
  })
  const first = answers[0]!
  return {
    columns: first.columns,
    total: first.total,
    count: async () =>
      lengthOf(question, await readOne(database, listRead(answers.map((one) => one.totalRead())))),
    empty: answers.every(({ empty }) => empty),
    whole: answers.every(({ whole }) => whole),
    rowsPerPage: first.rowsPerPage,
    pages: answers.length === 1 ? first.pages : inTurn(answers),
  }
}

/** Answers a plan without the database: rows of an entity that is not stored. */
function constantRows(rows: readonly Readonly<Record<string, unknown>>[]): ResultSet {
  return {
    columns: Object.keys(rows[0] ?? {}),
    total: rows.length,
    count: () => Promise.resolve(rows.length),
    // A count has a row, but none that is stored.
    empty: true,
    whole: true,
    rowsPerPage: rows.length,
    pages: inTurn([{ pages: [rows.map((row) => JSON.stringify(row))] }]),
  }
}

const lengthOf = ({ limit, offset }: SelectPlan | CountsPlan, totals: readonly number[]): number =>
  totals.reduce((sum, total) => sum + Math.min(limit ?? Infinity, Math.max(0, total - offset)), 0)

type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

async function* inTurn(
  answers: readonly { readonly pages: Pages }[],
): AsyncGenerator<readonly string[]> {
  for (const { pages } of answers) yield* pages
}
