/** Filter → predicate: every name becomes a field, every value is read by its field's kind. */

import { QueryError } from '../lib/errors.ts'
import { unreachable } from '../lib/invariant.ts'
import type { Json } from '../lib/json.ts'
import { OPERANDS, type Filter, type Operand } from '../query/ast.ts'
import type { Entity, Field } from '../schema/entity.ts'
import { isNumber } from '../lib/lossless.ts'
import { KINDS, quotedValue, type Scalar } from '../schema/kinds.ts'
import { matchedFields, queryableField, complaintOf, FieldError } from './names.ts'
import { COMPARISON_MEANINGS } from './operators.ts'
import { NEVER, type RowPolicy, type Predicate } from './plan.ts'
import { anyOf } from '../postgres/regex/regex.ts'
import { relatedRows, rowsWithin } from './select.ts'

const ALWAYS: Predicate = { kind: 'always', value: true }

/** The most errors that are reported for one query. */
const MOST_COMPLAINTS = 10

/** The rows of `entity` that a row policy makes visible: none of an entity without a filter. */
export function planRowPolicy(entity: Entity, rowPolicy: RowPolicy | null): Predicate {
  if (rowPolicy === null) return ALWAYS
  const filter = rowPolicy.get(entity.name)
  return filter === undefined ? NEVER : planFilter(entity, filter, rowPolicy)
}

/** The conjunction of the predicates. */
export const allOf = (...terms: readonly Predicate[]): Predicate => combined('and', terms)

/**
 * The predicate of a filter on rows of `entity`; without a filter, all rows. Subqueries are planned under
 * the same row policy.
 */
export function planFilter(
  entity: Entity,
  filter: Filter | null,
  rowPolicy: RowPolicy | null,
): Predicate {
  if (filter === null) return ALWAYS
  switch (filter.kind) {
    case 'and':
    case 'or':
      return combined(filter.kind, planTerms(entity, filter.terms, rowPolicy))
    case 'not':
      return negated(planFilter(entity, filter.term, rowPolicy))
    case 'compare':
      return planComparison(entity, filter)
    case 'null':
      return nullTest(namedField(entity, filter.left), filter.value)
    case 'in-list':
      return planList(entity, filter.left[0]!, filter.values)
    case 'in-query':
      return rowsWithin(
        matchedFields(
          entity,
          filter.left.map((operand) => nameOf(entity, operand)),
        ),
        filter.query,
        rowPolicy,
      )
    case 'related':
      return relatedRows(entity, filter.entity, filter.filter, rowPolicy)
    default:
      return unreachable(filter)
  }
}

/** Plans each term. Where several are wrong, one error reports them, a line each. */
function planTerms(
  entity: Entity,
  terms: readonly Filter[],
  rowPolicy: RowPolicy | null,
): Predicate[] {
  /** By the sentence with the fields' names, the one with their legacy names. */
  const complaints = new Map<string, string>()
  const planned: Predicate[] = []
  for (const term of terms) {
    try {
      planned.push(planFilter(entity, term, rowPolicy))
    } catch (error) {
      if (!(error instanceof QueryError)) throw error
      const legacy = complaintOf(error, true).split('\n')
      for (const [index, line] of error.message.split('\n').entries())
        complaints.set(line, legacy[index] ?? line)
      if (complaints.size >= MOST_COMPLAINTS) break
    }
  }
  if (complaints.size > 0) {
    const first = [...complaints].slice(0, MOST_COMPLAINTS)
    throw new FieldError(
      first.map(([sentence]) => sentence).join('\n'),
      first.map(([, legacy]) => legacy).join('\n'),
    )
  }
  return planned
}

/** One flat level for nested terms of the same kind, and one list for equalities of one field. */
function combined(kind: 'and' | 'or', terms: readonly Predicate[]): Predicate {
  const flat = terms.flatMap((term) => (term.kind === kind ? term.terms : [term]))
  const unmerged =
    kind === 'or' ? mergeTests(flat) : mergeDenials(flat.filter((term) => term !== ALWAYS))
  const [first, ...more] = unmerged
  if (first === undefined) return kind === 'and' ? ALWAYS : NEVER
  return more.length === 0 ? first : { kind, terms: unmerged }
}

/** Merges the terms of a disjunction where several can be one test. */
const mergeTests = (terms: readonly Predicate[]): readonly Predicate[] =>
  mergePatterns(mergeEqualities(terms))

/** Merges equalities of one field into one list: one parameter and one index search. */
function mergeEqualities(terms: readonly Predicate[]): Predicate[] {
  const lists = new Map<Field, Scalar[]>()
  const others: Predicate[] = []
  for (const term of terms) {
    const values =
      term.kind === 'equals' ? [term.value] : term.kind === 'among' ? term.values : null
    if (values === null || !('field' in term) || !KINDS[term.field.kind].listed) others.push(term)
    else for (const value of values) listIn(lists, term.field).push(value)
  }
  const merged = [...lists].map(([field, values]): Predicate =>
    values.length === 1
      ? { kind: 'equals', field, value: values[0]! }
      : { kind: 'among', field, values },
  )
  return [...merged, ...others]
}

