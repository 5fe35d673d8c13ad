/** An event from a row of the history. */

import type { ArchivedRow } from '../../history/group-rows.ts'
import { propertyValue, type EventRow } from '../reports/event-row.ts'
import { textOf, timeOf } from './year-run.ts'

/** An event, as the database would show it. */
export function archivedEventOf(row: ArchivedRow): EventRow {
  return {
    n: Number(row['number']),
    status: String(row['status']),
    resource_type: String(row['resource_type']),
    resource_title: String(row['resource_title']),
    property: textOf(row['property']),
    name: textOf(row['name']),
    old_value: propertyValue(textOf(row['old_value'])),
    new_value: propertyValue(textOf(row['new_value'])),
    message: textOf(row['message']),
    file: textOf(row['file']),
    line: row['line'] == null ? null : Number(row['line']),
    containment_path: (row['containment_path'] ?? null) as readonly string[] | null,
    containing_class: textOf(row['containing_class']),
    corrective_change:
      typeof row['corrective_change'] === 'boolean' ? row['corrective_change'] : null,
    timestamp: timeOf(row['timestamp']),
  }
}
