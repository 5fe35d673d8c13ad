/** Sends statements to D1: one batch is one round trip and one transaction. Counts the rows read and written. */

import { Unavailable } from '../lib/errors.ts'
import { laterTurn } from '../lib/turns.ts'
import { Memory } from './memory.ts'
import { translatedError, isTransient } from './failures.ts'
import {
  checkGeneration,
  isUnknownGeneration,
  requireGeneration,
  type CheckedGeneration,
  type Generation,
} from './generation.ts'
import { withBoundTimes } from '../sql/bound-times.ts'
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
  /** Size of the database after the last statement, in bytes. */
  databaseBytes: number
}

const ATTEMPTS = 4
const BASE_DELAY_MS = 50
const LONGEST_DELAY_MS = 2000

/** What this isolate remembers of each database, by binding. */
const memories = new WeakMap<D1Database, Memory>()

/**
 * Drops this isolate's memory of a database, for use when another database replaced it behind the same binding.
 * Requests in progress keep the memory that they began with until they see that it is of another past.
 */
export const forgetDatabase = (binding: D1Database): void => {
  memories.delete(binding)
}

/** The database was restored to an earlier state since this isolate learned what a batch relied on. Nothing of the batch holds. */
export class Restored extends Unavailable {
  constructor() {
    super(
      'The database was restored to an earlier state a moment ago. Nothing was changed; try again.',
    )
  }
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
  private current: Memory
  private constructor(
    private readonly binding: D1Database,
    private readonly connection: Connection,
    private readonly session: D1DatabaseSession | null,
    private readonly timeout: { readonly seconds: number; readonly until: number } | null,
    private readonly givesWay = false,
  ) {
    this.current = Database.memoryOf(binding)
  }

  /** What the isolate remembers of the database. Another one after a batch that shows that the database was restored. */
  get memory(): Memory {
    return this.current
  }

  /** Whether the database is in this process, so that a question costs no hop. */
  get isBeside(): boolean {
    return 'isBeside' in this.binding
  }

  private static memoryOf(binding: D1Database): Memory {
    let memory = memories.get(binding)
    if (!memory) memories.set(binding, (memory = new Memory()))
    return memory
  }

  /** For writing: always the primary. */
  static primary(binding: D1Database): Database {
    return new Database(binding, binding, null, null)
  }

  /** For work that nobody waits for: requests that came meanwhile go ahead of each batch. */
  static background(binding: D1Database): Database {
    return new Database(binding, binding, null, null, true)
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
    return new Database(binding, session, session, timeout)
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
   * @throws Unavailable when the database can't run the batch now, QueryError when a limit of D1 refuses it,
   *   Restored when patterns may have been compiled to ids that are others' now
   */
  batch<const Statements extends readonly Statement[]>(
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    return this.patiently(async () => {
      const { memory } = this
      const check = checkGeneration(memory.generation)
      let results = await this.send([...statements, check])
      if ((await this.verify(results.pop() as CheckedGeneration[])) === 'replica of another past') {
        results = await this.send([...statements, check], this.binding)
        await this.verify(results.pop() as CheckedGeneration[])
      }
      if (this.memory !== memory && memory.hasMatches()) throw new Restored()
      return results as RowsOf<Statements>
    })
  }

  /**
   * The same for a batch that leaves out what the isolate remembers as stored: the database undoes it where that is
   * of another past.
   *
   * @throws Restored when that was so
   */
  batchOnMemory<const Statements extends readonly Statement[]>(
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    return this.patiently(async () => {
      try {
        const check = requireGeneration(this.memory.generation)
        const results = await this.send([...statements, check])
        await this.verify(results.pop() as CheckedGeneration[])
        return results as RowsOf<Statements>
      } catch (error) {
        if (!isUnknownGeneration(error)) throw error
        this.forget()
        throw new Restored()
      }
    })
  }

  /**
   * Remembers the generation of a batch, or forgets everything where the primary does not know the remembered one.
   *
   * @returns 'replica of another past' where the isolate's memory is right, and the answer came from a replica that a
   *   restore has not reached: its ids are not those that are remembered
   */
  private async verify([read]: readonly CheckedGeneration[]): Promise<
    'verified' | 'replica of another past'
  > {
    if (!read) throw new Error('A database has a generation.')
    const { number, token, known } = read
    if (known === 0) {
      const primary = await this.askPrimary([this.memory.generation, read])
      if (!primary[0]) this.forget()
      else if (!primary[1]) return 'replica of another past'
    }
    const { generation } = this.memory
    if (generation === null || number >= generation.number) {
      this.memory.generation = { number, token }
    }
    return 'verified'
  }

  /** Whether the primary knows each generation: a replica that is behind does not know the latest one. */
  private async askPrimary(generations: readonly (Generation | null)[]): Promise<boolean[]> {
    const answers = await this.send(generations.map(checkGeneration), this.binding)
    return (answers as CheckedGeneration[][]).map(([read]) => read?.known === 1)
  }

  private forget(): void {
    if (memories.get(this.binding) === this.current) forgetDatabase(this.binding)
    this.current = Database.memoryOf(this.binding)
  }

  /** Sends a batch up to four times, while D1's errors are transient and its time is not over. */
  private async patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        // An answer of many pages takes no turn in which a timer could fire, where SQLite runs on this thread.
        this.requireTime()
        return await this.inTime(work())
      } catch (error) {
        if (error instanceof Restored) throw error
        if (attempt === ATTEMPTS || !isTransient(error)) throw translatedError(error)
        const ceiling = Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** attempt)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * ceiling))
      }
    }
  }

  /** Rejects at the deadline without waiting for D1, which offers no way to cancel. */
  private async inTime<Result>(work: Promise<Result>): Promise<Result> {
    if (this.timeout === null) return work
    const { until } = this.timeout
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      const fail = (): void => reject(this.timedOut())
      timer = setTimeout(fail, Math.max(0, until - Date.now()))
    })
    try {
      return await Promise.race([work, over])
    } finally {
      clearTimeout(timer)
    }
  }

  private requireTime(): void {
    if (this.timeout !== null && Date.now() >= this.timeout.until) throw this.timedOut()
  }

  private timedOut(): Unavailable {
    return new Unavailable(`The query exceeded its timeout of ${this.timeout?.seconds} seconds.`)
  }

  private async send(
    statements: readonly (Statement | TypedStatement<unknown>)[],
    connection = this.connection,
  ): Promise<unknown[][]> {
    if (this.givesWay) await laterTurn()
    this.usage.roundTrips++
    this.usage.statements += statements.length
    const begun = performance.now()
    const results = await connection.batch<StoredRow>(
      statements
        .map(withBoundTimes)
        .map(({ sql, params }) => connection.prepare(sql).bind(...params)),
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
