/** What helps to ask: search, schema, completion, explanation, saved queries. */

import type { Json } from '../lib/json.ts'
import type { Timestamp } from './shapes.ts'

export const SEARCH_GROUPS = ['node', 'report', 'cause', 'class', 'resource', 'file'] as const

export interface SearchOptions {
  readonly text: string
  /** Of all groups together. */
  readonly limit: number
}

/** Hits by group, in the order of SEARCH_GROUPS; exact ones first, then those that begin so. */
export interface Search {
  readonly text: string
  readonly hits: readonly {
    readonly group: (typeof SEARCH_GROUPS)[number]
    /** What names it: certname, hash, cause, class, `Type[title]`, path. */
    readonly id: string
    readonly label: string
    readonly exact: boolean
  }[]
}

export interface SchemaAnswer {
  readonly entities: readonly {
    readonly name: string
    readonly fields: readonly {
      readonly name: string
      readonly alias: string | null
      readonly kind: string
      readonly queryable: boolean
      readonly projectable: boolean
    }[]
    /** Entities that a nested query may name. */
    readonly related: readonly string[]
  }[]
  readonly functions: readonly string[]
  readonly operators: readonly string[]
}

export interface CompletionOptions {
  /** As far as it is written. */
  readonly query: string

  /** Where in it something is being written, in UTF-16 units. */
  readonly at: number
}

export type ChoiceKind = 'entity' | 'field' | 'operator' | 'function' | 'keyword' | 'value'

export interface Choice {
  /** As it stands in the query, quotation marks included. */
  readonly text: string
  readonly kind: ChoiceKind
  readonly detail: string | null
}

export interface Completion {
  /** What of the query a choice replaces, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** Values first, by name. */
  readonly choices: readonly Choice[]
  /** Whether there are more values that begin so. */
  readonly more: boolean
}

/** A query that is wrong, and where, in UTF-16 units; null where the place is unknown. */
export interface QueryProblem {
  readonly message: string
  readonly from: number | null
  readonly to: number | null
}

/** How a query is answered. */
export interface QueryExplanation {
  /** The query as it was understood. */
  readonly ast: Json
  /** What is read and in which way, in sentences. */
  readonly words: readonly string[]
  /** Of its first page; none where nothing has to be read. */
  readonly sql: string | null
  readonly parameters: readonly unknown[]
  /** SQLite's own words. */
  readonly plan: readonly string[]
  readonly rows_read: number
  readonly rows: number
  /** That D1 says it took. */
  readonly milliseconds: number
}

export interface SavedQuery {
  /** In addresses: lower-case letters, digits, dashes. */
  readonly name: string
  readonly title: string
  readonly query: string
  /** Presets come with the service and can't be changed. */
  readonly preset: boolean
  readonly saved: Timestamp | null
}
