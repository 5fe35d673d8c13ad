/** The JSON syntax of queries (PuppetDB's AST): text → JSON value → tree. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { suggestion } from '../lib/nearest.ts'
import { COMPARISONS, WHOLE_ENTITY } from './ast.ts'
import type { Comparison, Filter, Members, Operand, Paging, Query } from './ast.ts'
import { isClause, operatorOf, quote } from './clause.ts'
import type { Clause } from './clause.ts'
import { DIALECTS, operatorIn } from './dialect.ts'
import type { Dialect, DialectRules } from './dialect.ts'
import { readColumns, readGroupBy, readMembers, readOperand } from './json-columns.ts'
import { readPaging } from './paging.ts'
import { parseJsonSequence } from './json-text.ts'

interface Operator {
  readonly acceptsCount: (count: number) => boolean
  /** What PuppetDB says when the number of arguments is wrong. */
  readonly countError: (name: string, count: number) => string
  readonly read: (clause: Clause, rules: DialectRules) => Filter
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  ...Object.fromEntries(COMPARISONS.map((name) => [name, exactlyTwo(readComparison)])),
  'null?': exactlyTwo(readNullTest),
  in: exactlyTwo(readMembership),
  and: atLeastOne((terms) => ({ kind: 'and', terms })),
  or: atLeastOne((terms) => ({ kind: 'or', terms })),
  not: {
    acceptsCount: (count) => count === 1,
    countError: (name, count) => `'${name}' takes exactly one argument, but ${count} were supplied`,
    read: (clause, rules) => ({ kind: 'not', term: readFilter(clause[1], rules) }),
  },
  subquery: {
    acceptsCount: (count) => count === 1 || count === 2,
    countError: (name) => `'${name}' takes the name of an entity and a query`,
    read: readRelation,
  },
}

/**
 * The JSON value that `text` holds.
 *
 * @throws QueryError where the text is not JSON, with line, column and a caret as in PuppetDB, or holds a
 * second value
 */
export function parseJsonQuery(text: string): Json {
  const [query = null, ...others] = parseJsonSequence(text)
  if (others.length > 0) {
    const found = `(${others.map(quote).join(' ')})`
    throw new QueryError(
      `Only one query may be sent in a request. Found JSON ${found} after the query ${quote(query)}`,
    )
  }
  return query
}

/**
 * Reads the query of an entity's endpoint, `filter | extract | [] | null`. The endpoint determines the entity.
 *
 * @param mayBePaging whether the query may be a paging clause alone, which PuppetDB takes where it adds no filter
 */
export function readQuery(query: Json, dialect: Dialect = 'standard', mayBePaging = false): Query {
  if (query === null) return WHOLE_ENTITY
  if (!isClause(query)) throw new QueryError(`A query is a JSON array, but this is ${quote(query)}`)
  if (mayBePaging && isPaging(query)) return { ...WHOLE_ENTITY, paging: readPaging([query], 1) }
  return readBody(query, DIALECTS[dialect], null)
}

/** Reads the query of the root endpoint, `["from", entity, filter | extract, paging…]`. */
export function readRootQuery(query: Json): Query {
  if (!isClause(query) || query[0] !== 'from' || typeof query[1] !== 'string') throw notFrom()
  const [body, ...paging] = splitBody(query.slice(2))
  if (!paging.every(isPaging)) throw notFrom()
  if (isClause(body) && body.length === 0) throw emptyClause()
  const read = readBody(body ?? [], DIALECTS.standard, query[1])
  return { ...read, paging: readPaging(paging, 1) }
}

const notFrom = () =>
  new QueryError(
    'Your initial query must be of the form: ["from",<entity>,(<optional-query>)]. Check your query and try again.',
  )

const emptyClause = () =>
  new QueryError('[] is not well-formed: queries must contain at least one operator')

const PAGING = ['limit', 'offset', 'order_by']
const isPaging = (value: Json): value is Clause =>
  isClause(value) && PAGING.includes(operatorOf(value) ?? '')

/** Splits what follows an entity into its filter or extract (undefined without one) and the rest. */
function splitBody([first, ...rest]: Clause): [Json | undefined, ...Json[]] {
  return first !== undefined && isPaging(first) ? [undefined, first, ...rest] : [first, ...rest]
}

