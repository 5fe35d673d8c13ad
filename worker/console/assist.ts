/** Helps readers write a query: completes it and checks it. */

import { readOne } from '../store/batch-read.ts'
import { completionRead } from '../insight/assist/completion.ts'
import type { Completion, QueryProblem } from '../insight/assist/editor-answers.ts'
import { planRoot } from '../answer/ask.ts'
import { QueryError } from '../lib/errors.ts'
import { problemOf, queryInputOf } from './query-input.ts'
import { resolveView, type Visit } from './visit.ts'

/** Completes PQL as `/insight/v1/complete` does, for signed-in readers. */
export async function completeQuery(visit: Visit): Promise<Completion> {
  const { searchParams } = visit.url
  const query = searchParams.get('q') ?? ''
  const { view } = await resolveView(visit, 'all')
  return readOne(
    visit.database,
    completionRead(view, { query, at: Number(searchParams.get('at')) || 0 }),
  )
}

/** The first problem of a query; null if it is valid. */
export function checkQuery({ url, reader }: Visit): QueryProblem | null {
  const { query, problem, text } = queryInputOf(url.searchParams)
  if (query === null) return problem
  try {
    planRoot(query, reader.rowPolicy)
    return null
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return problemOf(error.message, text)
  }
}
