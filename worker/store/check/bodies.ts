/** Bodies: that they can be unpacked, and hold as many metrics as they have names. */

import { decodeBody } from '../../report/body.ts'
import { bodyStatement } from '../../sql/expand.ts'
import type { Database } from '../database.ts'
import type { StoredReport } from './report-rules.ts'

/** Why the body of a report can't be read; null where it can. */
export async function bodyProblem(
  database: Database,
  { id, body, metricNames, hasMetricSet }: StoredReport,
): Promise<string | null> {
  // That the names are missing is a problem of its own.
  if (hasMetricSet === 1 && metricNames === null) return null
  const hex = body ?? (await wholeBody(database, id))
  if (hex === null) return null
  try {
    const { logs, metrics } = decodeBody(metricNames, Buffer.from(hex, 'hex'))
    JSON.parse(logs)
    JSON.parse(metrics)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** In hex; null where the report has been deleted meanwhile. */
async function wholeBody(database: Database, key: number): Promise<string | null> {
  const [pieces] = await database.batch([bodyStatement(key)])
  return pieces!.length === 0 ? null : pieces!.map(([hex]) => hex).join('')
}
