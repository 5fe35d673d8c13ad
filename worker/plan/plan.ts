/** The typed plan: every name is a field, every value is of its field's kind, every implicit filter is written out. */

import type { Filter } from '../query/ast.ts'
import type { Entity, Field } from '../schema/entity.ts'
import type { Scalar } from '../schema/kinds.ts'
import type { FunctionName } from './functions.ts'
import type { Pattern } from '../postgres/regex/regex.ts'

export type Plan = SelectPlan | CountsPlan | NothingPlan

/** Rows of an entity, or groups of them where `groups` is not null. */
export interface SelectPlan {
  readonly kind: 'select'
  readonly entity: Entity
  readonly columns: readonly PlanColumn[]
  readonly where: Predicate
  /** Null: one row of the answer is one row of the entity. `[]`: all rows are one group. */
  readonly groups: readonly PlanColumn[] | null
  readonly order: readonly Order[]
  readonly limit: number | null
  readonly offset: number
  /** Only the newest event of each resource property within a window of time. */
  readonly distinct: Distinct | null
}

/** Numbers of events by subject. */
export interface CountsPlan {
  readonly kind: 'counts'
  readonly summaries: readonly Summary[]
  /** True: one row a summary, the numbers being subjects with such events. False: one row a subject. */
  readonly aggregate: boolean
  readonly countBy: 'resource' | 'certname'
  readonly entity: Entity
  readonly where: Predicate
  readonly having: CountsFilter | null
  readonly order: readonly CountsOrder[]
  readonly limit: number | null
  readonly offset: number
  readonly distinct: Distinct | null
}

/** A question about an entity that this service does not store: no rows, or one group of none. */
export interface NothingPlan {
  readonly kind: 'nothing'
  readonly rows: readonly Readonly<Record<string, number | null>>[]
}

export type PlanColumn =
  | { readonly kind: 'field'; readonly name: string; readonly field: Field }
  | {
      readonly kind: 'function'
      readonly name: string
      readonly function: FunctionName
      /** Null: the function applies to the whole row, as `count()`. */
      readonly field: Field | null
      /** The mask of `to_string`. */
      readonly mask: string | null
    }

export interface Order {
  readonly field: Field
  readonly direction: 'asc' | 'desc'
}

export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'always'; readonly value: boolean }
  | { readonly kind: 'equals'; readonly field: Field; readonly value: Scalar }
  | {
      readonly kind: 'ordered'
      readonly field: Field
      readonly operator: '<' | '>' | '<=' | '>='
      readonly value: number
    }
  | { readonly kind: 'null'; readonly field: Field; readonly value: boolean }
  /** Two-valued: false, not unknown, where the field is null. */
  | {
      readonly kind: 'matches'
      readonly field: Field
      readonly pattern: Pattern
      /** The pattern as the query has it. */
      readonly text: string
    }
  | { readonly kind: 'among'; readonly field: Field; readonly values: readonly Scalar[] }
  | { readonly kind: 'within'; readonly fields: readonly Field[]; readonly select: SelectPlan }
  | { readonly kind: 'latest'; readonly field: Field; readonly value: boolean }
  | { readonly kind: 'state'; readonly field: Field; readonly active: boolean }

/** The predicate that no row meets. */
export const NEVER: Predicate = { kind: 'always', value: false }

/** Bounds of time, in ms since 1970, that events are picked from. */
export interface Window {
  readonly start: number
  readonly end: number
  /** PuppetDB narrows the window itself where this is the whole query. */
  readonly latest: boolean | null
}

export interface Distinct extends Window {
  /** The events that the reader may see; only the newest of these count. */
  readonly among: Predicate
}

/** Entity → the filter that its visible rows meet. No row of an entity without a filter is visible. */
export type RowPolicy = ReadonlyMap<string, Filter>

export type Summary = 'certname' | 'resource' | 'containing_class'
export type CountName = 'failures' | 'successes' | 'noops' | 'skips'

export interface CountsFilter {
  readonly operator: '=' | '<' | '>' | '<=' | '>='
  readonly count: CountName
  readonly value: number
}

export interface CountsOrder {
  /** A number of events, or the index of one of the summary's columns. */
  readonly key: CountName | { readonly index: number }
  readonly direction: 'asc' | 'desc'
}
