/**
 * Regular expressions without REGEXP: the distinct texts that a pattern may match are read and tested in
 * the Worker, and the matches go back as a list. So a pattern is an exact predicate everywhere, under
 * limits, totals and aggregates too, and a column with a dictionary needs no scan of its table.
 */

import { sql, type SQL } from 'drizzle-orm'
import { QueryError } from '../lib/errors.ts'
import type { Predicate } from '../plan/plan.ts'
import { StepBudget, matcher } from '../postgres/regex/regex.ts'
import type { Entity, Field } from '../schema/entity.ts'
import {
  dictionaryOf,
  testOf,
  Evaluation,
  type Dictionary,
  type DictionarySource,
  type MatchTerm,
  type EvaluatedPattern,
} from './dictionaries.ts'
import { selectList, text, typed } from './columns.ts'
import { rowCount } from './encoding.ts'
import type { Matches, PatternMatches } from './matches.ts'
import { predicate, columnOf } from './predicate.ts'
import { balanced, render } from './render.ts'
import { fromClause, tablesOf } from './source.ts'
import type { TypedStatement } from './statement.ts'
import { valueOf } from './values.ts'

/** Reads the texts that patterns are tested on. */
export interface TextReader {
  /**
   * Dictionaries by name, as far as the isolate has read them, which is enough to test patterns. Of one that is too large
   * to be held, `test` is called with each part before it is dropped.
   */
  readonly dictionaries: (
    sources: readonly DictionarySource[],
    test: (name: string, dictionary: Dictionary) => void,
  ) => Promise<ReadonlyMap<string, Dictionary>>
  /** The texts that a statement selects. */
  readonly texts: (
    statement: TypedStatement<{ readonly text: string }>,
  ) => Promise<readonly string[]>
}

/** The evaluated patterns of a plan. */
export interface EvaluatedPatterns {
  readonly matches: Matches
  /** The dictionaries that the matches are from. */
  readonly sources: readonly DictionarySource[]
  readonly dictionaries: ReadonlyMap<string, Dictionary>
  /** Whether the matches are still complete after the dictionaries have grown. */
  readonly areComplete: () => boolean
}

/** Distinct texts per statement, and in all, of a column without a dictionary. */
const PAGE = 10_000
const MOST_TEXTS = 200_000

/** The most patterns on columns without a dictionary. Each costs round trips, and D1 allows a request a thousand. */
const MOST_WITHOUT_DICTIONARY = 100

/** A level of a plan: its entity and its condition. */
export interface Level {
  readonly entity: Entity
  readonly where: Predicate
}

/**
 * Evaluates every pattern of the levels, inner subqueries first.
 *
 * @throws QueryError where that exceeds the step budget or a limit
 */
export async function evaluatePatterns(
  levels: readonly Level[],
  reader: TextReader,
): Promise<EvaluatedPatterns> {
  const terms = levels.flatMap(({ where }) => matchTermsIn(where))
  const withoutDictionary = terms.filter(({ field }) => dictionaryOf(field) === null)
  if (withoutDictionary.length > MOST_WITHOUT_DICTIONARY) {
    throw new QueryError(
      `The query has too many regular expressions on fields such as ${withoutDictionary[0]!.field.name}: ${MOST_WITHOUT_DICTIONARY} are tried. Several can be one, as in "one|other".`,
    )
  }
  const sources = sourcesOf(terms)
  const budget = new StepBudget()
  const evaluations = new Map<MatchTerm, Evaluation>()
  /** Evaluates the terms of a dictionary on what of it has been read. */
  const test = (name: string, dictionary: Dictionary): void => {
    for (const term of terms) {
      const source = dictionaryOf(term.field)
      if (source?.name !== name) continue
      const evaluation =
        evaluations.get(term) ?? new Evaluation(dictionary, source.column, term, budget)
      evaluations.set(term, evaluation)
      evaluation.refresh()
    }
  }
  const dictionaries =
    sources.length > 0 ? await reader.dictionaries(sources, test) : NO_DICTIONARIES
  for (const [name, dictionary] of dictionaries) test(name, dictionary)
  const matches = new Map<Predicate, PatternMatches>()
  const evaluated: EvaluatedPattern[] = []
  for (const [term, evaluation] of evaluations) {
    const result = evaluation.result()
    matches.set(term, result.matches)
    evaluated.push(result)
  }
  for (const level of levels) await evaluateLevel(level, reader, matches, budget)
  return {
    matches,
    sources,
    dictionaries,
    areComplete: () => evaluated.every(({ isComplete }) => isComplete()),
  }
}

