/** The query tree: what a query asks, in either syntax. Names are not checked yet. */

import type { Json } from '../lib/json.ts'

/**
 * A whole query or a subquery.
 *
 * `entity` is null where the endpoint determines it. `columns` is null without a projection and `[]` with
 * an empty one; both select all fields.
 */
export interface Query {
  readonly entity: string | null
  readonly columns: readonly QueryColumn[] | null
  readonly filter: Filter | null
  readonly groupBy: readonly QueryColumn[] | null
  readonly paging: Paging
  /** How an explicit subquery was written; PuppetDB has an old (`select_reports`) and a new style (`from`). */
  readonly style: 'from' | 'select'
}

/** A projected column or a member of `group_by`: a field's name, or a function call. */
export type QueryColumn = FieldColumn | FunctionColumn

export interface FieldColumn {
  readonly kind: 'field'
  readonly name: string
}

export interface FunctionColumn {
  readonly kind: 'function'
  readonly name: string
  readonly arguments: readonly Json[]
}

/**
 * Left side of a comparison. `state` is `["node","active"]`; `fact` and `parameter` belong to entities
 * that are not stored.
 */
export type Operand =
  | FieldColumn
  | FunctionColumn
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'fact'; readonly name: Json }
  | { readonly kind: 'parameter'; readonly name: Json }

/** What a comparison takes on its right side: `rank` is a number or a string, `paths` a list of patterns. */
type Operands = 'literal' | 'pattern' | 'paths' | 'rank'

/** Every comparison with what it takes, in the order in which PQL's errors list them. */
export const OPERANDS = {
  '=': 'literal',
  '~': 'pattern',
  '~>': 'paths',
  '>=': 'rank',
  '<=': 'rank',
  '<': 'rank',
  '>': 'rank',
} as const satisfies Readonly<Record<string, Operands>>
export type Comparison = keyof typeof OPERANDS
export const COMPARISONS = Object.keys(OPERANDS) as readonly Comparison[]

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Operand
      readonly value: Json
    }
  | { readonly kind: 'null'; readonly left: Operand; readonly value: boolean }
  | (Members & { readonly kind: 'in-list'; readonly values: readonly Json[] })
  | (Members & { readonly kind: 'in-query'; readonly query: Query })
  /** An implicit relation, `["subquery", entity, filter]`. */
  | { readonly kind: 'related'; readonly entity: string; readonly filter: Filter | null }

/** The left side of `in`. */
export interface Members {
  readonly left: readonly Operand[]
  /** Whether a single field is written as a list. The meaning is the same. */
  readonly isListed?: true
}

export interface Paging {
  readonly limit: number | null
  readonly offset: number | null
  readonly orderBy: readonly SortKey[] | null
  /** The order of the clauses in PQL's text, where it is another. The meaning is the same. */
  readonly written?: readonly PagingClause[]
}

/** The names of paging clauses, in the order in which they are printed. */
export const PAGING_CLAUSES = ['limit', 'offset', 'order_by'] as const
export type PagingClause = (typeof PAGING_CLAUSES)[number]

export interface SortKey {
  readonly field: string
  readonly direction: 'asc' | 'desc'
  /** Whether the text says `asc`, which is the default. */
  readonly isExplicit?: true
}

export const NO_PAGING: Paging = { limit: null, offset: null, orderBy: null }

/** The query that asks for everything. */
export const WHOLE_ENTITY: Query = {
  entity: null,
  columns: null,
  filter: null,
  groupBy: null,
  paging: NO_PAGING,
  style: 'from',
}

/** `[operator, field, value]` */
export const comparison = (name: string, value: Json, operator: Comparison = '='): Filter => ({
  kind: 'compare',
  operator,
  left: { kind: 'field', name },
  value,
})
