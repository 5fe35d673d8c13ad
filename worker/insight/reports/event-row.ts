/** Events as they are shown. */

import type { Json } from '../../lib/json.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { Row } from '../../store/database.ts'
import type { ReportEvent } from '../shapes.ts'

/** From the columns of an event, `n` and EVENT_COLUMNS of store/insight/reports.ts. */
export const eventOf = (row: Row): ReportEvent => ({
  n: row[0] as number,
  ...eventWithoutNumber(row.slice(1)),
})

/** From EVENT_COLUMNS alone: what taking the number from each event again costs, a page of events feels. */
export function eventWithoutNumber(row: Row): Omit<ReportEvent, 'n'> {
  const path = row[10] as string
  return {
    status: row[0] as string,
    resource_type: row[1] as string,
    resource_title: row[2] as string,
    property: row[3] as string | null,
    name: row[4] as string | null,
    old_value: valueOf(row[5] as string | null),
    new_value: valueOf(row[6] as string | null),
    message: row[7] as string | null,
    file: row[8] as string | null,
    line: row[9] as number | null,
    containment_path: path === '' ? null : (JSON.parse(path) as string[]),
    containing_class: row[11] as string | null,
    corrective_change: row[12] === null ? null : row[12] === 1,
    timestamp: formatTimestamp(row[13] as number),
  }
}

/** JSON, or the beginning of it where the value is longer than a row may be: that is shown as a text. */
function valueOf(text: string | null): Json {
  if (text === null) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return `${text} …`
  }
}