/** The list of a field, created empty where it has none. */
function listIn<Item>(lists: Map<Field, Item[]>, field: Field): Item[] {
  const list = lists.get(field) ?? []
  lists.set(field, list)
  return list
}

type Matching = Extract<Predicate, { kind: 'matches' }>

/** Merges patterns on one field into one, which reads each text once. */
function mergePatterns(terms: readonly Predicate[]): readonly Predicate[] {
  const byField = new Map<Field, Matching[]>()
  for (const term of terms) {
    if (term.kind === 'matches') listIn(byField, term.field).push(term)
  }
  const merged = [...byField].flatMap(([field, ofField]): readonly Predicate[] =>
    ofField.length === 1 ? ofField : merge(field, ofField),
  )
  return [...terms.filter((term) => term.kind !== 'matches'), ...merged]
}

function merge(field: Field, ofField: readonly Matching[]): Predicate[] {
  const texts = ofField.map((term) => term.text)
  return anyOf(ofField.map(({ pattern }) => pattern)).map((pattern, index) => ({
    kind: 'matches',
    field,
    pattern,
    // No pattern contains a NUL, so this text equals no other pattern's.
    text: `\0${JSON.stringify([index, ...texts])}`,
  }))
}

/** Merges negated terms of a conjunction: neither of two is the negation of either, nulls included. */
function mergeDenials(terms: readonly Predicate[]): readonly Predicate[] {
  const denied = terms.flatMap((term) => (term.kind === 'not' ? [term.term] : []))
  if (denied.length < 2) return terms
  return [...terms.filter((term) => term.kind !== 'not'), ...mergeTests(denied).map(negated)]
}

/** A double negation cancels out in three-valued logic too. */
const negated = (term: Predicate): Predicate =>
  term.kind === 'not' ? term.term : { kind: 'not', term }

function nullTest(field: Field, value: boolean): Predicate {
  if (field.kind === 'truth') throw new QueryError(`'null?' is not allowed on field ${field.name}`)
  return { kind: 'null', field, value }
}

type CompareFilter = Extract<Filter, { kind: 'compare' }>

function planComparison(entity: Entity, filter: CompareFilter): Predicate {
  const { left, operator, value } = filter
  switch (left.kind) {
    case 'field':
      return left.name === 'node_state'
        ? planState(entity, operator, stateNamed(value))
        : COMPARISON_MEANINGS[operator](queryableField(entity, left.name), value)
    case 'state':
      return planState(entity, operator, stateOf(left.name, value))
    case 'fact':
      if (['rank', 'paths'].includes(OPERANDS[operator]) && !isNumber(value)) {
        throw new QueryError(`Operator '${operator}' not allowed on value '${String(value)}'`)
      }
      return ofNode(entity, 'fact') && NEVER
    default:
      throw new QueryError(`A ${left.kind} can't be compared in a query of ${entity.name}`)
  }
}

const namedField = (entity: Entity, operand: Operand): Field =>
  queryableField(entity, nameOf(entity, operand))

function nameOf(entity: Entity, operand: Operand): string {
  if (operand.kind === 'field') return operand.name
  throw new QueryError(`A ${operand.kind} can't be used here in a query of ${entity.name}`)
}

/** The field that names the node. @throws QueryError for an entity whose rows belong to no node */
function ofNode(entity: Entity, what: string): Field {
  if (entity.certname) return entity.certname
  throw new QueryError(`A ${what} can't be asked of ${entity.name}: they belong to no node`)
}

function stateNamed(value: Json): boolean {
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  if (name === 'active' || name === 'inactive') return name === 'active'
  throw new QueryError(
    `${quotedValue(value)} is not a node state: node_state takes "active", "inactive" and "any"`,
  )
}

/** As in PuppetDB, every value but false and null is true here, "false" included. */
function stateOf(name: string, value: Json): boolean {
  if (name === 'active') return value !== false && value !== null
  throw new QueryError(
    `["node", "${name}"] is not understood: nodes can be asked for ["node","active"]`,
  )
}

function planState(entity: Entity, operator: string, active: boolean): Predicate {
  if (operator !== '=') throw new QueryError(`The state of a node takes = only, not ${operator}`)
  return { kind: 'state', field: ofNode(entity, 'node state'), active }
}

function planList(entity: Entity, operand: Operand, values: readonly Json[]): Predicate {
  if (operand.kind === 'fact') {
    const kinds = new Set(values.map((value) => (isNumber(value) ? 'number' : typeof value)))
    if (kinds.size > 1) throw new QueryError('All values in array must be the same type.')
    return ofNode(entity, 'fact') && NEVER
  }
  const field = namedField(entity, operand)
  const kind = KINDS[field.kind]
  if (!kind.listed) {
    throw new QueryError(
      `Operator 'in'...'array' is not supported on ${field.kind} field ${field.name}`,
    )
  }
  const read = values.map((value) => kind.readListed(value, field.name))
  return { kind: 'among', field, values: [...new Set(read.filter((value) => value !== null))] }
}
