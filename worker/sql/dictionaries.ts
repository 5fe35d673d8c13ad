/** Dictionaries (append-only tables of the distinct texts of a column) and the matches of patterns in them. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Predicate } from '../plan/plan.ts'
import { matcher, type StepBudget, type Pattern } from '../postgres/regex/regex.ts'
import type { Field } from '../schema/entities.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { events, nodes, resources, strings } from '../schema/tables.ts'
import { integer, selectText, text, typed } from './columns.ts'
import type { PatternMatches } from './predicate.ts'
import type { TypedStatement } from './statement.ts'

export type MatchTerm = Extract<Predicate, { kind: 'matches' }>

/** A text of a dictionary. */
export interface DictionaryEntry {
  readonly id: number
  readonly text: string
}

/** How the texts of a dictionary are read. */
export interface DictionarySource {
  readonly name: string
  /** The entries with greater ids, in their order. */
  readonly after: (id: number) => TypedStatement<DictionaryEntry>
}

/** The matches of a pattern among the first texts of a dictionary. */
interface Trial {
  readonly matches: number[]
  testedUpTo: number
}

/** The most ids in all trials of a dictionary, and the most trials. */
const MOST_CACHED_IDS = 500_000
const MOST_TRIALS = 100
/** The longest pattern whose trial is cached: longer ones are lists that nobody queries twice. */
const LONGEST_NAME = 10_000

/** Trials by the text of their pattern. */
class Trials {
  private readonly trials = new Map<string, Trial>()

  of(pattern: string): Trial {
    const cached = this.trials.get(pattern)
    if (cached) return cached
    const ids = [...this.trials.values()].reduce((sum, { matches }) => sum + matches.length, 0)
    if (this.trials.size >= MOST_TRIALS || ids > MOST_CACHED_IDS) this.trials.clear()
    const trial: Trial = { matches: [], testedUpTo: 0 }
    if (pattern.length <= LONGEST_NAME) this.trials.set(pattern, trial)
    return trial
  }
}

/** The texts of a dictionary with their ids, oldest first, as far as this isolate has read them. */
export class Dictionary {
  readonly ids: number[] = []
  readonly texts: string[] = []
  readonly trials = new Trials()
  highest = 0

  /** Adds a text once: two requests may have read the same new ones. */
  add(id: number, text: string): void {
    if (id <= this.highest) return
    this.ids.push(id)
    this.texts.push(text)
    this.highest = id
  }
}

/** The dictionary of a field's texts, and the column with their ids; null without one. */
export function dictionaryOf({
  storage,
}: Field): (DictionarySource & { readonly column: SQLiteColumn }) | null {
  if (storage.form === 'reference') {
    if (storage.target === 'reports') return null
    if (storage.target === 'nodes')
      return { name: 'nodes', after: nodesAfter, column: storage.column }
    const kind = STRING_KINDS[storage.target]
    return { name: `strings ${kind}`, after: stringsAfter(kind), column: storage.column }
  }
  if ('column' in storage && storage.column.table === resources) {
    const { name } = storage.column
    return { name: `resources ${name}`, after: resourcesAfter(name), column: events.resource }
  }
  return null
}

/** The entries behind an id. @param rows SQL that an `id > …` may follow: a table and its WHERE */
function entriesAfter(column: string, rows: string): DictionarySource['after'] {
  const columns = { id: integer('id'), text: text(column) }
  const sql = `select ${selectText(columns)} from ${rows} id > ?1 order by id`
  return (id) => typed(columns, { sql, params: [id] })
}

const nodesAfter = entriesAfter(nodes.certname.name, 'nodes where')
const stringsAfter = (kind: number) =>
  entriesAfter(strings.value.name, `strings where kind = ${kind} and`)
const resourcesAfter = (column: string) =>
  entriesAfter(column, `resources where ${column} is not null and`)

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

/** Evaluates the pattern on the texts of the dictionary that are new to it. */
export function evaluateOn(
  dictionary: Dictionary,
  column: SQLiteColumn,
  term: MatchTerm,
  budget: StepBudget,
): EvaluatedPattern {
  const trial = dictionary.trials.of(term.text)
  /** Tests the texts that are new, and returns the number of matches. */
  const refresh = (): number => {
    if (trial.testedUpTo < dictionary.ids.length) {
      const test = remembering(testOf(term.field, term.pattern, budget))
      for (; trial.testedUpTo < dictionary.ids.length; trial.testedUpTo++)
        if (test(dictionary.texts[trial.testedUpTo]!))
          trial.matches.push(dictionary.ids[trial.testedUpTo]!)
    }
    return trial.matches.length
  }
  const found = refresh()
  const { testedUpTo: tested } = trial
  // The complement would include ids without a text, such as resources without a class.
  const complement = found > tested * COMPLEMENT_FROM && column !== events.resource
  const ids = complement
    ? except(dictionary.ids.slice(0, tested), trial.matches)
    : trial.matches.slice()
  return {
    matches: { by: 'id', column, ids, complement },
    // A complement includes an id that is new since: correctly if it matches.
    isComplete: () => refresh() - found === (complement ? trial.testedUpTo - tested : 0),
  }
}

/** The ids without those of `leftOut`; both lists ascend. */
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
