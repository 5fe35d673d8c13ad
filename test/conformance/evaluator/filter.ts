/** Filters: whether a row passes, fails, or nobody knows. */

import { unreachable } from '../../../worker/lib/invariant.ts'
import type { Json } from '../../../worker/lib/json.ts'
import type { Filter, Operand, Query } from '../../../worker/query/ast.ts'
import { allOf, anyOf, negation, type Truth } from './logic.ts'
import { FIELDS, isEntity, relationBetween, type EntityName, type Kind } from './schema.ts'
import { subqueryRows } from './select.ts'
import type { Tables } from './tables.ts'
import { canonical, instant, type Row } from './values.ts'

export type Test = (row: Row) => Truth

/**
 * The test that a filter puts rows of an entity to. Subqueries are answered once, when it is made.
 *
 * @param plans whether subqueries of reports see those of plans without asking
 */
export function testOf(
  entity: EntityName,
  filter: Filter | null,
  tables: Tables,
  plans: 'hidden' | 'seen' = 'hidden',
): Test {
  if (filter === null) return () => true
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const tests = filter.terms.map((term) => testOf(entity, term, tables, plans))
      const combine = filter.kind === 'and' ? allOf : anyOf
      return (row) => combine(tests.map((test) => test(row)))
    }
    case 'not': {
      const test = testOf(entity, filter.term, tables, plans)
      return (row) => negation(test(row))
    }
    case 'compare':
      return comparison(entity, filter, tables)
    case 'null': {
      const name = nameOf(filter.left)
      return (row) => (row[name] === null) === filter.value
    }
    case 'in-list':
      return membership(entity, nameOf(filter.left[0]!), filter.values)
    case 'in-query':
      return amongRows(entity, filter.left.map(nameOf), subqueryRows(filter.query, tables, plans))
    case 'related':
      return related(entity, filter, tables, plans)
    default:
      return unreachable(filter)
  }
}

function nameOf(operand: Operand): string {
  if (operand.kind !== 'field') throw new Error(`a ${operand.kind} is not evaluated`)
  return operand.name
}

type Comparing = Extract<Filter, { kind: 'compare' }>

function comparison(entity: EntityName, filter: Comparing, tables: Tables): Test {
  const { left, operator, value } = filter
  if (left.kind === 'state') return inState(value !== false, tables)
  const name = nameOf(left)
  if (name === 'node_state') return inState(value === 'active', tables)
  const kind = FIELDS[entity][name]!
  if (kind === 'latest report?') return (row) => row[name] === (value !== false)
  if (operator === '=') {
    return value === null ? (row) => row[name] === null : (row) => equal(kind, row[name]!, value)
  }
  if (operator === '~') {
    const pattern = javascriptPattern(String(value))
    return (row) => textsOf(kind, row[name]!).some((text) => pattern.test(text))
  }
  const operand = kind === 'time' ? instant(value)! : Number(value)
  return (row) => {
    if (row[name] === null) return null
    const held = kind === 'time' ? instant(row[name]!)! : Number(row[name])
    return operator === '<'
      ? held < operand
      : operator === '<='
        ? held <= operand
        : operator === '>'
          ? held > operand
          : held >= operand
  }
}

/** Any element of a path; a JSON value as a whole, its null included. */
function equal(kind: Kind, held: Json, operand: Json): Truth {
  if (kind === 'value') return canonical(held) === canonical(operand)
  if (held === null) return null
  if (kind === 'path') return (held as Json[]).includes(operand)
  if (kind === 'time') return instant(held) === instant(operand)
  return held === operand
}

/** The texts that a pattern may match: a null has none, and so the answer is no, not unknown. */
function textsOf(kind: Kind, held: Json): string[] {
  if (held === null) return []
  if (kind === 'path') return held as string[]
  return [typeof held === 'string' ? held : canonical(held)]
}

/** Patterns of the tests keep to what JavaScript and PostgreSQL read alike, but for `(?i)` at the start. */
const javascriptPattern = (pattern: string): RegExp =>
  pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), 'isu') : new RegExp(pattern, 'su')

/** A list of values is compared as texts with a text; nothing is in an empty list, not even null. */
function membership(entity: EntityName, name: string, values: readonly Json[]): Test {
  const kind = FIELDS[entity][name]!
  const sought = values
    .filter((value) => kind === 'value' || value !== null)
    .filter((value) => kind !== 'time' || instant(value) !== null)
    .map((value) => (kind === 'text' ? String(value) : value))
  if (sought.length === 0) return () => false
  return (row) => anyOf(sought.map((value) => equal(kind, row[name]!, value)))
}

function amongRows(
  entity: EntityName,
  names: readonly string[],
  rows: readonly (readonly Json[])[],
): Test {
  const kinds = names.map((name) => FIELDS[entity][name]!)
  const keysOf = (values: readonly Json[]): (string | null)[] =>
    // A JSON null of an event is a value, and equals itself.
    values.map((value, index) =>
      value === null && kinds[index] !== 'value' ? null : canonical(value),
    )
  const keysOfRows = rows.map(keysOf)
  return (row) => {
    const own = keysOf(names.map((name) => row[name]!))
    return anyOf(keysOfRows.map((keys) => allOf(own.map((key, index) => same(key, keys[index]!)))))
  }
}

/** Unknown where one of them is. */
const same = (one: string | null, other: string | null): Truth =>
  one === null || other === null ? null : one === other

function related(
  entity: EntityName,
  { entity: inner, filter }: Extract<Filter, { kind: 'related' }>,
  tables: Tables,
  plans: 'hidden' | 'seen',
): Test {
  const [local, foreign] = relationBetween(entity, inner)!
  if (!isEntity(inner)) return () => false
  const query: Query = {
    entity: inner,
    columns: [{ kind: 'field', name: foreign }],
    filter,
    groupBy: null,
    paging: { limit: null, offset: null, orderBy: null },
    style: 'from',
  }
  return amongRows(entity, [local], subqueryRows(query, tables, plans))
}

/** Inactive is who was deactivated or has expired. */
function inState(active: boolean, tables: Tables): Test {
  const inactive = tables.nodes
    .filter(({ deactivated, expired }) => deactivated !== null || expired !== null)
    .map(({ certname }) => certname)
  return ({ certname }) => inactive.includes(certname) !== active
}
