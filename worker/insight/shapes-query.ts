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
      readonly operators: readonly string[]
    }[]
    /** Entities that a nested query may name. */
    readonly related: readonly string[]
  }[]
  readonly functions: readonly string[]
  readonly operators: readonly string[]
  readonly keywords: readonly string[]
}

export interface CompleteOptions {
  readonly query: string
  /** Where the cursor stands, in UTF-16 units. */
  readonly at: number
}

export interface Completion {
  /** What of the query a choice replaces. */
  readonly from: number
  readonly to: number
  readonly choices: readonly {
    readonly text: string
    readonly kind: 'entity' | 'field' | 'operator' | 'function' | 'keyword' | 'value'
    readonly detail: string | null
  }[]
}

export interface Explained {
  /** The query in the other syntaxes. */
  readonly pql: string | null
  readonly ast: Json
  /** The plan in words, a line each. */
  readonly words: readonly string[]
  readonly statements: readonly {
    readonly sql: string
    readonly parameters: readonly unknown[]
    readonly query_plan: readonly string[]
    readonly rows_read: number
    readonly rows: number
  }[]
}

/** A query that is wrong, and where: offsets in UTF-16 units, null where the place is unknown. */
export interface QueryProblem {
  readonly message: string
  readonly from: number | null
  readonly to: number | null
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
