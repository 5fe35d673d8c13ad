/** Open hours: their reports are read one by one, but for those before a key up to which housekeeping has counted the hour. */

import { firstKeyOfHour } from './encoding.ts'

/**
 * Kind of the row of `hour_groups` that says so of an hour: `part` is the key, and `groups` counts the reports before it, as in
 * `day_counts`. It holds while the hour has that key in `open_hours`, too: a report that comes late takes it away there.
 */
export const SO_FAR = 8
const COUNTED = `hour_groups so_far on so_far.kind = ${SO_FAR} and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted`

/** SQL from FROM on, for open hours that are counted up to a key: `o.hour`, `o.counted` and `so_far.groups`. */
export const HOURS_SO_FAR = `open_hours o cross join ${COUNTED}`

const BEHIND = firstKeyOfHour('(open_hours.hour + 1)')
/** SQL for a table of the open hours: `hour`, and `first`, the first key that is not counted. */
export const UNCOUNTED_HOURS = `(select o.hour, coalesce(so_far.part, ${firstKeyOfHour('o.hour')}) as first from open_hours o left join ${COUNTED}) as open_hours`

/** SQL from FROM on, for the reports of open hours that are not counted. */
export const UNCOUNTED_REPORTS = `${UNCOUNTED_HOURS} cross join reports not indexed on reports.id >= open_hours.first and reports.id < ${BEHIND}`

/** SQL for the first key of open hours that is not counted; null where all are counted to their ends. */
export const FIRST_UNCOUNTED = `(select min(nullif(first, ${BEHIND})) from ${UNCOUNTED_HOURS})`
