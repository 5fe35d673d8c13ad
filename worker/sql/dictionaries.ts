/** Dictionaries (append-only tables of the distinct texts of a column) and the matches of patterns in them. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Predicate } from '../plan/plan.ts'
import { matcher, type StepBudget, type Pattern } from '../postgres/regex/regex.ts'
import type { Field } from '../schema/entity.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { events, nodes, resources, strings } from '../schema/tables.ts'
import { integer, selectText, text, typed } from './columns.ts'
import type { PatternMatches } from './matches.ts'
import type { TypedStatement } from './statement.ts'

export type MatchTerm = Extract<Predicate, { kind: 'matches' }>

/** A text of a dictionary. */
export interface DictionaryEntry {
  readonly id: number
  readonly text: string
}

/** Entries of a page, and its characters: what is read at a time must fit into memory, whatever is stored. */
const PAGE_ENTRIES = 20_000
const PAGE_CHARACTERS = 2_000_000
/** New entries that are read along with the rows of a query. */
const NEW_ENTRIES = 500

/** Whether further entries may follow a page. */
export const isFullPage = (entries: readonly DictionaryEntry[]): boolean =>
  entries.length === PAGE_ENTRIES ||
  entries.reduce((characters, { text }) => characters + text.length, 0) >= PAGE_CHARACTERS

type ReadAfter = (id: number) => TypedStatement<DictionaryEntry>

/** How the texts of a dictionary are read: the entries with greater ids, in their order. */
export interface DictionarySource {
  readonly name: string
  /** A page of them. */
  readonly page: ReadAfter
  /** The first few, at the least cost. */
  readonly few: ReadAfter
}

/** Whether further entries may follow a few. */
export const areMore = (entries: readonly DictionaryEntry[]): boolean =>
  entries.length === NEW_ENTRIES

/** The matches of a pattern among the first texts of a dictionary: those up to an id, so many in number. */
interface Trial {
  readonly matches: number[]
  testedTo: number
  tested: number
}

/** The most ids in all trials of a dictionary, and the most trials. */
const MOST_CACHED_IDS = 50_000
const MOST_TRIALS = 100
/** The longest pattern whose trial is cached: longer ones are lists that aren't queried twice. */
const LONGEST_NAME = 10_000

/** Trials by the text of their pattern. */
class Trials {
  private readonly trials = new Map<string, Trial>()

  of(pattern: string): Trial {
    const cached = this.trials.get(pattern)
    if (cached) return cached
    const ids = [...this.trials.values()].reduce((sum, { matches }) => sum + matches.length, 0)
    if (this.trials.size >= MOST_TRIALS || ids > MOST_CACHED_IDS) this.trials.clear()
    const trial: Trial = { matches: [], testedTo: 0, tested: 0 }
    if (pattern.length <= LONGEST_NAME) this.trials.set(pattern, trial)
    return trial
  }
}

/** Bytes of a text in memory: V8 keeps one a character where all are of Latin-1. */
export const bytesOf = (text: string): number =>
  /[^\0-\xff]/.test(text) ? 2 * text.length : text.length

/** Bytes of an entry of a dictionary beside its text. */
const BYTES_OF_ENTRY = 40

/** The texts of a dictionary with their ids, oldest first, as far as this isolate has read them. */
export class Dictionary {
  ids: number[] = []
  texts: string[] = []
  readonly trials = new Trials()
  highest = 0
  /** What the texts take. */
  bytes = 0
  /** Whether texts were dropped, as all of them would be too much to hold. */
  isPartial = false
  /** Whether more entries are new than were read along with the rows of a query. */
  isBehind = false

  /** Adds a text once: two requests may have read the same new ones. */
  add(id: number, text: string): void {
    if (id <= this.highest) return
    this.ids.push(id)
    this.texts.push(text)
    this.highest = id
    this.bytes += bytesOf(text) + BYTES_OF_ENTRY
  }

  /** Drops the texts read so far, after the patterns of a query were tested on them. */
  dropTexts(): void {
    this.ids = []
    this.texts = []
    this.bytes = 0
    this.isPartial = true
  }
}

/** The dictionary of a field's texts, and the column with their ids; null without one. */
export function dictionaryOf({
  storage,
}: Field): (DictionarySource & { readonly column: SQLiteColumn }) | null {
  if (storage.form === 'reference') {
    if (storage.target === 'reports') return null
    if (storage.target === 'nodes') return { name: 'nodes', ...NODES, column: storage.column }
    const kind = STRING_KINDS[storage.target]
    return { name: `strings ${kind}`, ...stringsOf(kind), column: storage.column }
  }
  if ('column' in storage && storage.column.table === resources) {
    const { name } = storage.column
    return { name: `resources ${name}`, ...resourcesOf(name), column: events.resource }
  }
  return null
}