const NO_DICTIONARIES: ReadonlyMap<string, Dictionary> = new Map()

/** The patterns of all levels. */
function matchTermsIn(where: Predicate): MatchTerm[] {
  return patternsIn(where).flatMap(({ term }) =>
    term.kind === 'within' ? matchTermsIn(term.select.where) : term,
  )
}

/** The dictionaries of the patterns, each once. */
const sourcesOf = (terms: readonly MatchTerm[]): DictionarySource[] => {
  const sources = terms.flatMap(({ field }) => dictionaryOf(field) ?? [])
  return [...new Map(sources.map((source) => [source.name, source])).values()]
}

/** Evaluates the patterns on columns without a dictionary, after all others. */
async function evaluateLevel(
  { entity, where }: Level,
  reader: TextReader,
  matches: Map<Predicate, PatternMatches>,
  budget: StepBudget,
): Promise<void> {
  const found = patternsIn(where)
  for (const { term } of found) {
    if (term.kind === 'within') await evaluateLevel(term.select, reader, matches, budget)
  }
  for (const { term, context } of found) {
    if (term.kind !== 'matches' || matches.has(term)) continue
    const narrowing = context().filter((one) =>
      patternsIn(one).every(({ term: inner }) => inner.kind !== 'matches' || matches.has(inner)),
    )
    matches.set(term, await evaluateOnValues(entity, term, narrowing, reader, matches, budget))
  }
}

type WithinTerm = Extract<Predicate, { kind: 'within' }>

/** The conditions that a row must meet in addition to a term. Computed on demand, as they may be many. */
type Context = () => readonly Predicate[]

/**
 * The patterns and subqueries of one level, each with the conditions that a row must meet in addition.
 * Inside a negation there are none: a row with an unknown condition passes if the pattern does not match.
 */
function patternsIn(
  where: Predicate,
  context: Context = () => [],
  negated = false,
): { term: MatchTerm | WithinTerm; context: Context }[] {
  switch (where.kind) {
    case 'and':
      return where.terms.flatMap((term) => {
        const narrowed: Context = () => [
          ...context(),
          ...where.terms.filter((other) => other !== term),
        ]
        return patternsIn(term, negated ? context : narrowed, negated)
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

/**
 * Evaluates a pattern on the distinct values of a column without a dictionary, among the rows that the
 * rest of the query selects.
 */
async function evaluateOnValues(
  entity: Entity,
  { field, pattern }: MatchTerm,
  narrowing: readonly Predicate[],
  reader: TextReader,
  matches: Matches,
  budget: StepBudget,
): Promise<PatternMatches> {
  const { storage } = field
  if (storage.form === 'code') {
    return { by: 'value', values: storage.codes.filter(matcher(pattern, budget)) }
  }
  const value = field.kind === 'value' ? sql`${columnOf(field)}` : valueOf(field, true)
  const conditions = [
    sql`${value} is not null`,
    ...narrowing.map((one) => predicate(entity, one, matches)),
  ]
  const read = new Set([...narrowing.flatMap(tablesOf), ...tablesOfField(field)])
  const from = fromClause(entity, read, null)
  const test = testOf(field, pattern, budget)
  const columns = { text: text(value) }
  const matched: string[] = []
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
          sql`select distinct ${selectList(columns)} from ${from} where ${where} order by 1 limit ${rowCount(PAGE)}`,
        ),
      ),
    )
    matched.push(...texts.filter(test))
    seen += texts.length
    if (texts.length < PAGE) return { by: 'value', values: matched }
    if (seen >= MOST_TEXTS) {
      throw new QueryError(
        `The regular expression on ${field.name} would have to be tried on more than ${MOST_TEXTS} different values. Narrow the query by time, node or status first.`,
      )
    }
    after = texts.at(-1)!
  }
}

const tablesOfField = ({ storage }: Field) => [
  ...('column' in storage ? [storage.column.table] : []),
  ...(storage.form === 'reference' && storage.joined ? [storage.joined.table] : []),
]
