/** Sends statements to D1: one batch is one round trip and one transaction. Counts the rows read and written. */

import { Unavailable } from '../lib/errors.ts'
import { Memory } from './memory.ts'
import { translatedError, isTransient } from './failures.ts'
import type { RowsOf, Statement, StoredRow, TypedStatement } from '../sql/statement.ts'

/** The methods that a D1 database and a session of it share. */
type Connection = Pick<D1Database, 'prepare' | 'batch'>

/** The cost of a request so far. */
export interface Usage {
  statements: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  /** As D1 reports it. */
  sqlMilliseconds: number
  /** Time until D1 answered, including the network. */
  waitMilliseconds: number
  /** Size of the database behind the last statement, in bytes. */
  databaseBytes: number
}

const ATTEMPTS = 4
const BASE_DELAY_MS = 50
const LONGEST_DELAY_MS = 2000

/** What this isolate remembers of each database, by binding. */
const memories = new WeakMap<D1Database, Memory>()

/**
 * Drops this isolate's memory of a database, for use when another database replaced it behind the same binding.
 * Requests in progress keep the memory that they began with.
 */
export const forgetDatabase = (binding: D1Database): void => {
  memories.delete(binding)
}

export class Database {
  readonly usage: Usage = {
    statements: 0,
    roundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    sqlMilliseconds: 0,
    waitMilliseconds: 0,
    databaseBytes: 0,
  }
  private constructor(
    private readonly connection: Connection,
    readonly memory: Memory,
    private readonly session: D1DatabaseSession | null,
    private readonly timeout: { readonly seconds: number; readonly until: number } | null,
  ) {}

  private static memoryOf(binding: D1Database): Memory {
    let memory = memories.get(binding)
    if (!memory) memories.set(binding, (memory = new Memory()))
    return memory
  }

  /** For writing: always the primary. */
  static primary(binding: D1Database): Database {
    return new Database(binding, Database.memoryOf(binding), null, null)
  }

  /**
   * For reads: the nearest replica that has seen `bookmark`, or any replica where it is null. Reads fail
   * after `seconds`; null means no limit.
   */
  static nearest(
    binding: D1Database,
    bookmark: string | null,
    seconds: number | null = null,
  ): Database {
    const session = binding.withSession(bookmark ?? 'first-unconstrained')
    const timeout = seconds === null ? null : { seconds, until: Date.now() + seconds * 1000 }
    return new Database(session, Database.memoryOf(binding), session, timeout)
  }

  /** The bookmark that lets a later session see all that this one saw; null outside a session. */
  bookmark(): string | null {
    return this.session?.getBookmark() ?? null
  }

  /**
   * Runs the statements in one transaction and returns the rows of each, decoded by its columns
   * (sql/columns.ts). Every statement must be idempotent: after a transient error of D1 the whole batch is
   * sent again, up to four times.
   *
   * @throws Unavailable when the database can't run the batch now, QueryError when a limit of D1 refuses it
   */
  async batch<const Statements extends readonly Statement[]>(
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.inTime(this.send(statements))) as RowsOf<Statements>
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw translatedError(error)
        const ceiling = Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** attempt)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * ceiling))
      }
    }
  }

  /** Rejects at the deadline without waiting for D1, which offers no way to cancel. */
  private async inTime<Result>(work: Promise<Result>): Promise<Result> {
    if (this.timeout === null) return work
    const { seconds, until } = this.timeout
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      const fail = (): void =>
        reject(new Unavailable(`The query exceeded its timeout of ${seconds} seconds.`))
      timer = setTimeout(fail, Math.max(0, until - Date.now()))
    })
    try {
      return await Promise.race([work, over])
    } finally {
      clearTimeout(timer)
    }
  }

  private async send(
    statements: readonly (Statement | TypedStatement<unknown>)[],
  ): Promise<unknown[][]> {
    this.usage.roundTrips++
    this.usage.statements += statements.length
    const begun = performance.now()
    const results = await this.connection.batch<StoredRow>(
      statements.map(({ sql, params }) => this.connection.prepare(sql).bind(...params)),
    )
    this.usage.waitMilliseconds += performance.now() - begun
    return results.map(({ results: rows, meta }, index) => {
      this.usage.rowsRead += meta.rows_read
      this.usage.rowsWritten += meta.rows_written
      this.usage.sqlMilliseconds += meta.duration
      this.usage.databaseBytes = meta.size_after
      const statement = statements[index]!
      return 'decode' in statement ? rows.map(statement.decode) : rows
    })
  }
}
