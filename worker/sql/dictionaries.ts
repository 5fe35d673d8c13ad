/** Dictionaries: append-only tables that hold the distinct texts of a column, and what patterns said of these. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Predicate } from '../plan/plan.ts'
import { matcher, type StepBudget, type Pattern } from '../postgres/regex/regex.ts'
import type { Field } from '../schema/entities.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { events, nodes, resources, strings } from '../schema/tables.ts'
import { integer, selectText, text, typed } from './columns.ts'
import type { Survivors } from './predicate.ts'
import type { TypedStatement } from './statement.ts'

export type MatchTerm = Extract<Predicate, { kind: 'matches' }>

/** A text of a dictionary. */
export interface DictionaryEntry {
  readonly id: number
  readonly text: string
}

/** Where the texts of a dictionary are read. */
export interface DictionarySource {
  readonly name: string
  /** The entries with greater ids, in their order. */
  readonly after: (id: number) => TypedStatement<DictionaryEntry>
}

/** What a pattern said of a dictionary's first texts. */
interface Trial {
  readonly kept: number[]
  tried: number
}

/** Ids that the trials of a dictionary may hold together, and how many trials there may be. */
const MOST_KEPT = 500_000
const MOST_TRIALS = 100
/** A list of patterns is longer than this only where nobody asks it twice. */
const LONGEST_NAME = 10_000

/** Trials by the text of their pattern. */
class Trials {
  private readonly trials = new Map<string, Trial>()

  of(pattern: string): Trial {
    const known = this.trials.get(pattern)
    if (known) return known
    const kept = [...this.trials.values()].reduce((sum, trial) => sum + trial.kept.length, 0)
    if (this.trials.size >= MOST_TRIALS || kept > MOST_KEPT) this.trials.clear()
    const trial: Trial = { kept: [], tried: 0 }
    if (pattern.length <= LONGEST_NAME) this.trials.set(pattern, trial)
    return trial
  }
}

/** The texts of a dictionary with their ids, oldest first, as far as they have been read. */
export class Dictionary {
  readonly ids: number[] = []
  readonly texts: string[] = []
  readonly trials = new Trials()
  highest = 0

  /** Takes a text once: two requests may have read the same new ones. */
  add(id: number, text: string): void {
    if (id <= this.highest) return
    this.ids.push(id)
    this.texts.push(text)
    this.highest = id
  }
}

/** The dictionary that a field's texts stand in, and the column that holds their ids; null where there is none. */
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

/** Beyond this part of a dictionary the texts that did not survive are the shorter list. */
const COMPLEMENT_FROM = 0.6

/** A pattern that was tried on a dictionary: what survived, and whether that still is all since the dictionary has grown. */
export interface TriedPattern {
  readonly survivors: Survivors
  readonly holds: () => boolean
}

/** Tries the texts of a dictionary that this pattern has not been tried on yet. */
export function tryOn(
  dictionary: Dictionary,
  column: SQLiteColumn,
  term: MatchTerm,
  budget: StepBudget,
): TriedPattern {
  const trial = dictionary.trials.of(term.text)
  /** How many ids matched among those that were read. */
  const refresh = (): number => {
    if (trial.tried < dictionary.ids.length) {
      const test = remembering(testOf(term.field, term.pattern, budget))
      for (; trial.tried < dictionary.ids.length; trial.tried++)
        if (test(dictionary.texts[trial.tried]!)) trial.kept.push(dictionary.ids[trial.tried]!)
    }
    return trial.kept.length
  }
  const kept = refresh()
  const { tried } = trial
  // The complement would let through ids that carry no text at all, as resources without a class do.
  const complement = kept > tried * COMPLEMENT_FROM && column !== events.resource
  const ids = complement ? except(dictionary.ids.slice(0, tried), trial.kept) : trial.kept.slice()
  return {
    survivors: { by: 'id', column, ids, complement },
    // An id that was not there yet passes a complement: rightly if it matches.
    holds: () => refresh() - kept === (complement ? trial.tried - tried : 0),
  }
}

/** Ids that are not among those left out; both ascend. */
function except(ids: readonly number[], leftOut: readonly number[]): number[] {
  let next = 0
  return ids.filter((id) => {
    if (leftOut[next] !== id) return true
    next++
    return false
  })
}

/** Subjects repeat their types and classes. */
function remembering(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const matched = test(text)
    known.set(text, matched)
    return matched
  }
}

/** A path matches if any of its elements does; a value of an event is tried as the text it holds. */
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
