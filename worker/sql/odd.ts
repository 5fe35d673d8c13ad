/** The reports whose clocks stray, as rows to be looked at apart: through indexes that hold no others. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { reports } from '../schema/tables.ts'

/** What to select from, and on which condition. */
export interface OddRows {
  readonly from: SQL
  readonly where: SQL
}

/** Reports that may stand anywhere in the order of a time, and what the index that holds them is in the order of: never before that time. */
export interface Straying extends OddRows {
  readonly latest: SQL
}

const AGENT = CLOCKS.start_time.bit
const LATE = CLOCKS.receive_time.bit
const marked = (bit: number): SQL => sql`${reports.odd} & ${sql.raw(String(bit))}`
const straying = (index: string, where: SQL, latest: SQL): Straying => ({
  from: sql`${reports} indexed by ${sql.identifier(index)}`,
  where,
  latest,
})

const runs = (index: string): Straying =>
  straying(index, marked(AGENT), sql`max(${reports.startTime}, ${reports.endTime})`)
const late = (index: string): Straying => straying(index, marked(LATE), sql`${reports.receiveTime}`)
const MOVED = straying(
  'reports_moved',
  sql`${reports.producerTimestamp} is not null`,
  sql`${reports.producerTimestamp}`,
)
const RUNS = { all: runs('reports_odd'), ofNode: runs('reports_odd_node') }
const ARRIVALS = { all: late('reports_late'), ofNode: late('reports_late_node') }

/** The reports that stray from the order of a time: of all nodes, and of nodes that the condition names. */
export const STRAYING: Readonly<
  Record<ClockName, { readonly all: Straying; readonly ofNode: Straying }>
> = {
  start_time: RUNS,
  end_time: RUNS,
  receive_time: ARRIVALS,
  producer_timestamp: { all: MOVED, ofNode: MOVED },
}

/** The reports that have any of the bits, in disjoint parts. */
export function oddRows(mask: number): OddRows[] {
  const parts: OddRows[] = mask & AGENT ? [RUNS.all] : []
  if (mask & LATE) {
    const { from, where } = ARRIVALS.all
    parts.push(
      mask & AGENT ? { from, where: sql`${where} and ${marked(AGENT)} = 0` } : ARRIVALS.all,
    )
  }
  return parts
}
