/** Causes: why runs failed, drifted or would change, and how far each reaches. */

import type { Timestamp } from './shapes.ts'

export const CAUSE_KINDS = ['failure', 'corrective', 'noop'] as const
export const CAUSE_FACETS = ['reason', 'resource', 'class', 'location'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]
export type CauseFacet = (typeof CAUSE_FACETS)[number]

export interface CausesOptions {
  readonly kind: CauseKind
  /** By reason where it is of failures; of the others, which give none, by resource. */
  readonly by: CauseFacet
  /** Only those first seen in the span. */
  readonly onlyNew: boolean
  /** At most so many causes, those on the most nodes first. */
  readonly limit: number
}

export interface Causes {
  readonly kind: CauseKind
  readonly by: CauseFacet
  /** Of all causes, also beyond the limit. */
  readonly total: number
  /** Different nodes that have any of them. */
  readonly nodes: number
  /** Reports in the span that have any. */
  readonly reports: number
  /** Starts of the hours that `hours` of each cause counts: of the span, or of its last hundred days. */
  readonly hours: readonly Timestamp[]
  readonly items: readonly Cause[]
}

export interface Cause {
  /** Names the cause in an address; null where it is a facet, whose `reason` is the resource, class or `file:line`. */
  readonly cause: string | null
  readonly reason: string
  readonly nodes: number
  readonly reports: number
  readonly events: number
  /** Over all history where grouped by reason, else within the span. */
  readonly first_seen: Timestamp
  /** Within the span. */
  readonly last_seen: Timestamp
  /** First seen within the span; false for facets. */
  readonly new: boolean
  readonly derived: boolean
  /** One message verbatim, and what it is of. */
  readonly sample: string | null
  readonly resource: string | null
  /** Further resources that have it. */
  readonly more_resources: number
  readonly containing_class: string | null
  readonly file: string | null
  readonly line: number | null
  /** Reports an hour, beside `hours` of the list. */
  readonly hours: readonly number[]
}

export interface CauseOptions {
  readonly limit: number
}

/** One cause. Numbers are of the span; first and last seen are of all history. */
export interface CausePage extends Omit<Cause, 'hours'> {
  readonly hours: readonly { readonly start: Timestamp; readonly reports: number }[]
  readonly environments: readonly { readonly environment: string; readonly nodes: number }[]
  /** Versions of the code of the first report of each affected node, the most frequent first. */
  readonly began_with: readonly { readonly code_version: string; readonly nodes: number }[]
  readonly resources: readonly {
    readonly resource: string
    readonly file: string | null
    readonly line: number | null
    readonly events: number
  }[]
  readonly affected: readonly {
    readonly certname: string
    readonly first: Timestamp
    readonly last: Timestamp
    readonly reports: number
    /** The last report that has it. */
    readonly report: string
    /** Whether the node's latest report still has it. */
    readonly still: boolean
  }[]
}

/** One cause of one report. */
export interface ReportCause {
  readonly cause: string
  readonly reason: string
  /** From a log line, not from a failed event. */
  readonly derived: boolean
  /** The message verbatim. */
  readonly sample: string
  /** Number of the first event of it (`#e3`), or of the log line (`#L17`), from 0. */
  readonly event: number | null
  readonly log: number | null
  readonly resource: string | null
  readonly file: string | null
  readonly line: number | null
}
