/** The reports whose clocks stray, as rows to be looked at apart: through indexes that hold no others. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { reports } from '../schema/tables.ts'
import { literal } from './encoding.ts'

/** What to select from, and on which condition. */
export interface SkewedRows {
  readonly from: SQL
  readonly where: SQL
}

/** Reports that may stand anywhere in the order of a time, and what the index that holds them is in the order of: never before that time. */
export interface SkewedOrder extends SkewedRows {
  readonly latest: SQL
}

const AGENT = CLOCKS.start_time.bit
const LATE = CLOCKS.receive_time.bit
const marked = (bit: number): SQL => sql`${reports.clockFlags} & ${literal(bit)}`
const skewed = (index: string, where: SQL, latest: SQL): SkewedOrder => ({
  from: sql`${reports} indexed by ${sql.identifier(index)}`,
  where,
  latest,
})

const runs = (index: string): SkewedOrder =>
  skewed(index, marked(AGENT), sql`max(${reports.startTime}, ${reports.endTime})`)
const late = (index: string): SkewedOrder =>
  skewed(index, marked(LATE), sql`${reports.receiveTime}`)
const MOVED = skewed(
  'reports_moved',
  sql`${reports.producerTimestamp} is not null`,
  sql`${reports.producerTimestamp}`,
)
const RUNS = { all: runs('reports_skewed'), ofNode: runs('reports_skewed_node') }
const ARRIVALS = { all: late('reports_late'), ofNode: late('reports_late_node') }

/** The reports that stray from the order of a time: of all nodes, and of nodes that the condition names. */
export const SKEWED: Readonly<
  Record<ClockName, { readonly all: SkewedOrder; readonly ofNode: SkewedOrder }>
> = {
  start_time: RUNS,
  end_time: RUNS,
  receive_time: ARRIVALS,
  producer_timestamp: { all: MOVED, ofNode: MOVED },
}

/** The reports that have any of the bits, in disjoint parts. */
export function skewedRows(mask: number): SkewedRows[] {
  const parts: SkewedRows[] = mask & AGENT ? [RUNS.all] : []
  if (mask & LATE) {
    const { from, where } = ARRIVALS.all
    parts.push(
      mask & AGENT ? { from, where: sql`${where} and ${marked(AGENT)} = 0` } : ARRIVALS.all,
    )
  }
  return parts
}
