/** A report, independent of the wire format it arrived in. Times are ms since 1970, UTC. */

import type { Json } from '../lib/json.ts'
import type { EventValues } from '../schema/event-fields.ts'
import type { ReportValues } from '../schema/report-fields.ts'
import type { SlowResource } from './slowest.ts'

/** The rest of a report, beside its fields (schema/report-fields.ts). */
export interface Report extends ReportValues {
  /** 40 lower-case hex digits; PuppetDB's identity of a report (see hash.ts). */
  readonly hash: string
  readonly certname: string
  /** Entries unchanged, with ExactNumber (lossless.ts) among them; null where the wire format had none or null was sent. */
  readonly metrics: readonly Json[] | null
  readonly logs: readonly Json[] | null
  /** In the order sent, without duplicates. */
  readonly events: readonly ReportEvent[]
  /** Slowest first; empty where the sender does not report how long each resource took. */
  readonly slowest: readonly SlowResource[]
  /** Sentences about parts of the report that were left out. */
  readonly warnings: readonly string[]
}

/** A report whose metrics and logs are packed (body.ts) and no longer needed. */
export type ReportWithoutBody = Omit<Report, 'metrics' | 'logs'>

/** The rest of an event, beside its fields (schema/event-fields.ts). */
export interface ReportEvent extends EventValues {
  readonly resourceType: string
  readonly resourceTitle: string
  /** JSON text with sorted keys, `null` where there was none. Equal values have equal texts, and no digit is lost. */
  readonly oldValue: string
  readonly newValue: string
  readonly message: string | null
  readonly containmentPath: readonly string[] | null
  readonly containingClass: string | null
}
