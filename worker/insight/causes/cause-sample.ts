/** What a cause quotes: one message verbatim, with the resource and the line of code that it is about. */

import { sql } from 'drizzle-orm'
import { decodeBody } from '../../report/body.ts'
import { integer, nullable, text } from '../../sql/columns.ts'
import { bytesOfHex, hexOf, literal } from '../../sql/encoding.ts'
import { stringOf } from '../fragments.ts'

/** Bytes of a body that is read to quote a log line of it. */
const LONGEST_QUOTED = 200_000

/** The sample of a row `rc` of report_causes and its report `r`; it needs SAMPLE_JOINS. */
export const SAMPLE = {
  event: nullable(integer(sql`rc.event`)),
  log: nullable(integer(sql`rc.log`)),
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  containing_class: nullable(text(sql`s.class`)),
  file: nullable(text(stringOf(sql`rc.file`))),
  line: nullable(integer(sql`rc.line`)),
  message: nullable(text(sql`e.message`)),
  metric_names: nullable(text(sql`(select names from metric_sets where id = r.metric_set)`)),
  /** In hex digits; null where no log line is quoted, or where the body is too long to be read for one. */
  body: nullable(
    text(
      sql`iif(rc.log is not null and length(r.body) < ${literal(LONGEST_QUOTED)}, ${hexOf(sql`r.body`)}, null)`,
    ),
  ),
}

export const SAMPLE_JOINS = sql.raw(
  'left join events e on e.report = rc.report and e.n = rc.event left join resources s on s.id = rc.resource',
)

/** What the message of a sample is read from; without a log there is only the event. */
interface SampleRow {
  readonly reason: string
  readonly event: number | null
  readonly message: string | null
  readonly log?: number | null
  readonly metric_names?: string | null
  readonly body?: string | null
}

/** The message of the event, else of the log line, else the reason. */
export function sampleOf(row: SampleRow): {
  readonly derived: boolean
  readonly sample: string | null
} {
  return row.event === null
    ? { derived: true, sample: logMessage(row) ?? row.reason }
    : { derived: false, sample: row.message }
}

function logMessage({ metric_names, body, log }: SampleRow): string | null {
  if (body == null || log == null) return null
  const { logs } = decodeBody(metric_names ?? null, bytesOfHex(body))
  return (JSON.parse(logs) as { readonly message: string }[] | null)?.[log]?.message ?? null
}
