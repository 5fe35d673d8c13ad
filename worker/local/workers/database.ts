/**
 * The database of a self-hosted service: one Durable Object with SQLite that runs statements as D1 does.
 * The runtime itself provides limits, the authorizer, error texts and the counts of rows.
 */

import { DurableObject } from 'cloudflare:workers'
import { inflated } from '../../lib/inflated.ts'
import { noteFailure, requireWritable } from './health.ts'
import { writesReleased } from './hold.ts'
import { WriteGroups } from './write-groups.ts'

/** A statement as D1's binding sends it, whose bytes are arrays of numbers, or as code beside the database passes it. */
export interface ObjectStatement {
  readonly sql: string
  readonly params?: readonly ObjectParameter[] | null
}
export type ObjectParameter = string | number | null | readonly number[] | ArrayBuffer | Uint8Array
type Value = SqlStorageValue | number[]

export interface Meta {
  readonly served_by: string
  readonly duration: number
  readonly changes: number
  readonly last_row_id: number
  readonly changed_db: boolean
  size_after: number
  readonly rows_read: number
  readonly rows_written: number
}
interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly Value[][]
}
interface Outcome {
  readonly results: Rows
  readonly meta: Meta
}

/** The answer to a request of D1's binding. */
export interface BindingAnswer {
  readonly text: string
  readonly bookmark: string
}

/** The text that D1 skips before it checks for a statement. */
const INDENTED_COMMENT = /^\s+--.*/gm
const COUNTERS = 'select total_changes(), last_insert_rowid()'
/** Statements that change nothing, whatever follows. */
const READS =
  /^\s*(?:EXPLAIN\b|(?:SELECT|WITH|VALUES)\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|REPLACE)\b))/i
/** One statement that may or may not change something: `replace` is a function as well. */
const AMBIGUOUS = /^\s*(?:SELECT|WITH|VALUES)\b[^;]*$/i
/** Texts of statements of which it is remembered whether they may write, and the characters of the longest. */
const MOST_REMEMBERED = 200
const LONGEST_REMEMBERED = 30_000
const READER_WRITES = 'This process only reads the database.'

/**
 * Characters of rows after which garbage is collected. What a long answer is made of outlives V8's young generation, and V8
 * looks at the limit of the old one only when something is allocated in it directly: a hundred listings of 3 MB grew the
 * process to 950 MB, and to 220 with this, in the same time.
 */
const COLLECTED_AFTER = 16_000_000
/** V8's own function, there by the flag --expose-gc. */
declare const gc: () => void

export class DatabaseObject<Bindings = unknown> extends DurableObject<Bindings> {
  /**
   * Bookmarks are the time of this object's start and the number of writes since, as texts that sort by age.
   * `storage.getCurrentBookmark()` would write to disk and wait for it at each call, even for reads.
   */
  readonly #start = sortable(Date.now())
  #writes = 0
  /** Characters of rows since garbage was collected. */
  #characters = 0
  #size = this.ctx.storage.sql.databaseSize
  #lastRow = 0
  protected readonly groups = new WriteGroups()
  /** Whether this process may write: one does, and its readers don't. */
  protected readonly mayWrite: boolean = true
  /** Batches that were refused because this process may not write. */
  protected refusedWrites = 0
  /** Text of a statement → whether it may write. */
  readonly #writing = new Map<string, boolean>()

  /**
   * Answers a request of D1's binding. Requests from outside can't call it: they only reach `fetch`.
   *
   * @param text a statement or a list of them, in JSON @param whole whether rows are lists beside the names of their columns
   */
  async query(text: string, whole: boolean): Promise<BindingAnswer> {
    const query = JSON.parse(text) as ObjectStatement | readonly ObjectStatement[]
    const statements = Array.isArray(query)
      ? (query as readonly ObjectStatement[])
      : [query as ObjectStatement]
    let answer: object
    try {
      const outcomes = await this.runBatch(statements)
      answer = outcomes.map(({ results, meta }) => ({
        success: true,
        results: whole ? results : objectsOf(results),
        meta,
      }))
    } catch (error) {
      answer = { success: false, error: error instanceof Error ? error.message : String(error) }
    }
    return { text: JSON.stringify(answer), bookmark: this.bookmark() }
  }

  /** Sorts after all earlier bookmarks where something was written since. */
  bookmark(): string {
    return `${this.#start}-${sortable(this.#writes)}`
  }

