/** `GET /admin/v1/summary-stats`: sizes, under PuppetDB's names as far as there is the like here. */

import { formatTimestamp } from '../lib/time.ts'
import { Database } from '../store/database.ts'
import { readFigures } from '../store/figures.ts'
import { costHeaders, objectResponse } from './respond.ts'
import { API_VERSION, refuseParameters } from './status.ts'

export async function summaryStats(request: Request, binding: D1Database): Promise<Response> {
  refuseParameters(request)
  const database = Database.nearest(binding, null)
  const now = Date.now()
  const figures = await readFigures(database, now)
  const stats = {
    version: API_VERSION,
    node_activity: [
      { active: true, count: figures.activeNodes },
      { active: false, count: figures.deactivatedNodes + figures.expiredNodes },
    ],
    database_usage: [{ current_time: formatTimestamp(now), bytes: figures.databaseBytes }],
    table_usage: [{ relname: 'reports', n_live_tup: figures.reports }],
  }
  return objectResponse(stats, 200, costHeaders(database))
}
