/** What helps to ask: search, schema, completion, explanation, saved queries. */

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

export interface SavedQuery {
  /** In addresses: lower-case letters, digits, dashes. */
  readonly name: string
  readonly title: string
  readonly query: string
  /** Presets come with the service and can't be changed. */
  readonly preset: boolean
  readonly saved: Timestamp | null
}
