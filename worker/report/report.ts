/** A report as this service understands it: the wire format's history is behind us here. Times are ms since 1970, UTC. */

import type { Json } from '../lib/json.ts'
import type { EventValues } from '../schema/event-fields.ts'
import type { ReportValues } from '../schema/report-fields.ts'
import type { SlowResource } from './slowest.ts'

/** Beside its fields (schema/report-fields.ts). */
export interface Report extends ReportValues {
  /** 40 lower-case hex digits; PuppetDB's identity of a report (see hash.ts). */
  readonly hash: string
  readonly certname: string
  /** Entries verbatim, ExactNumber (lossless.ts) among them; null where the wire format had none or null was sent. */
  readonly metrics: readonly Json[] | null
  readonly logs: readonly Json[] | null
  /** In the order sent, equal ones kept once. */
  readonly events: readonly ReportEvent[]
  /** Slowest first; none where the sender does not say how long each resource took. */
  readonly slowest: readonly SlowResource[]
  /** Sentences about what was sent and is not kept. */
  readonly warnings: readonly string[]
}

/** Beside its own fields (schema/event-fields.ts). */
export interface ReportEvent extends EventValues {
  readonly resourceType: string
  readonly resourceTitle: string
  /** JSON text with sorted keys, `null` when there was none: equal values are equal texts, and no digit is lost. */
  readonly oldValue: string
  readonly newValue: string
  readonly message: string | null
  readonly containmentPath: readonly string[] | null
  readonly containingClass: string | null
}