/** The entries after an id. @param rows SQL that an `id > …` may follow: a table and its WHERE */
function entriesOf(column: string, rows: string): Pick<DictionarySource, 'page' | 'few'> {
  const columns = { id: integer('id'), text: text('text') }
  const direct = { id: integer('id'), text: text(column) }
  const before = `sum(length(${column})) over (order by id rows between unbounded preceding and 1 preceding)`
  const page = `select id, ${column} as text, ${before} as before from ${rows} id > ?1 order by id limit ${PAGE_ENTRIES}`
  const sql = `select ${selectText(columns)} from (${page}) where coalesce(before, 0) < ${PAGE_CHARACTERS} order by id`
  const few = `select ${selectText(direct)} from ${rows} id > ?1 order by id limit ${NEW_ENTRIES}`
  return {
    page: (id) => typed(columns, { sql, params: [id] }),
    few: (id) => typed(direct, { sql: few, params: [id] }),
  }
}

const NODES = entriesOf(nodes.certname.name, 'nodes where')
const stringsOf = (kind: number) =>
  entriesOf(strings.value.name, `strings where kind = ${kind} and`)
const resourcesOf = (column: string) =>
  entriesOf(column, `resources where ${column} is not null and`)

/** Above this share of a dictionary, the ids without a match are the shorter list. */
const COMPLEMENT_FROM = 0.6

/**
 * A pattern evaluated on a dictionary: its matches, and whether they are still complete after the
 * dictionary has grown.
 */
export interface EvaluatedPattern {
  readonly matches: PatternMatches
  readonly isComplete: () => boolean
}

/** A pattern that is evaluated on a dictionary, as far as the dictionary has been read. */
export class Evaluation {
  private readonly trial: Trial

  constructor(
    private readonly dictionary: Dictionary,
    private readonly column: SQLiteColumn,
    private readonly term: MatchTerm,
    private readonly budget: StepBudget,
  ) {
    this.trial = dictionary.trials.of(term.text)
  }

  /** Tests the texts that are new. @returns the number of matches */
  refresh(): number {
    const { dictionary, trial, term } = this
    const { ids, texts, highest } = dictionary
    if (trial.testedTo < highest) {
      const test = remembering(testOf(term.field, term.pattern, this.budget))
      for (let index = firstAfter(ids, trial.testedTo); index < ids.length; index++) {
        if (test(texts[index]!)) trial.matches.push(ids[index]!)
        trial.tested++
        trial.testedTo = ids[index]!
      }
    }
    return trial.matches.length
  }

  result(): EvaluatedPattern {
    const { dictionary, column, trial } = this
    const found = this.refresh()
    const { tested } = trial
    // The complement would include ids without a text, such as resources without a class.
    const complement =
      !dictionary.isPartial && found > tested * COMPLEMENT_FROM && column !== events.resource
    const ids = complement ? except(dictionary.ids, trial.matches) : trial.matches.slice()
    return {
      matches: { by: 'id', column, ids, complement },
      // A complement includes an id that is new since: correctly if it matches.
      isComplete: () => this.refresh() - found === (complement ? trial.tested - tested : 0),
    }
  }
}

/** The index of the first id greater than `id`, of ascending ones. */
function firstAfter(ids: readonly number[], id: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ids[middle]! > id) to = middle
    else from = middle + 1
  }
  return from
}

/** The ids that are not in `leftOut`; both lists ascend. */
function except(ids: readonly number[], leftOut: readonly number[]): number[] {
  let next = 0
  return ids.filter((id) => {
    if (leftOut[next] !== id) return true
    next++
    return false
  })
}

/** Resources repeat their types and classes. */
function remembering(test: (text: string) => boolean): (text: string) => boolean {
  const results = new Map<string, boolean>()
  return (text) => {
    const before = results.get(text)
    if (before !== undefined) return before
    const matched = test(text)
    results.set(text, matched)
    return matched
  }
}

/** A path matches if any of its elements does; a value of an event is tested by its text. */
export function testOf(
  { kind }: Field,
  pattern: Pattern,
  budget: StepBudget,
): (text: string) => boolean {
  const test = matcher(pattern, budget)
  if (kind === 'path') return (text) => text !== '' && (JSON.parse(text) as string[]).some(test)
  if (kind === 'value')
    return (text) => test(text.startsWith('"') ? (JSON.parse(text) as string) : text)
  return test
}