/** body = [] | filter | extract */
function readBody(body: Json, rules: DialectRules, entity: string | null): Query {
  if (!isClause(body)) throw unrecognized(body)
  if (body.length === 0) return { ...WHOLE_ENTITY, entity }
  if (operatorIn(body, rules) !== 'extract') {
    return { ...WHOLE_ENTITY, entity, filter: readFilter(body, rules) }
  }
  if (!rules.projects) {
    throw new QueryError(`'extract' is not supported at this endpoint: ${quote(body)}`)
  }
  return { ...WHOLE_ENTITY, entity, ...readExtract(body, rules) }
}

/** extract = ["extract", columns, filter?, group_by?] */
function readExtract(
  clause: Clause,
  rules: DialectRules,
): Pick<Query, 'columns' | 'filter' | 'groupBy'> {
  const [, columns, ...rest] = clause
  if (columns === undefined) throw new QueryError(`'extract' takes columns: ${quote(clause)}`)
  const last = rest.at(-1)
  const grouping = isClause(last) && operatorOf(last) === 'group_by' ? last : null
  const [filter, ...surplus] = grouping ? rest.slice(0, -1) : rest
  if (surplus[0] !== undefined) throw notInExtract(surplus[0])
  return {
    columns: readColumns(columns),
    filter: readOptionalFilter(filter, rules, refuseUnknownInExtract),
    groupBy: grouping && readGroupBy(grouping),
  }
}

const notInExtract = (clause: Json) =>
  new QueryError(`${quote(clause)} is not a valid expression for "extract"`)

/** Within `extract`, PuppetDB has another error text for unknown operators, also those inside and/or. */
function refuseUnknownInExtract(filter: Clause): void {
  const name = operatorOf(filter) ?? ''
  if (!Object.hasOwn(OPERATORS, name)) throw notInExtract(filter)
  if (name === 'and' || name === 'or') {
    filter.slice(1).filter(isFilled).forEach(refuseUnknownInExtract)
  }
}

const isFilled = (value: Json): value is Clause => isClause(value) && value.length > 0

function readFilter(clause: Json | undefined, rules: DialectRules): Filter {
  if (!isClause(clause)) throw unrecognized(clause ?? null)
  if (clause.length === 0) throw emptyClause()
  const name = operatorIn(clause, rules) ?? ''
  if (rules.unsupported.includes(name)) throw unknownOperator(clause)
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
  if (operator === undefined) throw unrecognized(clause)
  const count = clause.length - 1
  if (!operator.acceptsCount(count)) throw new QueryError(operator.countError(name, count))
  return operator.read([name, ...clause.slice(1)], rules)
}

/** Reads a filter that may be missing, null or []. PuppetDB refuses [] in an `extract`. */
function readOptionalFilter(
  filter: Json | undefined,
  rules: DialectRules,
  check: (filter: Clause) => void = () => {},
): Filter | null {
  if (filter === undefined || filter === null) return null
  if (!isClause(filter)) throw unrecognized(filter)
  if (filter.length === 0) return null
  if (!rules.ignoresCase) check(filter)
  return readFilter(filter, rules)
}

function unrecognized(clause: Json): QueryError {
  const name = isClause(clause) ? operatorOf(clause) : null
  const hint = name === null ? '' : suggestion(name, Object.keys(OPERATORS))
  return new QueryError(`Unrecognized ast clause ${quote(clause)}.${hint}`)
}

const unknownOperator = (clause: Clause) =>
  new QueryError(
    `${quote(clause)} is not well-formed: query operator '${operatorOf(clause)}' is unknown`,
  )

function exactlyTwo(read: Operator['read']): Operator {
  return {
    acceptsCount: (count) => count === 2,
    countError: (name) => `${name} requires exactly two arguments`,
    read,
  }
}

function atLeastOne(combine: (terms: readonly Filter[]) => Filter): Operator {
  return {
    acceptsCount: (count) => count >= 1,
    countError: (name) => `'${name}' takes at least one argument, but none were supplied`,
    read: (clause, rules) => combine(clause.slice(1).map((term) => readFilter(term, rules))),
  }
}

/** comparison = [operator, operand, value] */
function readComparison([operator, named, value = null]: Clause, rules: DialectRules): Filter {
  const left = readOperand(named)
  const comparison: Filter = { kind: 'compare', operator: operator as Comparison, left, value }
  const unknown = operator === '=' && value !== null && isNullable(left)
  return rules.nullIsUnequal && unknown
    ? { kind: 'and', terms: [comparison, { kind: 'null', left, value: false }] }
    : comparison
}

