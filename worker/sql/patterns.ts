/**
 * Regular expressions without REGEXP: the distinct texts that a pattern may match are read and tried
 * in the Worker, and what survives goes back as a list. So a pattern is an exact predicate wherever
 * it stands, under limits, totals and aggregates too, and no fact is scanned for a dictionary's column.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { QueryError } from '../lib/errors.ts'
import type { Predicate } from '../plan/plan.ts'
import { matcher, type Pattern } from '../plan/regex.ts'
import type { Entity, Field } from '../schema/entities.ts'
import { events, nodes, subjects, words, WORD_KINDS } from '../schema/tables.ts'
import { predicate, columnOf, type Matches, type Survivors } from './predicate.ts'
import { balanced, render } from './render.ts'
import { fromClause, tablesAsked } from './source.ts'
import type { Statement } from './statement.ts'
import { valueOf } from './values.ts'

/** An append-only table that holds the distinct texts of a column: rows [id, text] behind the id that is the parameter. */
export interface DictionarySource {
  readonly name: string
  readonly sql: string
}

/** The texts of a dictionary with their ids, oldest first, and what patterns said of them. */
export interface Dictionary {
  readonly ids: readonly number[]
  readonly texts: readonly string[]
  /** By the pattern's text; a trial covers as many texts as it holds ids. */
  readonly trials: Map<string, Trial>
}

export interface Trial {
  readonly kept: number[]
  readonly dropped: number[]
}

/** Where patterns get their texts from. */
export interface TextReader {
  /** All texts of a dictionary. */
  readonly dictionary: (source: DictionarySource) => Promise<Dictionary>
  /** The rows of a statement with one column. */
  readonly texts: (statement: Statement) => Promise<readonly string[]>
}

/** Distinct texts read at a time, and in all, where a column has no dictionary. */
const PAGE = 10_000
const MOST_TEXTS = 200_000
/** Patterns whose trials are kept, for each dictionary. */
const MOST_TRIALS = 100
/** Beyond this part of a dictionary the texts that did not survive are the shorter list. */
const COMPLEMENT_FROM = 0.6

/** What patterns of a plan are tried on: each level with its entity and its condition. */
export interface Level {
  readonly entity: Entity
  readonly where: Predicate
}

/** Tries every pattern of the levels, inner subqueries first. */
export async function tryPatterns(levels: readonly Level[], reader: TextReader): Promise<Matches> {
  const matches = new Map<Predicate, Survivors>()
  for (const level of levels) await tryLevel(level, reader, matches)
  return matches
}

async function tryLevel(
  { entity, where }: Level,
  reader: TextReader,
  matches: Map<Predicate, Survivors>,
): Promise<void> {
  const found = patternsIn(where, [])
  for (const { term } of found) {
    if (term.kind === 'within') {
      await tryLevel({ entity: term.select.entity, where: term.select.where }, reader, matches)
    }
  }
  for (const { term } of found) {
    if (term.kind !== 'matches') continue
    const source = dictionaryOf(term.field)
    if (source) matches.set(term, tried(source.column, term, await reader.dictionary(source)))
  }
  for (const { term, context } of found) {
    if (term.kind !== 'matches' || matches.has(term)) continue
    const narrowing = context.filter((one) =>
      patternsIn(one, []).every(
        (inner) => inner.term.kind !== 'matches' || matches.has(inner.term),
      ),
    )
    matches.set(term, await triedOnValues(entity, term, narrowing, reader, matches))
  }
}

type MatchTerm = Extract<Predicate, { kind: 'matches' }>
type WithinTerm = Extract<Predicate, { kind: 'within' }>

/**
 * The patterns and subqueries of one level, each with the conditions that must hold beside it. Within
 * a negation none must: a row on which one is unknown passes if the pattern does not match.
 */
function patternsIn(
  where: Predicate,
  context: readonly Predicate[],
  negated = false,
): { term: MatchTerm | WithinTerm; context: readonly Predicate[] }[] {
  switch (where.kind) {
    case 'and':
      return where.terms.flatMap((term) => {
        const others = negated ? [] : where.terms.filter((other) => other !== term)
        return patternsIn(term, [...context, ...others], negated)
      })
    case 'or':
      return where.terms.flatMap((term) => patternsIn(term, context, negated))
    case 'not':
      return patternsIn(where.term, context, true)
    case 'matches':
    case 'within':
      return [{ term: where, context }]
    default:
      return []
  }
}

