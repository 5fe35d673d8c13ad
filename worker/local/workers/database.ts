/**
 * The database of a self-hosted service: one Durable Object with SQLite that speaks the protocol of D1's
 * binding. The runtime itself provides limits, the authorizer, error texts and the counts of rows.
 */

import { DurableObject } from 'cloudflare:workers'
import { writesReleased } from './hold.ts'

/** A statement as the binding sends it: bytes are arrays of numbers. */
interface Statement {
  readonly sql: string
  readonly params?: readonly Parameter[] | null
}
type Parameter = string | number | null | readonly number[]
type Value = SqlStorageValue | number[]

interface Meta {
  readonly served_by: string
  readonly duration: number
  readonly changes: number
  readonly last_row_id: number
  readonly changed_db: boolean
  readonly size_after: number
  readonly rows_read: number
  readonly rows_written: number
}
type Rows = { readonly columns: readonly string[]; readonly rows: readonly Value[][] }
type Result =
  | { readonly success: true; readonly results: Rows | object[]; readonly meta: Meta }
  | { readonly success: false; readonly error: string }

const BOOKMARK = 'x-cf-d1-session-commit-token'
/** The text that D1 skips before it checks for a statement. */
const INDENTED_COMMENT = /^\s+--.*/gm
const COUNTERS = 'select total_changes(), last_insert_rowid()'
/** Statements that change nothing. A false negative only costs time. */
const READS = /^\s*(?:SELECT|WITH|VALUES)\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|REPLACE)\b)/i

/**
 * Characters of answers after which garbage is collected. What a long answer is made of outlives V8's young generation, and V8
 * looks at the limit of the old one only when something is allocated in it directly: a hundred listings of 3 MB grew the
 * process to 950 MB, and to 220 with this, in the same time.
 */
const COLLECTED_AFTER = 16_000_000
/** V8's own function, there by the flag --expose-gc. */
declare const gc: () => void

export class DatabaseObject extends DurableObject {
  /**
   * Bookmarks are the time of this object's start and the number of writes since, as texts that sort by age.
   * `storage.getCurrentBookmark()` would write to disk and wait for it at each call, even for reads.
   */
  readonly #start = sortable(Date.now())
  #writes = 0
  /** Characters of answers since garbage was collected. */
  #answered = 0
  #size = this.ctx.storage.sql.databaseSize
  #lastRow = 0

  override async fetch(request: Request): Promise<Response> {
    const query = await request.json<Statement | readonly Statement[]>()
    const whole = request.url.includes('resultsFormat=ROWS_AND_COLUMNS')
    const statements = Array.isArray(query) ? (query as readonly Statement[]) : [query as Statement]
    if (!statements.every(({ sql }) => READS.test(sql))) await writesReleased()
    const answer = this.#answer(statements, whole)
    const bookmark = `${this.#start}-${sortable(this.#writes)}`
    const text = JSON.stringify(answer)
    this.#collect(text.length)
    const headers = { 'content-type': 'application/json', [BOOKMARK]: bookmark }
    return new Response(text, { headers })
  }

  #collect(answered: number): void {
    this.#answered += answered
    if (this.#answered < COLLECTED_AFTER) return
    this.#answered = 0
    gc()
  }

  #answer(statements: readonly Statement[], whole: boolean): Result | readonly Result[] {
    const all = statements.filter(({ sql }) => sql.replace(INDENTED_COMMENT, '').trim() !== '')
    try {
      if (all.length === 0) throw new Error('No SQL statements detected.')
      const run = (): Result[] => all.map((one) => this.#run(one, whole))
      // Only writes need a transaction, to roll back; reads see one state anyway, since nothing writes meanwhile.
      return all.every(({ sql }) => READS.test(sql)) ? run() : this.ctx.storage.transactionSync(run)
    } catch (error) {
      this.#size = this.ctx.storage.sql.databaseSize
      return { success: false, error: error instanceof Error ? error.message : String(error) }
    }
  }

  #run({ sql, params }: Statement, whole: boolean): Result {
    const begun = performance.now()
    const counters = READS.test(sql) ? null : this.#counters()
    const cursor = this.ctx.storage.sql.exec(sql, ...(params ?? []).map(bound))
    const { columnNames } = cursor
    const rows: Value[][] = [...cursor.raw<SqlStorageValue[]>()]
    for (const row of rows) makeSendable(row)
    const { rowsRead, rowsWritten } = cursor
    const written = counters === null ? UNCHANGED : this.#written(counters, rowsWritten)
    return {
      success: true,
      results: whole
        ? { columns: columnNames, rows }
        : rows.map((row) => Object.fromEntries(columnNames.map((name, at) => [name, row[at]]))),
      meta: {
        served_by: 'local',
        duration: performance.now() - begun,
        ...written,
        last_row_id: this.#lastRow,
        size_after: this.#size,
        rows_read: rowsRead,
        rows_written: rowsWritten,
      },
    }
  }

  #counters(): readonly [changes: number, row: number] {
    const [counters] = this.ctx.storage.sql.exec(COUNTERS).raw<[number, number]>()
    return counters!
  }

  /** The changes of a statement that may have written. */
  #written(before: readonly [number, number], rowsWritten: number) {
    const [changesAfter, lastRow] = this.#counters()
    const [sizeBefore, size] = [this.#size, this.ctx.storage.sql.databaseSize]
    const changes = changesAfter - before[0]
    this.#lastRow = lastRow
    this.#size = size
    const changed = changes !== 0 || lastRow !== before[1] || size !== sizeBefore
    if (changed || rowsWritten > 0) this.#writes++
    return { changes, changed_db: changed }
  }
}

const UNCHANGED = { changes: 0, changed_db: false } as const

/** A number as a text that sorts by its value. */
const sortable = (number: number): string => number.toString(16).padStart(12, '0')

const bound = (value: Parameter): SqlStorageValue =>
  typeof value === 'object' && value !== null ? new Uint8Array(value).buffer : value

/** Replaces bytes in place, since most rows have none. */
function makeSendable(row: Value[]): void {
  for (const [at, value] of row.entries())
    if (value instanceof ArrayBuffer) row[at] = [...new Uint8Array(value)]
}
