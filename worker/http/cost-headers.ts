/** Headers that tell what a response cost, and where a later read has to begin to see what this one saw. */

import type { Database } from '../store/database.ts'
import type { Call } from './context.ts'
import type { Headers } from './respond.ts'

/**
 * The cost of a response until its head is made, and its bookmark. `d1` is the time until D1 had answered,
 * `sql` the time that D1 reports for the statements themselves. Restricted principals get neither: rows read and
 * written tell about rows that they may not see, and each write of anyone changes the bookmark.
 *
 * @param stages milliseconds of the Worker's own stages
 */
export function costHeaders(
  call: Call,
  database: Database,
  stages: Readonly<Record<string, number>> = {},
): Headers {
  if (call.get('principal').restrictions !== null) return {}
  const { usage } = database
  const times = { ...stages, d1: usage.waitMilliseconds, sql: usage.sqlMilliseconds }
  const counts = {
    'round-trips': usage.roundTrips,
    statements: usage.statements,
    'rows-read': usage.rowsRead,
    'rows-written': usage.rowsWritten,
  }
  const figures = [
    ...Object.entries(times).map(([name, time]) => `${name};dur=${time.toFixed(2)}`),
    ...Object.entries(counts).map(([name, count]) => `${name};desc="${count}"`),
  ]
  return { 'server-timing': figures.join(', '), ...bookmarkHeader(database) }
}

function bookmarkHeader(database: Database): Headers {
  const bookmark = database.bookmark()
  return bookmark === null ? {} : { 'x-d1-bookmark': bookmark }
}
