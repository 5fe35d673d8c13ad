/** Answers a planned query: compiles the plan, reads the first page and returns a result set. */

import { planQuestion } from '../plan/build.ts'
import type { CountsPlan, NothingPlan, Plan, RowPolicy, SelectPlan } from '../plan/plan.ts'
import type { Query } from '../query/ast.ts'
import { entityNameOf } from '../query/subqueries.ts'
import { compile, type Compiled } from '../sql/compile.ts'
import { openAnswers } from '../store/answer.ts'
import { listRead, readOne, type BatchRead } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { dictionaryReader } from '../store/dictionary-reader.ts'

/** The rows that answer a plan. */
export interface ResultSet {
  /** Names of a row's fields. */
  readonly columns: readonly string[]
  /** Number of rows before limit and offset; null unless requested. With several summaries of counts, the first's. */
  readonly total: number | null
  /** The number of rows in `pages`, after limit and offset. Takes a round trip unless the total was requested. */
  readonly count: () => Promise<number>
  readonly empty: boolean
  /** The first page is the whole answer. */
  readonly whole: boolean
  /** Most rows of a page. */
  readonly rowsPerPage: number
  /** JSON texts of rows, a bounded number at a time. The first page is already read; a later page is read when it is taken. */
  readonly pages: AsyncIterable<readonly string[]>
}

export interface AskOptions {
  /** Statements that the request may send in all; 0 for no limit. */
  readonly mostQueries?: number
  /** Also counts the rows. */
  readonly total?: boolean
  /** The path prefix of `/query/v4` in the hrefs of rows: empty, or `/pdb`. */
  readonly prefix?: string
  /** A further read for the same round trip as the first page. */
  readonly attached?: BatchRead<unknown>
  /** Wraps the compilation, so that a trace can time it. */
  readonly compiling?: (compile: () => Promise<Compiled>) => Promise<Compiled>
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
  const {
    total = false,
    prefix = '',
    attached,
    mostQueries = 0,
    compiling = (work) => work(),
  } = options
  const compiled = () => compiling(() => compile(question, dictionaryReader(database)))
  const answers = await openAnswers(database, compiled, {
    total,
    prefix,
    mostQueries,
    ...(attached && { attached }),
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
    empty: rows.length === 0,
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
