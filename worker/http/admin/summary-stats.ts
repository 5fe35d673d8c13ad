/** `GET /admin/v1/summary-stats`: sizes of the store, under PuppetDB's names where it has the same. */

import { formatTimestamp } from '../../lib/time.ts'
import { readFigures } from '../../store/figures.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { API_VERSION } from '../monitoring/status.ts'

export async function summaryStats(call: Call): Promise<Response> {
  const database = call.var.databases.nearest()
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
  return objectResponse(stats, 'ok', costHeaders(call, database))
}
