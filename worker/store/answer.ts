/** Answers compiled queries page by page. It reads a page only when the caller takes it, so that memory stays bounded. */

import { Unavailable } from '../lib/errors.ts'
import type { Compiled } from '../sql/compile.ts'
import { compileEventsOf } from '../sql/expand.ts'
import { endOf, pageKeys, pageStatement, totalStatement, type PageRow } from '../sql/page.ts'
import type { After } from '../sql/position.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Decoding } from '../sql/values.ts'
import {
  batchRead,
  listRead,
  namedReads,
  NO_READ,
  readAll,
  readOne,
  type BatchRead,
} from './batch-read.ts'
import { Restored, type Database } from './database.ts'
import { newTexts } from './dictionary-reader.ts'
import { expandReports, MOST_EVENTS, runsByEvents, wantsPart } from './expand.ts'
import { fillEmptyCaches, textsOfIds } from './id-caches.ts'
import { wholeRows } from './long-values.ts'
import { rowPrinter } from './print.ts'

export interface Answer {
  /** Number of rows, regardless of the limit; null unless requested. */
  readonly total: number | null
  /** Reads the total; has no statement where it was requested. */
  readonly totalRead: () => BatchRead<number>
  readonly empty: boolean
  /** Field names of a row. */
  readonly columns: readonly string[]
  /** The first page is the whole answer, and printing it reads little more. */
  readonly whole: boolean
  /** Most rows of a page. */
  readonly rowsPerPage: number
  /** JSON texts of rows, a bounded number at a time. The first page is already read. */
  readonly pages: AsyncIterable<readonly string[]>
}

export interface AnswerOptions {
  readonly total: boolean
  /** The path prefix of `/query/v4` in hrefs: `` or `/pdb`. */
  readonly prefix: string
  /** Statements that the request may send in all; 0 for no limit. */
  readonly mostQueries?: number
  /** A further read for the same round trip as the first page. */
  readonly attached?: BatchRead<unknown>
}

/** Rows of a page: a whole report takes kilobytes, any other row some hundred bytes. */
const PAGE = 2000
const PAGE_OF_REPORTS = 100
/**
 * Rows of narrow columns are so many that a page has this number of values: what a page is found by, such as groups or a
 * subquery, is computed for each page.
 */
const VALUES_OF_PAGE = 100_000
/** A text is counted as so many ids, numbers or times. */
const VALUES_OF_TEXT = 5
const IS_TEXT: ReadonlySet<Decoding['as']> = new Set(['text', 'json', 'path'])

/** How often a query is compiled and read again, as what it was compiled with has changed. */
const MOST_READS = 20

/** Characters of rows that are printed before they are sent. */
const MOST_CHARACTERS = 1_000_000

const isExpanded = (compiled: CompiledSelect): boolean => compiled.extras.includes('hash')

interface Page {
  readonly rows: readonly PageRow[]
  /** Events of the page's reports; null where there were too many to read with the page. */
  readonly events: readonly PageRow[] | null
}

/** A compiled query, and the reads of its first pages, which are made once: a kept query is printed once. */
export class PreparedQuery {
  readonly #firsts = new Map<boolean, BatchRead<readonly First[]>>()

  constructor(readonly compiled: Compiled) {}

  /** @param total whether the numbers of rows are read too */
  firstReads(total: boolean): BatchRead<readonly First[]> {
    const known = this.#firsts.get(total)
    if (known !== undefined) return known
    const reads = listRead(this.compiled.selects.map((select) => firstRead(select, total)))
    this.#firsts.set(total, reads)
    return reads
  }
}

/**
 * Reads the first page of each select, and its total if requested, in one round trip. Errors of a query
 * therefore occur before the response's status is sent. If a pattern matches a text that the isolate had not
 * cached, the query is compiled and read again.
 *
 * @param prepare compiles the query with the dictionaries cached so far
 * @returns an answer for each summary of counts, otherwise one
 * @throws QueryError where a limit of D1 refuses the query, Unavailable where the database can't answer, or new texts
 *   match each time that the query is read
 */
export async function openAnswers(
  database: Database,
  prepare: () => Promise<PreparedQuery>,
  options: AnswerOptions,
): Promise<readonly Answer[]> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    try {
      const answers = await readFirst(database, await prepare(), options)
      if (answers) return answers
    } catch (error) {
      // What was remembered is forgotten, so the next try compiles the query again.
      if (!(error instanceof Restored)) throw error
    }
  }
  throw new Unavailable(
    'Texts that the regular expressions match arrive faster than they can be read. Try again.',
  )
}

/** The answers to a compiled query; null where its patterns match texts that were not cached. */
async function readFirst(
  database: Database,
  prepared: PreparedQuery,
  options: AnswerOptions,
): Promise<readonly Answer[] | null> {
  const { selects, patterns } = prepared.compiled
  const { firsts, hold } = await readAll(database, {
    firsts: prepared.firstReads(options.total),
    caches: fillEmptyCaches(database.memory, selects),
    attached: options.attached ?? NO_READ,
    hold: newTexts(patterns),
  })
  if (!hold) return null
  return selects.map((select, index) => {
    const { total, page } = firsts[index]!
    return {
      total,
      totalRead: () => (total === null ? totalRead(select) : { ...NO_READ, read: () => total }),
      empty: page.rows.length === 0,
      columns: select.columns.map(({ name }) => name),
      whole: isWhole(select, page),
      rowsPerPage: mostRows(select),
      pages: pagesFrom(database, select, options, page),
    }
  })
}

