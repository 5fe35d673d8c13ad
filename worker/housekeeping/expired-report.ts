/** A report that housekeeping deletes, or a part of it, as it is read. */

import { integer } from '../sql/columns.ts'

/** A report that has expired: retention deletes it, or a part of it. */
export interface ExpiredReport {
  readonly key: number
  /** Number of its events. */
  readonly events: number
}

/** The columns of such a report, from a row `r` of reports. */
export const EXPIRED = { key: integer('r.id'), events: integer('r.events') }
