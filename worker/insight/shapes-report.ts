/** Reports, one report, two compared, and what was changed. */

import type { Json } from '../lib/json.ts'
import type { RunState, StateName } from '../schema/states.ts'
import type { ReportCause } from './shapes-cause.ts'
import type { EventCounts, Page, Timestamp } from './shapes.ts'

export interface ReportsOptions {
  readonly states: readonly StateName[] | null
  readonly noop: boolean | null
  readonly certname: string | null
  readonly cursor: string | null
  readonly limit: number
}

export interface ReportRow extends RunState, EventCounts {
  readonly hash: string
  readonly certname: string
  readonly environment: string
  /** As the agent says. */
  readonly status: string | null
  readonly producer_timestamp: Timestamp
  readonly start_time: Timestamp
  readonly end_time: Timestamp
  readonly seconds: number
  readonly agent_version: string
  readonly code_version: string | null
}

/** A page of reports, newest first; reports of one span are not counted, so `total` is missing. */
export type Reports = Omit<Page<ReportRow>, 'total'>

export interface ReportPage extends ReportRow {
  readonly receive_time: Timestamp
  readonly configuration_version: string
  readonly code_id: string | null
  readonly producer: string | null
  readonly transaction_uuid: string | null
  readonly catalog_uuid: string | null
  readonly cached_catalog_status: string | null
  readonly job_id: string | null
  readonly report_format: number
  readonly is_latest: boolean
  /** Of the same node, by time; null at the ends. */
  readonly previous: Neighbour | null
  readonly next: Neighbour | null
  /** The last report before this one that did not fail. */
  readonly last_good: Neighbour | null
  readonly causes: readonly ReportCause[]
  /** In the order they were sent; `n` from 0 is their permalink `#e0`. */
  readonly report_events: readonly ReportEvent[]
  /** In the order they were sent; the index is their permalink `#L0`. */
  readonly logs: readonly LogLine[]
  readonly metrics: readonly Metric[]
}

export interface Neighbour extends RunState {
  readonly hash: string
  readonly time: Timestamp
}

export interface ReportEvent {
  readonly n: number
  readonly status: string
  readonly resource_type: string
  readonly resource_title: string
  readonly property: string | null
  readonly name: string | null
  readonly old_value: Json
  readonly new_value: Json
  readonly message: string | null
  readonly file: string | null
  readonly line: number | null
  readonly containment_path: readonly string[] | null
  readonly containing_class: string | null
  readonly corrective_change: boolean | null
  readonly timestamp: Timestamp
}

export interface LogLine {
  readonly time: string
  readonly level: string
  readonly source: string
  readonly message: string
  readonly file: string | null
  readonly line: number | null
  readonly tags: readonly string[]
}

export interface Metric {
  readonly category: string
  readonly name: string
  readonly value: number
}

/** What the later report is compared with: `good`, `previous`, or a hash. */
export interface DiffOptions {
  readonly against: string
}

export interface Diff {
  readonly from: ReportRow
  readonly to: ReportRow
  /** Fields of the head that differ. */
  readonly head: readonly { readonly field: string; readonly from: Json; readonly to: Json }[]
  readonly events: {
    /** Only in the later one. */
    readonly added: readonly ReportEvent[]
    /** Only in the earlier one. */
    readonly removed: readonly ReportEvent[]
    /** Of the same resource and property, with another status, value or message. */
    readonly changed: readonly { readonly from: ReportEvent; readonly to: ReportEvent }[]
    readonly equal: number
  }
  /** Those that differ, the greatest change of `time` first. */
  readonly metrics: readonly {
    readonly category: string
    readonly name: string
    readonly from: number | null
    readonly to: number | null
  }[]
  /** Messages that only one of them has; equal ones, times aside, are left out. */
  readonly logs: {
    readonly added: readonly (LogLine & { readonly index: number })[]
    readonly removed: readonly (LogLine & { readonly index: number })[]
  }
}

export const CHANGE_KINDS = ['intentional', 'corrective', 'noop', 'failure', 'any'] as const

export interface ChangesOptions {
  /** `Type[title]`, `Type`, or a title. */
  readonly resource: string | null
  readonly class: string | null
  readonly file: string | null
  readonly certname: string | null
  readonly kind: (typeof CHANGE_KINDS)[number]
  readonly cursor: string | null
  readonly limit: number
  /** The view's choice of nodes in PQL, for `query`. */
  readonly terms?: readonly (string | false)[]
}

export interface Change extends Omit<ReportEvent, 'n'> {
  readonly certname: string
  readonly environment: string
  readonly report: string
  readonly code_version: string | null
}

/** Newest first. `query` is the same question in PQL, for v4 and its exports. */
export interface Changes {
  readonly items: readonly Change[]
  readonly next: string | null
  readonly query: string
}
