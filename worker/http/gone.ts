/** What is said beside the 404 of a report: retention may have removed it, which leaves nothing behind that says so. */

import type { Restrictions } from '../access/restrictions.ts'
import { readOne } from '../store/batch-read.ts'
import { askOldest } from '../insight/horizon.ts'
import type { NotFound } from '../lib/errors.ts'
import { Database } from '../store/database.ts'
import { errorResponse } from './respond.ts'

/** The body stays PuppetDB's. A header says of when the oldest report is, to those who may see all. */
export async function goneResponse(
  error: NotFound,
  binding: D1Database,
  restrictions: Restrictions | null,
): Promise<Response> {
  const response = errorResponse(error)
  const oldest = restrictions === null ? await oldestReport(Database.nearest(binding, null)) : null
  if (oldest !== null) response.headers.set('x-oldest-report', oldest)
  return response
}

/** Null too where the database can't say it now: the answer is there without. */
export const oldestReport = (database: Database): Promise<string | null> =>
  readOne(database, askOldest()).catch(() => null)
