/** The clock-skewed reports, as rows that are searched separately: through indexes that contain no others. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { reports } from '../schema/tables.ts'
import { literal } from './encoding.ts'

/** The table with its index, and the condition. */
export interface SkewedRows {
  readonly from: SQL
  readonly where: SQL
}

/** Clock-skewed reports, and an upper bound of their time, which their index is sorted by. */
export interface SkewedOrder extends SkewedRows {
  readonly latest: SQL
}

const AGENT = CLOCKS.start_time.bit
const LATE_RECEIVE_TIME = CLOCKS.receive_time.bit
const marked = (bit: number): SQL => sql`${reports.clockFlags} & ${literal(bit)}`
const skewed = (index: string, where: SQL, latest: SQL): SkewedOrder => ({
  from: sql`${reports} indexed by ${sql.identifier(index)}`,
  where,
  latest,
})

const runs = (index: string): SkewedOrder =>
  skewed(index, marked(AGENT), sql`max(${reports.startTime}, ${reports.endTime})`)
const late = (index: string): SkewedOrder =>
  skewed(index, marked(LATE_RECEIVE_TIME), sql`${reports.receiveTime}`)
const MOVED = skewed(
  'reports_moved',
  sql`${reports.producerTimestamp} is not null`,
  sql`${reports.producerTimestamp}`,
)
const RUNS = { all: runs('reports_skewed'), ofNode: runs('reports_skewed_node') }
const ARRIVALS = { all: late('reports_late'), ofNode: late('reports_late_node') }

/** The reports that are skewed with regard to each time: of all nodes, and of nodes that the condition names. */
export const SKEWED: Readonly<
  Record<ClockName, { readonly all: SkewedOrder; readonly ofNode: SkewedOrder }>
> = {
  start_time: RUNS,
  end_time: RUNS,
  receive_time: ARRIVALS,
  producer_timestamp: { all: MOVED, ofNode: MOVED },
}

/** The reports with any of the clock flags in the mask, in disjoint parts. */
export function skewedRows(mask: number): SkewedRows[] {
  const parts: SkewedRows[] = mask & AGENT ? [RUNS.all] : []
  if (mask & LATE_RECEIVE_TIME) {
    const { from, where } = ARRIVALS.all
    parts.push(
      mask & AGENT ? { from, where: sql`${where} and ${marked(AGENT)} = 0` } : ARRIVALS.all,
    )
  }
  return parts
}
