/** Reads logs and metrics of a report from its compressed body. */

import { sql, type SQL } from 'drizzle-orm'
import { decodeBody } from '../../report/body.ts'
import { integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { bytesOfHex, hexOf } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'

export interface LogLine {
  readonly time: string
  readonly level: string
  readonly source: string
  readonly message: string
  readonly file: string | null
  readonly line: number | null
  readonly tags: readonly string[]
}

export interface MetricValue {
  readonly category: string
  readonly name: string
  readonly value: number
}

/** Each list in the order sent. */
export interface ReportBody {
  /** The index of a line is its permalink `#L0`. */
  readonly logs: readonly LogLine[]
  readonly metrics: readonly MetricValue[]
}

/** The names of the metrics of a row `reports`. */
export const METRIC_NAMES = nullable(
  text(sql`(select m.names from metric_sets m where m.id = reports.metric_set)`),
)

/** The names of a report's metrics and the first piece of its body, in hex digits. */
export const BODY = {
  metricNames: METRIC_NAMES,
  body: text(hexOf(sql`reports.body`)),
}

const PIECE = { report: integer(sql`p.report`), data: text(hexOf(sql`p.data`)) }
/** A further piece of the body of the report with that key, in hex digits. */
export type BodyPiece = RowOf<typeof PIECE>

/** The further pieces of the bodies of reports, in order. */
export const bodyPieces = (keys: SQL): TypedStatement<BodyPiece> =>
  select(PIECE, sql`from body_parts p where p.report in (${keys}) order by p.report, p.part`)

/** Leaves out metrics without name and number; of malformed log entries, shows the texts. */
export function bodyOf(
  { key, metricNames, body: first }: RowOf<typeof BODY> & { readonly key: number },
  pieces: readonly BodyPiece[],
): ReportBody {
  // Both are missing if retention deleted them.
  if (first === '') return { logs: [], metrics: [] }
  const further = pieces.filter(({ report }) => report === key).map(({ data }) => data)
  const body = decodeBody(metricNames, bytesOfHex([first, ...further].join('')))
  return bodyFrom(
    (JSON.parse(body.logs) ?? []) as unknown[],
    (JSON.parse(body.metrics) ?? []) as unknown[],
  )
}

/** From log entries and metrics as they were sent. */
export const bodyFrom = (logs: readonly unknown[], metrics: readonly unknown[]): ReportBody => ({
  logs: logs.map(logLine),
  metrics: (metrics as readonly Partial<MetricValue>[]).flatMap((metric) => {
    const value = Number(metric?.value)
    return Number.isFinite(value)
      ? [{ category: String(metric.category), name: String(metric.name), value }]
      : []
  }),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A log entry, which has any shape; of a malformed one, the message is its text. */
export function logLine(entry: unknown): LogLine {
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
