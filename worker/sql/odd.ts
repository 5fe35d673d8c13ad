/** The reports whose clocks stray, as rows to be looked at apart: through an index, or in the hours that hold them. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS, HOUR } from '../schema/clocks.ts'
import { SLOTS } from '../schema/key.ts'
import { lateHours, reports } from '../schema/tables.ts'

/** What to select from, and on which condition. */
export interface OddRows {
  readonly from: SQL
  readonly where: SQL
}

const AGENT = CLOCKS.start_time.bit
const LATE = CLOCKS.receive_time.bit
const number = (value: number): SQL => sql.raw(String(value))

/**
 * The reports that have any of the bits, in disjoint parts. Where the condition they will be put
 * under names a node, its own reports of each hour are looked at, not all of them.
 */
export function oddRows(mask: number, ofNode = false): OddRows[] {
  const parts: OddRows[] = []
  if (mask & AGENT) {
    parts.push({ from: sql`${reports}`, where: sql`${reports.odd} & ${number(AGENT)}` })
  }
  if (mask & LATE) {
    const others = mask & AGENT ? sql` and ${reports.odd} & ${number(AGENT)} = 0` : sql``
    parts.push({
      from: rowsOfHours(sql`${lateHours}`, sql`${lateHours.hour}`, ofNode),
      where: sql`${reports.odd} & ${number(LATE)}${others}`,
    })
  }
  return parts
}

/** The reports of the hours that a table lists, each hour a range of keys. */
export const rowsOfHours = (hours: SQL, hour: SQL, ofNode = false): SQL =>
  sql`${hours} cross join ${reports} ${sql.raw(ofNode ? 'indexed by reports_node' : 'not indexed')} on ${reports.id} >= ${hour} * ${number(HOUR * SLOTS)} and ${reports.id} < (${hour} + 1) * ${number(HOUR * SLOTS)}`
