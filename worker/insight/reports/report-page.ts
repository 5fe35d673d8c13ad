/** One report with all that hangs on it, and what stands before and behind it. */

import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { decodeBody } from '../../report/body.ts'
import { decodeState } from '../../schema/states.ts'
import type { Row } from '../../store/database.ts'
import { causesOfReport } from '../causes/report-causes.ts'
import { bodyPieces, neighbours, reportEvents, reportHeads, reportNamed } from './report-row.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { eventOf } from './event-row.ts'
import { reportRow } from './report-list.ts'
import { sampleOf } from '../causes/cause-sample.ts'
import type { LogLine, Metric, Neighbour, ReportCause, ReportPage } from '../shapes.ts'
import type { View } from '../view.ts'

export function askReport(view: View, hash: string): BatchRead<ReportPage> {
  const key = reportNamed(view, hash)
  return {
    statements: [
      reportHeads(key),
      reportEvents(key),
      bodyPieces(key),
      neighbours(view, key),
      causesOfReport(key),
    ],
    read: ([heads, events, pieces, around, causes]) => {
      const [head] = heads!
      if (!head) throw new NotFound('report', hash)
      const standing = (name: string): Neighbour | null =>
        neighbourOf(around!.find(([which]) => which === name))
      return {
        ...reportRow(head),
        ...headOf(head),
        is_latest: head[23] === 1,
        previous: standing('previous'),
        next: standing('next'),
        last_good: standing('good'),
        causes: causes!.map(reportCause),
        report_events: events!.map((row) => eventOf(row.slice(1))),
        ...bodyOf(head, pieces!),
      }
    },
  }
}

/** What the head of a report says beside its row, from reportHeads of store/insight/reports.ts. */
export const headOf = (row: Row) => ({
  receive_time: formatTimestamp(row[16] as number),
  configuration_version: row[11] as string,
  code_id: row[10] as string | null,
  producer: row[17] as string | null,
  transaction_uuid: uuidOf(row[18] as string | null),
  catalog_uuid: uuidOf(row[19] as string | null),
  cached_catalog_status: row[20] as string | null,
  job_id: row[21] as string | null,
  report_format: row[22] as number,
})

const uuidOf = (text: string | null): string | null =>
  text !== null && /^[0-9a-f]{32}$/.test(text)
    ? text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : text

/** Logs and metrics; entries that are not as agents write them are left out of metrics, and logs show what of them is text. */
export function bodyOf(head: Row, pieces: readonly Row[]): Pick<ReportPage, 'logs' | 'metrics'> {
  // Retention may have taken both away.
  if (head[25] === '') return { logs: [], metrics: [] }
  const further = pieces.filter(([key]) => key === head[5]).map(([, hex]) => hex as string)
  const body = decodeBody(
    head[24] as string | null,
    Buffer.from([head[25] as string, ...further].join(''), 'hex'),
  )
  const logs = (JSON.parse(body.logs) ?? []) as unknown[]
  const metrics = (JSON.parse(body.metrics) ?? []) as Partial<Metric>[]
  return {
    logs: logs.map(logLine),
    metrics: metrics.flatMap((metric) => {
      const value = Number(metric?.value)
      return Number.isFinite(value)
        ? [{ category: String(metric.category), name: String(metric.name), value }]
        : []
    }),
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function logLine(entry: unknown): LogLine {
  const log = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  return {
    time: textOf(log['time']) ?? '',
    level: textOf(log['level']) ?? '',
    source: textOf(log['source']) ?? '',
    message: textOf(log['message']) ?? JSON.stringify(entry),
    file: textOf(log['file']),
    line: typeof log['line'] === 'number' ? log['line'] : null,
    tags: Array.isArray(log['tags']) ? log['tags'].map(String) : [],
  }
}

function neighbourOf(row: Row | undefined): Neighbour | null {
  if (!row) return null
  const [, hash, state, time] = row
  return {
    hash: hash as string,
    time: formatTimestamp(time as number),
    ...decodeState(state as number),
  }
}

/** From causesOfReport of store/insight/report-causes.ts. */
export function reportCause(row: Row): ReportCause {
  const [cause, reason] = row
  const { derived, sample, resource, file, line } = sampleOf(row.slice(11), reason as string)
  return {
    cause: cause as string,
    reason: reason as string,
    derived,
    sample: sample ?? (reason as string),
    event: row[11] as number | null,
    log: row[12] as number | null,
    resource,
    file,
    line,
  }
}
