/**
 * Regular expressions without REGEXP: the distinct texts that a pattern may match are read and tried
 * in the Worker, and what survives goes back as a list. So a pattern is an exact predicate wherever
 * it stands, under limits, totals and aggregates too, and no fact is scanned for a dictionary's column.
 */

import { sql, type SQL } from 'drizzle-orm'
import { QueryError } from '../lib/errors.ts'
import type { Predicate } from '../plan/plan.ts'
import { StepBudget, matcher } from '../postgres/regex/regex.ts'
import type { Entity, Field } from '../schema/entities.ts'
import {
  dictionaryOf,
  testOf,
  tryOn,
  type Dictionary,
  type DictionarySource,
  type MatchTerm,
  type TriedPattern,
} from './dictionaries.ts'
import { selectList, text, typed } from './columns.ts'
import { predicate, columnOf, type Matches, type Survivors } from './predicate.ts'
import { balanced, render } from './render.ts'
import { fromClause, tablesAsked } from './source.ts'
import type { TypedStatement } from './statement.ts'
import { valueOf } from './values.ts'

/** Where patterns get their texts from. */
export interface TextReader {
  /** Dictionaries as far as they are known, which is enough to try patterns on; by name. */
  readonly dictionaries: (
    sources: readonly DictionarySource[],
  ) => Promise<ReadonlyMap<string, Dictionary>>
  /** The texts that a statement selects. */
  readonly texts: (
    statement: TypedStatement<{ readonly text: string }>,
  ) => Promise<readonly string[]>
}

/** What became of the patterns of a plan. */
export interface Trials {
  readonly matches: Matches
  /** The dictionaries that these matches come from. */
  readonly sources: readonly DictionarySource[]
  readonly dictionaries: ReadonlyMap<string, Dictionary>
  /** Whether nothing that the dictionaries have learnt since makes a difference. */
  readonly hold: () => boolean
}

/** Distinct texts read at a time, and in all, where a column has no dictionary. */
const PAGE = 10_000
const MOST_TEXTS = 200_000

/** Patterns on columns without a dictionary. Each costs round trips of its own, and D1 allows a request a thousand. */
const MOST_READ_FOR = 100

/** What patterns of a plan are tried on: each level with its entity and its condition. */
export interface Level {
  readonly entity: Entity
  readonly where: Predicate
}

/**
 * Tries every pattern of the levels, those of inner subqueries first.
 *
 * @throws QueryError where that would be too much work
 */
export async function tryPatterns(levels: readonly Level[], reader: TextReader): Promise<Trials> {
  const terms = levels.flatMap(({ where }) => matchTermsIn(where))
  const readFor = terms.filter(({ field }) => dictionaryOf(field) === null)
  if (readFor.length > MOST_READ_FOR) {
    throw new QueryError(
      `The query has too many regular expressions on fields such as ${readFor[0]!.field.name}: ${MOST_READ_FOR} are tried. Several can be one, as in "one|other".`,
    )
  }
  const sources = sourcesOf(terms)
  const dictionaries = sources.length > 0 ? await reader.dictionaries(sources) : NO_DICTIONARIES
  const budget = new StepBudget()
  const matches = new Map<Predicate, Survivors>()
  const tried: TriedPattern[] = []
  for (const term of terms) {
    const source = dictionaryOf(term.field)
    if (!source) continue
    const result = tryOn(dictionaries.get(source.name)!, source.column, term, budget)
    matches.set(term, result.survivors)
    tried.push(result)
  }
  for (const level of levels) await tryLevel(level, reader, matches, budget)
  return { matches, sources, dictionaries, hold: () => tried.every(({ holds }) => holds()) }
}

const NO_DICTIONARIES: ReadonlyMap<string, Dictionary> = new Map()

/** The patterns of all levels. */
function matchTermsIn(where: Predicate): MatchTerm[] {
  return patternsIn(where).flatMap(({ term }) =>
    term.kind === 'within' ? matchTermsIn(term.select.where) : term,
  )
}

/** The dictionaries that patterns are tried on, each once. */
const sourcesOf = (terms: readonly MatchTerm[]): DictionarySource[] => {
  const sources = terms.flatMap(({ field }) => dictionaryOf(field) ?? [])
  return [...new Map(sources.map((source) => [source.name, source])).values()]
}

/** Tries the patterns on columns that have no dictionary, when all others have been tried. */
async function tryLevel(
  { entity, where }: Level,
  reader: TextReader,
  matches: Map<Predicate, Survivors>,
  budget: StepBudget,
): Promise<void> {
  const found = patternsIn(where)
  for (const { term } of found) {
    if (term.kind === 'within') await tryLevel(term.select, reader, matches, budget)
  }
  for (const { term, context } of found) {
    if (term.kind !== 'matches' || matches.has(term)) continue
    const narrowing = context().filter((one) =>
      patternsIn(one).every(({ term: inner }) => inner.kind !== 'matches' || matches.has(inner)),
    )
    matches.set(term, await triedOnValues(entity, term, narrowing, reader, matches, budget))
  }
}

type WithinTerm = Extract<Predicate, { kind: 'within' }>

/** The conditions that must hold beside a term; found only where they are wanted, as they may be many. */
type Context = () => readonly Predicate[]

/**
 * The patterns and subqueries of one level, each with the conditions that must hold beside it. Within
 * a negation none must: a row on which one is unknown passes if the pattern does not match.
 */
function patternsIn(
  where: Predicate,
  context: Context = () => [],
  negated = false,
): { term: MatchTerm | WithinTerm; context: Context }[] {
  switch (where.kind) {
    case 'and':
      return where.terms.flatMap((term) => {
        const beside: Context = () => [
          ...context(),
          ...where.terms.filter((other) => other !== term),
        ]
        return patternsIn(term, negated ? context : beside, negated)
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

/** Tries the distinct values of a column that has no dictionary, among the rows that the rest of the query leaves. */
async function triedOnValues(
  entity: Entity,
  { field, pattern }: MatchTerm,
  narrowing: readonly Predicate[],
  reader: TextReader,
  matches: Matches,
  budget: StepBudget,
): Promise<Survivors> {
  const { storage } = field
  if (storage.form === 'code') {
    return { by: 'value', values: storage.codes.filter(matcher(pattern, budget)) }
  }
  const value = field.kind === 'value' ? sql`${columnOf(field)}` : valueOf(field, true)
  const conditions = [
    sql`${value} is not null`,
    ...narrowing.map((one) => predicate(entity, one, matches)),
  ]
  const read = new Set([...narrowing.flatMap(tablesAsked), ...tablesOf(field)])
  const from = fromClause(entity, read, null)
  const test = testOf(field, pattern, budget)
  const columns = { text: text(value) }
  const survivors: string[] = []
  let after: string | null = null
  for (let seen = 0; ;) {
    const where: SQL = balanced(
      'and',
      after === null ? conditions : [...conditions, sql`${value} > ${after}`],
    )
    const texts = await reader.texts(
      typed(
        columns,
        render(
          sql`select distinct ${selectList(columns)} from ${from} where ${where} order by 1 limit ${PAGE}`,
        ),
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
