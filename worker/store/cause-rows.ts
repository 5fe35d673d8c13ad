/** Writes why runs failed: the columns of a cause in a JSON list, and the SQL that stores such a list, new or regrouped. */

import type { Cause } from '../report/causes.ts'
import { RULES_VERSION } from '../report/reason.ts'
import { HOUR_GROUPINGS } from './hour-groups.ts'
import { firstSighting } from './sightings.ts'
import { stringIdText } from './string-id.ts'

/** A cause in a list, as the SQL below reads it; a list may have further columns after these. */
export const causeRow = ({
  name,
  reason,
  events,
  event,
  log,
  file,
  line,
  catalog,
}: Cause): unknown[] => [name, reason, events, event, log, file, line, catalog]
/** Where further columns of a row begin. */
export const CAUSE_COLUMNS = 8
/** The file of a row. */
export const CAUSE_FILE = 'value ->> 5'

/**
 * Marks what is there as named this week, and as first named by this report if it is older than all before.
 *
 * @param follows a column that follows from the key by rules of the code
 */
export const markFirst = (key: string, follows: string): string =>
  `on conflict (${key}) do update set first = min(first, excluded.first), used = max(used, excluded.used), ${follows} = excluded.${follows}
where excluded.first < first or used < excluded.used or ${follows} is not excluded.${follows}`

/**
 * Stores each reason once. A late report may turn out to be the first of its cause, and a cause that was deleted with its
 * reports may be back.
 *
 * @param list SQL for the list
 * @param first SQL for the time of the run, never later than its receipt
 * @param week SQL for the week in which the causes are named
 */
export const insertCauses = (list: string, first: string, week: string): string =>
  `insert into causes (name, reason, first, used, rules, catalog)
select value ->> 0, value ->> 1, min(${first}, coalesce(${firstSighting(HOUR_GROUPINGS.cause, 'value ->> 0')}, ${first})), ${week}, ${RULES_VERSION}, value ->> 7
from json_each(${list}) where true ${markFirst('name', 'catalog')}`

export const REPORT_CAUSE_COLUMNS =
  'report_causes (cause, report, events, event, log, resource, file, line)'

/** SQL for the values of these columns, of the list's row `c` and its first failed event `e`. @param report SQL for the report's key */
export const reportCause = (report: string): string =>
  `(select id from causes where name = c.value ->> 0), ${report}, c.value ->> 2, c.value ->> 3, c.value ->> 4, e.resource,
  coalesce(e.file, ${stringIdText('file', `c.${CAUSE_FILE}`)}), coalesce(e.line, c.value ->> 6)`
/** SQL that the event `e` is the first of the row `c`. */
export const isFirstEvent = (report: string): string =>
  `e.report = ${report} and e.n = c.value ->> 3`
