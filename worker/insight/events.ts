/** Events as they are shown. */

import type { Json } from '../lib/json.ts'
import { formatTimestamp } from '../lib/time.ts'
import type { Row } from '../store/database.ts'
import type { ReportEvent } from './shapes.ts'

/** From the columns of an event, `n` and EVENT_COLUMNS of store/insight/reports.ts. */
export function eventOf(row: Row): ReportEvent {
  const [n, status, type, title, property, name, oldValue, newValue, message] = row
  const [file, line, path, containingClass, corrective, timestamp] = row.slice(9)
  return {
    n: n as number,
    status: status as string,
    resource_type: type as string,
    resource_title: title as string,
    property: property as string | null,
    name: name as string | null,
    old_value: valueOf(oldValue as string | null),
    new_value: valueOf(newValue as string | null),
    message: message as string | null,
    file: file as string | null,
    line: line as number | null,
    containment_path: path === '' ? null : (JSON.parse(path as string) as string[]),
    containing_class: containingClass as string | null,
    corrective_change: corrective === null ? null : corrective === 1,
    timestamp: formatTimestamp(timestamp as number),
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
