/** How a field's value stands in the tables: what the SQL compiler needs to read, compare and join it. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { StringKind } from './string-kinds.ts'

/** What an id may point at: a node (its certname), a report (its hash), or a word of some kind. */
export type Target = 'nodes' | 'reports' | StringKind

export type Storage =
  /** The value itself. */
  | { readonly form: 'plain'; readonly column: SQLiteColumn }
  /**
   * An id; the value is what it points at. Equality and membership compare ids, which costs no join.
   * `joined` is the column that holds the value once the entity's own joins have been made.
   */
  | {
      readonly form: 'reference'
      readonly column: SQLiteColumn
      readonly target: Target
      readonly joined?: SQLiteColumn
    }
  /** 16 bytes of a UUID, or the text that was sent where it is none. */
  | { readonly form: 'uuid'; readonly column: SQLiteColumn }
  /** A small number that stands for one of the texts. */
  | { readonly form: 'code'; readonly column: SQLiteColumn; readonly codes: readonly string[] }
  /** The producer timestamp, which is the report's key, or stands beside it where the key can't hold it. */
  | { readonly form: 'key'; readonly column: SQLiteColumn; readonly exact: SQLiteColumn }
  /** JSON text; NULL is JSON's null. */
  | { readonly form: 'json'; readonly column: SQLiteColumn }
  /** JSON text of a list of texts, `''` where there is none. */
  | { readonly form: 'path'; readonly column: SQLiteColumn }
  /** A part of the report that is expanded into `{data, href}`. */
  | { readonly form: 'expanded'; readonly part: 'logs' | 'metrics' | 'resource_events' }
  /** Whether the row belongs to its node's latest report; `column` holds the report's key. */
  | { readonly form: 'latest'; readonly column: SQLiteColumn }
  /** Whether the node whose id `column` holds is active. */
  | { readonly form: 'state'; readonly column: SQLiteColumn }
  /** Known to the API, never stored: always null. */
  | { readonly form: 'absent' }
