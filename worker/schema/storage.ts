/** How the tables store a field: what the SQL compiler needs to read, compare and join it. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { StringKind } from './string-kinds.ts'

/** What an id refers to: a node (its certname), a report (its hash), or a string of some kind. */
export type Target = 'nodes' | 'reports' | StringKind

export type Storage =
  /** The value itself. */
  | { readonly form: 'plain'; readonly column: SQLiteColumn }
  /**
   * An id of the value. Equality and membership compare ids without a join. `joined` is the column of the value
   * after the entity's own joins.
   */
  | {
      readonly form: 'reference'
      readonly column: SQLiteColumn
      readonly target: Target
      readonly joined?: SQLiteColumn
    }
  /** 16 bytes of a UUID, or the original text where it isn't a UUID. */
  | { readonly form: 'uuid'; readonly column: SQLiteColumn }
  /** A small number for each of a few texts. */
  | { readonly form: 'code'; readonly column: SQLiteColumn; readonly codes: readonly string[] }
  /** The producer timestamp: the report's key, or a separate column where the key can't hold it. */
  | { readonly form: 'key'; readonly column: SQLiteColumn; readonly exact: SQLiteColumn }
  /** JSON text; NULL is JSON's null. */
  | { readonly form: 'json'; readonly column: SQLiteColumn }
  /** JSON text of a list of texts; `''` for no list. */
  | { readonly form: 'path'; readonly column: SQLiteColumn }
  /** A part of the report that is expanded into `{data, href}`. */
  | { readonly form: 'expanded'; readonly part: 'logs' | 'metrics' | 'resource_events' }
  /** Whether the row belongs to its node's latest report; `column` holds the report's key. */
  | { readonly form: 'latest'; readonly column: SQLiteColumn }
  /** Whether the node whose id is in `column` is active. */
  | { readonly form: 'state'; readonly column: SQLiteColumn }
  /** True of every row. `column` is never null. */
  | { readonly form: 'always'; readonly column: SQLiteColumn }
  /** Part of the API but not stored: always null. */
  | { readonly form: 'absent' }
