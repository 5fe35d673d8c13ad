/** What a cause quotes: one message verbatim, and what it is of. */

import { decodeBody } from '../../report/body.ts'
import type { Row } from '../../store/database.ts'
import type { Cause, LogLine } from '../shapes.ts'

export type Sample = Pick<
  Cause,
  'derived' | 'sample' | 'resource' | 'more_resources' | 'containing_class' | 'file' | 'line'
>

/**
 * From the columns of `sampleColumns` in store/insight/causes.ts. A log line is quoted from the body
 * of its report or, where that is too long to be read along, by the reason.
 */
export function sampleOf(row: Row, reason: string): Sample {
  const [event, log, resource, more, containingClass, file, line, message, names, body] = row
  return {
    derived: event === null,
    sample:
      event === null
        ? (logMessage(names as string | null, body as string | null, log as number | null) ??
          reason)
        : (message as string | null),
    resource: resource as string | null,
    more_resources: more as number,
    containing_class: containingClass as string | null,
    file: file as string | null,
    line: line as number | null,
  }
}

function logMessage(names: string | null, body: string | null, index: number | null) {
  if (body === null || index === null) return null
  const logs = JSON.parse(decodeBody(names, Buffer.from(body, 'hex')).logs) as LogLine[] | null
  return logs?.[index]?.message ?? null
}