function isWhole(select: CompiledSelect, { rows, events }: Page): boolean {
  const held = events !== null || !wantsPart(select, 'resource_events')
  return held && (rows.length < pageSize(select, 0) || pageSize(select, rows.length) <= 0)
}

interface First {
  readonly page: Page
  readonly total: number | null
}

/** Reads a first page, with the total if requested. */
const firstRead = (select: CompiledSelect, total: boolean): BatchRead<First> =>
  namedReads({
    page: pageRead(select, null, pageSize(select, 0)),
    total: total ? totalRead(select) : NO_READ,
  })

const totalRead = (select: CompiledSelect): BatchRead<number> =>
  batchRead([totalStatement(select)], ([rows]) => rows[0]!.total)

/** The greatest number of rows for the page after `read` rows. */
function pageSize(compiled: CompiledSelect, read: number): number {
  const most = mostRows(compiled)
  return compiled.limit === null ? most : Math.min(most, compiled.limit - read)
}

/** The greatest number of rows of a page. */
function mostRows(compiled: CompiledSelect): number {
  if (isExpanded(compiled)) return PAGE_OF_REPORTS
  const { columns, position } = compiled
  const values = columns.map(({ decoding }) => (IS_TEXT.has(decoding.as) ? VALUES_OF_TEXT : 1))
  const inRow = values.reduce((sum, one) => sum + one, position.length)
  return Math.max(PAGE, Math.floor(VALUES_OF_PAGE / inRow))
}

/** Reads a page of at most `size` rows, with their events where rows contain them. */
function pageRead(compiled: CompiledSelect, after: After | null, size: number): BatchRead<Page> {
  const page = pageStatement(compiled, after, size)
  if (!wantsPart(compiled, 'resource_events')) {
    return batchRead([page], ([rows]) => ({ rows, events: null }))
  }
  const ofPage = pageStatement(compileEventsOf(pageKeys(compiled, after, size)), null, MOST_EVENTS)
  return batchRead([page, ofPage], ([rows, events]) => ({
    rows,
    events: events.length < MOST_EVENTS ? events : null,
  }))
}

async function* pagesFrom(
  database: Database,
  compiled: CompiledSelect,
  options: AnswerOptions,
  first: Page,
): AsyncGenerator<readonly string[]> {
  let page = first
  for (let read = 0; ;) {
    yield* printPage(database, compiled, options, page)
    const asked = pageSize(compiled, read)
    read += page.rows.length
    const size = pageSize(compiled, read)
    if (page.rows.length < asked || size <= 0) return
    requireQueriesLeft(database, options)
    const end = endOf(compiled, page.rows.at(-1)!)
    page = await readOne(database, pageRead(compiled, end, size))
  }
}

/** Statements of a page: rows, events, texts of ids, and the generations of their two batches. A longer body takes more. */
export const PAGE_STATEMENTS = 4

function requireQueriesLeft(database: Database, { mostQueries = 0 }: AnswerOptions): void {
  if (mostQueries === 0 || database.usage.statements + PAGE_STATEMENTS <= mostQueries) return
  throw new Unavailable(
    `The rest needs more than the ${mostQueries} database queries that a request may send (MAX_QUERIES). Ask for fewer rows, or go on with offset and order_by.`,
    'no queries left',
  )
}

async function* printPage(
  database: Database,
  compiled: CompiledSelect,
  { prefix }: AnswerOptions,
  { rows, events }: Page,
): AsyncGenerator<readonly string[]> {
  const texts = await textsOfIds(database, compiled, rows)
  const print = rowPrinter(compiled, texts)
  const printed = new Printed()
  if (!isExpanded(compiled)) {
    for await (const whole of wholeRows(database, compiled, rows)) {
      for (const row of whole) {
        printed.push(print(row))
        if (printed.isFull) yield printed.take()
      }
    }
    if (!printed.isEmpty) yield printed.take()
    return
  }
  for (const run of runsByEvents(rows, events)) {
    const page = { prefix, events, texts }
    for await (const { row, expansion } of expandReports(database, compiled, run, page)) {
      printed.push(print(row, expansion))
      if (printed.isFull) yield printed.take()
    }
  }
  if (!printed.isEmpty) yield printed.take()
}

/** Texts of rows that are sent together. */
class Printed {
  private texts: string[] = []
  private characters = 0

  get isFull(): boolean {
    return this.characters >= MOST_CHARACTERS
  }

  get isEmpty(): boolean {
    return this.texts.length === 0
  }

  push(text: string): void {
    this.texts.push(text)
    this.characters += text.length
  }

  take(): readonly string[] {
    const { texts } = this
    this.texts = []
    this.characters = 0
    return texts
  }
}
