/**
 * Every answer of `/insight/v1` as plain data: what the functions of this folder return, the API
 * prints as JSON, and the console's pages show. Times are ISO 8601 in UTC with three decimals, as in
 * v4; durations are seconds; hashes are 40 hex digits.
 */

import type { RunState, StateName } from '../schema/states.ts'
import type { ReportCause } from './shapes-cause.ts'
import type { ReportRow } from './shapes-report.ts'

export type * from './shapes-cause.ts'
export type * from './shapes-query.ts'
export type * from './shapes-report.ts'

export type Timestamp = string
export type { RunState, StateName }

/** How many there are of one state; `noop` ones are counted apart. */
export interface StateCount {
  readonly state: StateName
  readonly noop: boolean
  readonly count: number
}

/** Nodes by what their latest report came to. All eight of state × noop are there, worst first, real before noop. */
export interface NodeCounts {
  readonly nodes: number
  readonly states: readonly (StateCount & { readonly silent: number })[]
  /** Of all nodes, whatever their state; those that never reported are not among them. */
  readonly silent: number
  readonly never_reported: number
}

export interface Fleet extends NodeCounts {
  readonly as_of: Timestamp
  /** Producer timestamp of the newest report in scope; null where there is none. */
  readonly newest: Timestamp | null
  /** By environment of the latest report, those with the most failed nodes first; null: never reported. */
  readonly environments: readonly (NodeCounts & { readonly environment: string | null })[]
}

export const BUCKETS = { hour: 3_600_000, day: 86_400_000 } as const
export type BucketName = keyof typeof BUCKETS

export interface TimelineOptions {
  readonly bucket: BucketName
  readonly certname: string | null
}

/** How many there are, and of each state. */
export interface Runs {
  readonly runs: number
  /** Only those that are not zero, worst first. */
  readonly states: readonly StateCount[]
}

/** Runs of a span, and in a bucket each from the one of `since` to the one of `until`, empty ones included, oldest first. */
export interface Timeline extends Runs {
  readonly bucket: BucketName
  readonly buckets: readonly TimelineBucket[]
  /** Code versions whose first report in their environment is in the span, oldest first. */
  readonly deploys: readonly Deploy[]
}

export interface TimelineBucket extends Runs {
  readonly start: Timestamp
}

export interface Deploy {
  readonly time: Timestamp
  readonly environment: string
  readonly code_version: string
}

/** Worst first: failed before corrective … , silent before heard of, then by certname. */
export const NODE_SORTS = ['worst', 'certname', 'time', 'seconds'] as const

export interface NodesOptions {
  /** Null for all; several are alternatives. */
  readonly states: readonly StateName[] | null
  /** Only noop, only real, or null for both. */
  readonly noop: boolean | null
  /** Only silent, only heard of, or null for both. */
  readonly silent: boolean | null
  /** A part of the certname, in any case. */
  readonly search: string | null
  readonly sort: (typeof NODE_SORTS)[number]
  readonly cursor: string | null
  readonly limit: number
  /** Runs of each strip, at most 32. */
  readonly runs: number
}

/** A page of a list: `total` is of the whole list, `next` the cursor of the page behind, null on the last. */
export interface Page<Item> {
  readonly total: number
  readonly items: readonly Item[]
  readonly next: string | null
}

/** One run in a strip. */
export interface StripRun extends RunState {
  /** Producer timestamp, cut to the second. */
  readonly time: Timestamp
  /** From start to end, rounded; 65535 is that or more. */
  readonly seconds: number
}

/** Last runs of a node, oldest first: draw them right-aligned. As JSON it is its runs. */
export interface Strip {
  /** What they came to; equal ones are one object. */
  readonly states: readonly RunState[]
  readonly runs: () => readonly StripRun[]
  readonly toJSON: () => readonly StripRun[]
}

export interface NodeRow {
  readonly certname: string
  /** Of the latest report; null where there is none. */
  readonly run: RunState | null
  readonly silent: boolean
  readonly environment: string | null
  /** Producer timestamp of the latest report. */
  readonly time: Timestamp | null
  readonly report: string | null
  readonly seconds: number | null
  readonly agent_version: string | null
  readonly code_version: string | null
  /** Numbers of events of the latest report. */
  readonly events: EventCounts | null
  /** Producer timestamp of the last report that did not fail; null where none is known. */
  readonly last_good: Timestamp | null
  readonly strip: Strip
}

export interface EventCounts {
  readonly failures: number
  readonly successes: number
  readonly noops: number
  readonly skips: number
}

export interface NodeOptions {
  /** Runs that are listed, at most 200. */
  readonly runs: number
}

export interface NodePage extends Omit<NodeRow, 'strip'> {
  /** When it became failed: the first report behind the last good one, and how many there are since. Null unless failed. */
  readonly failing: {
    readonly since: Timestamp
    readonly report: string
    readonly runs: number
  } | null
  readonly last_good_report: string | null
  readonly deactivated: Timestamp | null
  readonly expired: Timestamp | null
  /** Oldest first, each with its hash. */
  readonly runs: readonly ReportRow[]
  /** Why the latest report failed; empty unless it did. */
  readonly causes: readonly ReportCause[]
}

export interface SeriesOptions {
  /** `category.name`, as `time.total`; several may be asked for. */
  readonly metrics: readonly string[]
  readonly runs: number
}

export interface Series {
  readonly certname: string
  /** Every metric that the runs have, to choose from. */
  readonly available: readonly string[]
  readonly runs: readonly (RunState & { readonly time: Timestamp; readonly report: string })[]
  readonly series: readonly {
    readonly metric: string
    /** Beside `runs`, oldest first. */
    readonly values: readonly (number | null)[]
    readonly median: number | null
    readonly p95: number | null
  }[]
}
