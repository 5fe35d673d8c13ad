/**
 * A database as D1 keeps one: SQLite in a Durable Object, where a batch is a transaction. It has D1's walls, scaled down:
 * it ends a batch that does too much, refuses to grow when it is full, and goes back to an earlier state.
 */

import { DurableObject } from 'cloudflare:workers'
import type { Statement } from '../../worker/sql/statement.ts'

/** The walls of a batch. */
export interface Walls {
  /** Rows that a batch may read and write, in place of 30 s: what a test decides must not depend on a clock. */
  readonly mostRows: number
  /** Bytes at which the database is full. */
  readonly mostBytes: number
  /** A message that a statement of the batch fails with, by its position. */
  readonly failing: { readonly statement: number; readonly message: string } | null
}

export interface Ran {
  readonly rows: Record<string, unknown>[]
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** What became of a batch: the outcome of each statement, or the message that rolled it back. */
export type Outcome =
  | { readonly ran: readonly Ran[]; readonly bytes: number }
  | { readonly message: string }

/** All rows of all tables. */
export type Snapshot = readonly {
  readonly table: string
  readonly columns: string
  readonly rows: unknown[][]
}[]

export const TIMED_OUT =
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'
export const FULL = 'D1_ERROR: Exceeded maximum DB size'

/** Of a full database D1 runs these only. */
const NEEDS_NO_ROOM = /^\s*(?:select|with|delete|explain)\b/i

/** D1's own tables, and SQLite's but for the last ids drawn. */
const TABLES = `select name from sqlite_master where type = 'table' and name not like '_cf_%' and name not like 'd1_%'
  and (name not like 'sqlite_%' or name = 'sqlite_sequence')`

export class PlatformDatabase extends DurableObject {
  private get sql(): SqlStorage {
    return this.ctx.storage.sql
  }

  /** Runs statements without walls, as `wrangler d1 migrations apply` does. */
  migrate(statements: readonly string[]): void {
    for (const statement of statements) this.sql.exec(statement)
  }

  run(statements: readonly Statement[], walls: Walls): Outcome {
    try {
      const ran = this.ctx.storage.transactionSync(() => this.batch(statements, walls))
      return { ran, bytes: this.sql.databaseSize }
    } catch (error) {
      const message = (error as Error).message
      return { message: message.startsWith('D1_ERROR') ? message : `D1_ERROR: ${message}` }
    }
  }

  private batch(statements: readonly Statement[], { mostRows, mostBytes, failing }: Walls): Ran[] {
    let rows = 0
    return statements.map(({ sql, params }, index) => {
      if (failing?.statement === index) throw new Error(failing.message)
      if (this.sql.databaseSize >= mostBytes && !NEEDS_NO_ROOM.test(sql)) throw new Error(FULL)
      const cursor = this.sql.exec(sql, ...params)
      const ran = {
        rows: cursor.toArray() as Record<string, unknown>[],
        rowsRead: cursor.rowsRead,
        rowsWritten: cursor.rowsWritten,
      }
      rows += ran.rowsRead + ran.rowsWritten
      if (rows > mostRows) throw new Error(TIMED_OUT)
      return ran
    })
  }

  bytes(): number {
    return this.sql.databaseSize
  }

  snapshot(): Snapshot {
    return this.sql
      .exec<{ name: string }>(TABLES)
      .toArray()
      .map(({ name }) => {
        // Computed columns take no values.
        const columns = this.sql
          .exec<{ name: string }>('select name from pragma_table_info(?)', name)
          .toArray()
          .map((column) => `"${column.name}"`)
          .join()
        return {
          table: name,
          columns,
          rows: [...this.sql.exec(`select ${columns} from "${name}"`).raw()],
        }
      })
  }

  /** Goes back to a snapshot, as Time Travel does. */
  restore(snapshot: Snapshot): void {
    this.ctx.storage.transactionSync(() => {
      for (const { table, columns, rows } of snapshot) {
        this.sql.exec(`delete from "${table}"`)
        for (const row of rows) {
          const values = row.map((value) => (typeof value === 'bigint' ? Number(value) : value))
          this.sql.exec(
            `insert into "${table}" (${columns}) values (${row.map(() => '?').join(', ')})`,
            ...(values as SqlStorageValue[]),
          )
        }
      }
    })
  }
}
