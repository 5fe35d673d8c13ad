/** The 404 about a report. Retention may have deleted it, which leaves nothing behind that says so. */

import { NotFound } from '../lib/errors.ts'
import type { Database } from '../store/database.ts'
import { readOldestReport } from '../store/figures.ts'
import type { Call } from './context.ts'

/**
 * Adds to the 404 about a report how far back the stored ones reach, for readers who may see all of
 * them. The body stays PuppetDB's.
 */
export async function withOldestReport(
  call: Call,
  error: unknown,
  response: Response,
): Promise<Response> {
  if (!(error instanceof NotFound) || error.kind !== 'report') return response
  const { principal, databases } = call.var
  const oldest = principal.restrictions === null ? await oldestReport(databases.nearest()) : null
  if (oldest !== null) response.headers.set('x-oldest-report', oldest)
  return response
}

/** When the oldest report is from. Null if there is none, or if the database can't answer: the 404 does not depend on it. */
export const oldestReport = (database: Database): Promise<string | null> =>
  readOldestReport(database).catch(() => null)
