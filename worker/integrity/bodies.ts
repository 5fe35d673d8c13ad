/** Checks bodies: that they can be unpacked, and hold as many metrics as they have names. */

import type { Json } from '../lib/json.ts'
import { decodeBody } from '../report/body.ts'
import { bytesOfHex } from '../sql/encoding.ts'
import { bodyStatement } from '../sql/expand.ts'
import type { Database } from '../store/database.ts'
import type { CheckedReportRow } from './report-rows.ts'

/** The result of reading the body of a report. */
export interface ReadBody {
  /** Why the body can't be read; null if it can. */
  readonly problem: string | null
  /** Undefined without a body: retention deletes bodies and keeps the report. */
  readonly logs?: readonly Json[] | null
  readonly metrics?: readonly Json[] | null
}

export async function readBody(
  database: Database,
  { id, body, metricNames, hasMetricSet }: CheckedReportRow,
): Promise<ReadBody> {
  // Missing names are a problem of their own.
  if (hasMetricSet && metricNames === null) return { problem: null }
  const hex = body ?? (await wholeBody(database, id))
  if (hex === null || hex === '') return { problem: null }
  try {
    const { logs, metrics } = decodeBody(metricNames, bytesOfHex(hex))
    return {
      problem: null,
      logs: JSON.parse(logs) as Json[] | null,
      metrics: JSON.parse(metrics) as Json[] | null,
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The body in hex; null if the report was deleted meanwhile. */
async function wholeBody(database: Database, key: number): Promise<string | null> {
  const [pieces] = await database.batch([bodyStatement(key)])
  return pieces.length === 0 ? null : pieces.map(({ piece }) => piece).join('')
}
