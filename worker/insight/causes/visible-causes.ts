/** Which reports count for causes, and when a cause was first seen in them. */

import { sql, type SQL } from 'drizzle-orm'
import { millisecondOfKey } from '../../sql/encoding.ts'
import { INACTIVE } from '../fragments.ts'
import type { View } from '../view.ts'

/** Holds for reports in the view whose nodes are active. */
export const isCounted = ({ where }: View): SQL => sql`${where} and reports.node not in ${INACTIVE}`

/** When a cause `c` was first seen, in ms: over all history or, under a row policy, in the visible reports. */
export const firstSeen = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select ${millisecondOfKey(sql`rc.report`)} from report_causes rc join reports on reports.id = rc.report
        where rc.cause = c.id and ${rowPolicy} order by rc.report limit 1)`
    : sql`c.first`