/** `latest_report?` is never null. */
const isNullable = (operand: Operand): boolean =>
  operand.kind === 'field' && operand.name !== 'latest_report?'

/** null-test = ["null?", operand, boolean]; as in PuppetDB, every value but false and null means true */
function readNullTest([, left, value]: Clause): Filter {
  return { kind: 'null', left: readOperand(left), value: value !== false && value !== null }
}

/** relation = ["subquery", entity, filter?] */
function readRelation(clause: Clause, rules: DialectRules): Filter {
  const [, entity, filter] = clause
  if (typeof entity !== 'string') {
    throw new QueryError(`'subquery' takes the name of an entity: ${quote(clause)}`)
  }
  return { kind: 'related', entity, filter: readOptionalFilter(filter, rules) }
}

/** membership = ["in", name | [name, …] | ["fact", name], array | extract | from] */
function readMembership(clause: Clause, rules: DialectRules): Filter {
  const [, left, right] = clause
  const members = readMembers(left, clause)
  const operator = isClause(right) ? operatorIn(right, rules) : null
  if (!isClause(right) || operator === null || !['array', 'extract', 'from'].includes(operator)) {
    throw new QueryError(`'in' takes an 'array', an 'extract' or a 'from': ${quote(clause)}`)
  }
  if (rules.unsupported.includes(operator)) {
    throw new QueryError(`The subquery argument of 'in' must be an 'extract', not '${operator}'`)
  }
  if (operator === 'array') return readList(members, right)
  const query = operator === 'from' ? readFrom(right, rules) : readSelect(right, rules)
  return { kind: 'in-query', ...members, query }
}

/** array = ["array", [value, …]] */
function readList(members: Members, clause: Clause): Filter {
  const [, values, ...surplus] = clause
  if (!isClause(values)) throw new QueryError('Operator array requires a vector argument')
  if (surplus.length > 0) throw new QueryError(`'array' takes one list: ${quote(clause)}`)
  const count = members.left.length
  if (count > 1) {
    throw new QueryError(`'in' with 'array' takes one field, but ${count} were supplied`)
  }
  return { kind: 'in-list', ...members, values }
}

/** from = ["from", entity, extract, paging…] */
function readFrom(clause: Clause, rules: DialectRules): Query {
  const entity = clause[1]
  const [body, ...paging] = splitBody(clause.slice(2))
  if (typeof entity !== 'string' || !isClause(body) || operatorIn(body, rules) !== 'extract') {
    throw new QueryError(
      `A subquery of 'in' must be ["from", <entity>, ["extract", …]]: ${quote(clause)}`,
    )
  }
  return { ...WHOLE_ENTITY, entity, ...readExtract(body, rules), paging: pagingOf(paging, clause) }
}

/** select = ["extract", columns, ["select_" entity, filter?, paging…]] */
function readSelect(clause: Clause, rules: DialectRules): Query {
  const [, columns, selection, ...surplus] = clause
  if (columns === undefined || !isClause(selection) || surplus.length > 0) {
    throw new QueryError(
      `The 'extract' of an 'in' takes columns and a 'select_<entity>': ${quote(clause)}`,
    )
  }
  const entity = readSelected(selection, rules)
  const [filter, ...paging] = splitBody(selection.slice(1))
  return {
    ...WHOLE_ENTITY,
    entity,
    columns: readColumns(columns),
    filter: readOptionalFilter(filter, rules),
    paging: pagingOf(paging, clause),
    style: 'select',
  }
}

function readSelected(selection: Clause, rules: DialectRules): string {
  const name = operatorIn(selection, rules) ?? ''
  const entity = /^select_(.+)/.exec(name)?.[1]
  if (entity === undefined) {
    const hint = name.startsWith('select-')
      ? ` - did you mean \`${name.replaceAll('-', '_')}\`?`
      : ''
    throw new QueryError(`Unsupported subquery \`${name}\`${hint}`)
  }
  if (rules.selectable !== null && !rules.selectable.includes(entity))
    throw unknownOperator(selection)
  return entity
}

function pagingOf(clauses: readonly Json[], whole: Clause): Paging {
  if (!clauses.every(isPaging)) throw unrecognized(whole)
  // A subquery with limit 0 is empty; PuppetDB refuses limit 0 in a whole query only.
  return readPaging(clauses, 0)
}