  /**
   * Runs statements in one transaction, as soon as writes are not held. The runtime lets no answer out before the
   * writes are on disk.
   *
   * @param counting what each statement changed is counted by two further statements, which D1's binding needs and the
   *   service does not
   * @throws Error with SQLite's text, and then nothing was written
   */
  async runBatch(
    statements: readonly ObjectStatement[],
    counting: Counting = 'each statement',
  ): Promise<Outcome[]> {
    if (this.#characters + inflated.characters > COLLECTED_AFTER) {
      this.#characters = 0
      inflated.characters = 0
      gc()
    }
    try {
      if (!statements.some((one) => this.#mayChange(one))) return this.#answer(statements, 'reads')
      if (!this.mayWrite) {
        this.refusedWrites++
        throw new Error(READER_WRITES)
      }
      await this.groups.turn()
      await writesReleased()
      requireWritable()
      return this.#answer(statements, counting)
    } catch (error) {
      if (noteFailure(error)) await this.foundDamage()
      throw error
    }
  }

  /** Called once, when SQLite finds the database damaged. */
  protected async foundDamage(): Promise<void> {
    // The process that answers for the status knows it by itself.
  }

  /**
   * Whether a statement opens the database for writing. Where its text does not say so, SQLite's program of it does.
   * Source: sqlite.org/opcode.html, Transaction: P2 is not 0 for a write transaction.
   */
  #mayChange({ sql, params }: ObjectStatement): boolean {
    const known = this.#writing.get(sql)
    if (known !== undefined) return known
    const writes = !READS.test(sql) && (!AMBIGUOUS.test(sql) || this.#opensForWriting(sql, params))
    if (sql.length > LONGEST_REMEMBERED) return writes
    if (this.#writing.size >= MOST_REMEMBERED) this.#writing.clear()
    this.#writing.set(sql, writes)
    return writes
  }

  #opensForWriting(sql: string, params: ObjectStatement['params']): boolean {
    const program = this.ctx.storage.sql.exec(`explain ${sql}`, ...(params ?? []).map(bound))
    return [...program].some(({ opcode, p2 }) => opcode === 'Transaction' && p2 !== 0)
  }

  #answer(statements: readonly ObjectStatement[], counting: Counting | 'reads'): Outcome[] {
    const all = statements.filter(({ sql }) => !isEmpty(sql))
    if (all.length === 0) throw new Error('No SQL statements detected.')
    const run = (): Outcome[] => {
      // The last statement's counters are the next one's.
      let counters = counting === 'each statement' ? this.#counters() : null
      return all.map((one) => {
        const { outcome, after } = this.#run(one, counters)
        counters = after
        return outcome
      })
    }
    const read = (): Outcome[] =>
      this.mayWrite ? run() : this.ctx.storage.transactionSync(() => this.#besideWriter(run))
    const write = (): Outcome[] => {
      const outcomes = this.ctx.storage.transactionSync(run)
      if (counting === 'the batch') this.#countBatch(outcomes)
      return outcomes
    }
    try {
      // In the process that writes nothing is written meanwhile. A reader needs a transaction to see one state.
      return counting === 'reads' ? read() : write()
    } catch (error) {
      this.#size = this.ctx.storage.sql.databaseSize
      throw error
    }
  }

  /** Another process has written since. */
  #besideWriter(run: () => Outcome[]): Outcome[] {
    this.#size = this.ctx.storage.sql.databaseSize
    return run()
  }

  /** @param before the counters before the statement; null for a batch whose statements are not counted */
  #run({ sql, params }: ObjectStatement, before: Counters | null) {
    const begun = performance.now()
    const cursor = this.ctx.storage.sql.exec(sql, ...(params ?? []).map(bound))
    const { columnNames } = cursor
    const rows: Value[][] = [...cursor.raw<SqlStorageValue[]>()]
    for (const row of rows) this.#characters += makeSendable(row)
    const { rowsRead, rowsWritten } = cursor
    const after = before === null || READS.test(sql) ? before : this.#counters()
    const changes = after === null ? 0 : after.changes - before!.changes
    const hasChanged =
      changes !== 0 || after?.lastRow !== before?.lastRow || after?.size !== before?.size
    if (before !== null && (hasChanged || rowsWritten > 0)) this.#writes++
    const outcome: Outcome = {
      results: { columns: columnNames, rows },
      meta: {
        served_by: 'local',
        duration: performance.now() - begun,
        changes,
        changed_db: hasChanged,
        last_row_id: this.#lastRow,
        size_after: this.#size,
        rows_read: rowsRead,
        rows_written: rowsWritten,
      },
    }
    return { outcome, after }
  }

  #countBatch(outcomes: readonly Outcome[]): void {
    this.#writes++
    this.#size = this.ctx.storage.sql.databaseSize
    for (const { meta } of outcomes) meta.size_after = this.#size
  }

  /** What a statement may change. */
  #counters(): Counters {
    const [row] = this.ctx.storage.sql.exec(COUNTERS).raw<[number, number]>()
    const [changes, lastRow] = row!
    this.#lastRow = lastRow
    this.#size = this.ctx.storage.sql.databaseSize
    return { changes, lastRow, size: this.#size }
  }
}

interface Counters {
  /** Rows changed since the database was opened. */
  readonly changes: number
  readonly lastRow: number
  /** Bytes of the database. */
  readonly size: number
}

/** `each statement` counts what each changed; `the batch` only that something may have changed, and how large it all is. */
type Counting = 'each statement' | 'the batch'

/** Whether D1 finds no statement in the text. */
const isEmpty = (sql: string): boolean =>
  (sql.includes('--') ? sql.replace(INDENTED_COMMENT, '') : sql).trim() === ''

/** A number as a text that sorts by its value. */
const sortable = (number: number): string => number.toString(16).padStart(12, '0')

const bound = (value: ObjectParameter): SqlStorageValue =>
  typeof value === 'object' && value !== null && !(value instanceof ArrayBuffer)
    ? new Uint8Array(value).buffer
    : value

/**
 * Writes values as D1's binding gives them, in place, since most rows need none: bytes as lists, and no infinity.
 *
 * @returns the characters of the row's texts
 */
function makeSendable(row: Value[]): number {
  let characters = 0
  for (let at = 0; at < row.length; at++) {
    const value = row[at]!
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'number') row[at] = Number.isFinite(value) ? value : null
    else if (value instanceof ArrayBuffer) row[at] = [...new Uint8Array(value)]
  }
  return characters
}

/** Rows as objects; of two columns with one name the later counts. */
export const objectsOf = ({ columns, rows }: Rows): Record<string, Value>[] =>
  rows.map((row) => {
    const object: Record<string, Value> = {}
    for (let at = 0; at < columns.length; at++) object[columns[at]!] = row[at]!
    return object
  })
