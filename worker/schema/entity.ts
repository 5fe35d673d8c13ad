/** What an entity of the query API is: its tables, and its fields with their storage. */

import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { KindName } from './kinds.ts'
import type { Storage } from './storage.ts'
import { STRING_KINDS, type StringKind } from './string-kinds.ts'

export interface Field {
  readonly name: string
  /** Another name of the field in queries. */
  readonly alias?: string
  readonly kind: KindName
  /** Whether a row may hold null. */
  readonly nullable: boolean
  readonly storage: Storage
  /** Allowed in filters and in `order_by`. */
  readonly queryable: boolean
  /** Allowed in `extract`, and part of a row when nothing is extracted. */
  readonly projectable: boolean
}

/** A table that an entity joins to its base table, only where a field needs it. */
export interface Join {
  readonly table: SQLiteTable
  readonly on: readonly [SQLiteColumn, SQLiteColumn]
  /** Keeps rows of the base table that have no partner. */
  readonly optional: boolean
}

export interface Entity {
  readonly name: string
  readonly base: SQLiteTable
  /** Only rows of the base table with this kind of string belong to the entity. */
  readonly strings?: StringKind
  readonly joins: readonly Join[]
  /** Columns that identify a row, and order rows where nothing else does; newest first where the column is a time. */
  readonly key: readonly SQLiteColumn[]
  readonly keyDirection: 'asc' | 'desc'
  /** In the order of answers. */
  readonly fields: readonly Field[]
  /** The field with the node's name, if any: the active-node filter applies to it. */
  readonly certname: Field | null
}

/** The field of an entity with this name or alias. */
export const fieldOf = (one: Entity, name: string): Field | undefined =>
  one.fields.find((field) => field.name === name || field.alias === name)

/** The number in `strings.kind` for the names of such an entity. */
export const stringKindOf = (one: Entity): number | null =>
  one.strings === undefined ? null : STRING_KINDS[one.strings]