/** The dictionary that a field's texts stand in, and the column that holds their ids; null where there is none. */
function dictionaryOf({ storage }: Field): (DictionarySource & { column: SQLiteColumn }) | null {
  if (storage.form === 'reference') {
    if (storage.target === 'reports') return null
    if (storage.target === 'nodes')
      return { name: 'nodes', sql: SQL_OF_NODES, column: storage.column }
    const kind = WORD_KINDS[storage.target]
    return { name: `words ${kind}`, sql: sqlOfWords(kind), column: storage.column }
  }
  if ('column' in storage && storage.column.table === subjects) {
    const { name } = storage.column
    return { name: `subjects ${name}`, sql: sqlOfSubjects(name), column: events.subject }
  }
  return null
}

const SQL_OF_NODES = `select ${nodes.id.name} as c0, ${nodes.certname.name} as c1 from nodes where id > ?1 order by id`
const sqlOfWords = (kind: number): string =>
  `select ${words.id.name} as c0, ${words.value.name} as c1 from words where kind = ${kind} and id > ?1 order by id`
const sqlOfSubjects = (column: string): string =>
  `select ${subjects.id.name} as c0, ${column} as c1 from subjects where id > ?1 and ${column} is not null order by id`

/** Tries the texts of a dictionary that this pattern has not been tried on yet. */
function tried(column: SQLiteColumn, term: MatchTerm, dictionary: Dictionary): Survivors {
  const { kept, dropped } = trialOf(term, dictionary)
  // The complement would let through ids that carry no text at all, as subjects without a class do.
  const complement =
    kept.length > dictionary.ids.length * COMPLEMENT_FROM && column !== events.subject
  return { by: 'id', column, ids: complement ? dropped : kept, complement }
}

function trialOf({ field, pattern, text }: MatchTerm, { ids, texts, trials }: Dictionary): Trial {
  let trial = trials.get(text)
  if (!trial) {
    if (trials.size >= MOST_TRIALS) trials.clear()
    trials.set(text, (trial = { kept: [], dropped: [] }))
  }
  const begin = trial.kept.length + trial.dropped.length
  if (begin === ids.length) return trial
  const test = testOf(field, pattern)
  const known = new Map<string, boolean>()
  for (let index = begin; index < ids.length; index++) {
    const one = texts[index]!
    let matched = known.get(one)
    if (matched === undefined) known.set(one, (matched = test(one)))
    ;(matched ? trial.kept : trial.dropped).push(ids[index]!)
  }
  return trial
}

/** A path matches if any of its elements does; a value of an event is tried as the text it holds. */
function testOf({ kind }: Field, pattern: Pattern): (text: string) => boolean {
  const test = matcher(pattern)
  if (kind === 'path') return (text) => text !== '' && (JSON.parse(text) as string[]).some(test)
  if (kind === 'value')
    return (text) => test(text.startsWith('"') ? (JSON.parse(text) as string) : text)
  return test
}

/** Tries the distinct values of a column that has no dictionary, among the rows that the rest of the query leaves. */
async function triedOnValues(
  entity: Entity,
  { field, pattern }: MatchTerm,
  narrowing: readonly Predicate[],
  reader: TextReader,
  matches: Matches,
): Promise<Survivors> {
  const { storage } = field
  if (storage.form === 'code') {
    return { by: 'value', values: storage.codes.filter(matcher(pattern)) }
  }
  const value = field.kind === 'value' ? sql`${columnOf(field)}` : valueOf(field, true)
  const conditions = [
    sql`${value} is not null`,
    ...narrowing.map((one) => predicate(entity, one, matches)),
  ]
  const read = new Set([...narrowing.flatMap(tablesAsked), ...tablesOf(field)])
  const from = fromClause(entity, read, null)
  const test = testOf(field, pattern)
  const survivors: string[] = []
  let after: string | null = null
  for (let seen = 0; ;) {
    const where: SQL = balanced(
      'and',
      after === null ? conditions : [...conditions, sql`${value} > ${after}`],
    )
    const texts = await reader.texts(
      render(
        sql`select distinct ${value} as c0 from ${from} where ${where} order by 1 limit ${PAGE}`,
      ),
    )
    survivors.push(...texts.filter(test))
    seen += texts.length
    if (texts.length < PAGE) return { by: 'value', values: survivors }
    if (seen >= MOST_TEXTS) {
      throw new QueryError(
        `The regular expression on ${field.name} would have to be tried on more than ${MOST_TEXTS} different values. Narrow the query by time, node or status first.`,
      )
    }
    after = texts.at(-1)!
  }
}

const tablesOf = ({ storage }: Field) => [
  ...('column' in storage ? [storage.column.table] : []),
  ...(storage.form === 'reference' && storage.joined ? [storage.joined.table] : []),
]
