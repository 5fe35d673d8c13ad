/** Reads the sample of a cause: one message verbatim, with its resource and its line of code. */

import { sql } from 'drizzle-orm'
import { decodeBody } from '../../report/body.ts'
import { OWN_NODE } from '../../report/failure/placeholders.ts'
import { reasonOf } from '../../report/reason.ts'
import { integer, nullable, text } from '../../sql/columns.ts'
import { bytesOfHex, hexOf, literal } from '../../sql/encoding.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'

/** Largest body that is read to quote a log line, in bytes. */
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
  /** In hex digits; null if no log line is quoted, or the body is too long. */
  body: nullable(
    text(
      sql`iif(rc.log is not null and length(r.body) < ${literal(LONGEST_QUOTED)}, ${hexOf(sql`r.body`)}, null)`,
    ),
  ),
}

export const SAMPLE_JOINS = sql.raw(
  'left join events e on e.report = rc.report and e.n = rc.event left join resources s on s.id = rc.resource',
)

/** The sources of a sample's message; without a log there is only the event. */
interface SampleRow {
  readonly reason: string
  readonly event: number | null
  readonly message: string | null
  readonly log?: number | null
  readonly metric_names?: string | null
  readonly body?: string | null
}

/**
 * The label of a cause. Under a row policy it is made from the sample, which the reader may see: the stored label may be
 * of a hidden report. Where they differ by the name of the sample's node alone, it is the stored one.
 */
export function labelOf(
  { restricted }: View,
  row: { readonly reason: string; readonly resource: string | null },
  { derived, sample }: ReturnType<typeof sampleOf>,
): string {
  if (!restricted) return row.reason
  const message = derived && sample === row.reason ? null : sample
  const { label } = reasonOf(message, { certname: '', resource: row.resource })
  return isWithoutNode(row.reason, label) ? row.reason : label
}

/** Whether the stored label is the other one, or that without the names of a node: up to two, as more take long to match. */
function isWithoutNode(stored: string, label: string): boolean {
  const pieces = stored.replace(/[^\w‹›]/g, '\\$&').split(OWN_NODE)
  return pieces.length < 4 && new RegExp(`^${pieces.join('.+')}$`).test(label)
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
