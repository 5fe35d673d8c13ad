/** PQL text → tree, by recursive descent. The comment of a method is its production of the grammar. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { suggestion } from '../lib/nearest.ts'
import { COMPARISONS, OPERANDS, PAGING_CLAUSES } from './ast.ts'
import type {
  QueryColumn,
  Comparison,
  FieldColumn,
  Filter,
  Paging,
  PagingClause,
  Query,
} from './ast.ts'
import type { Clause } from './clause.ts'
import { readPaging } from './paging.ts'
import { PqlCursor } from './pql-cursor.ts'
import { PqlValues } from './pql-values.ts'
import { PQL_ENTITIES, PQL_FUNCTIONS } from './pql-words.ts'

/**
 * Reads a query in PQL: `reports[certname] { status = "failed" limit 5 }`.
 *
 * Accepts PuppetDB's grammar and, beyond it, `group by` together with paging. Errors have PuppetDB's
 * form: line, column, a caret and the tokens that the grammar accepts. Takes time linear in the text's
 * length and never overflows the stack.
 *
 * @throws QueryError
 */
export function parsePql(text: string): Query {
  return new PqlParser(text).query()
}

/** The continuations that the grammar accepts after the beginning of a query. */
export interface Next {
  /** Signs and keywords as written; `a field`, `a string` and so on for any token of that kind. */
  readonly expected: readonly string[]
  /** The innermost entity; null before the first. */
  readonly entity: string | null
  /** The part of the query at hand. */
  readonly part: 'columns' | 'filter' | 'order'
  /** The field of the last comparison, complete or not. */
  readonly field: string | null
}

/** The continuations that the grammar accepts after `text`; null where the text itself is wrong or already a whole query. */
export const nextInPql = (text: string): Next | null => new PqlParser(text).next()

type InFilter = Extract<Filter, { kind: 'in-list' | 'in-query' }>
type Block = Pick<Query, 'filter' | 'groupBy' | 'paging'>

class PqlParser {
  private readonly tokens: PqlCursor
  private readonly values: PqlValues
  /** The position in the grammar: entities with an open query, the part of it, the last field. */
  private readonly entities: string[] = []
  private part: Next['part'] = 'filter'
  private field: string | null = null

  constructor(text: string) {
    this.tokens = new PqlCursor(text)
    this.values = new PqlValues(this.tokens)
  }

  next(): Next | null {
    try {
      this.query()
      return null
    } catch (error) {
      if (!(error instanceof QueryError) || !this.tokens.isAtEnd) return null
      const { part, field, entities } = this
      return { expected: this.tokens.accepted, entity: entities.at(-1) ?? null, part, field }
    }
  }

  /** query = from end */
  query(): Query {
    const query = this.from(1)
    if (!this.tokens.atKind('the end of the query', 'end')) throw this.tokens.unexpected()
    return query
  }

  /** from = entity [ "[" [ columns ] "]" ] block */
  private from(leastLimit: 0 | 1): Query {
    const entity = this.entity()
    this.entities.push(entity)
    const columns = this.tokens.skip('[') ? this.projection() : null
    const block = this.tokens.nested(() => this.block(leastLimit))
    this.entities.pop()
    if (block.groupBy !== null && columns === null) {
      throw new QueryError(
        `'group by' needs columns to project, as in ${entity}[status, count()] { group by status }`,
      )
    }
    return { entity, columns, ...block, style: 'from' }
  }

  private entity(): string {
    const entity = this.tokens.takeOneOf(PQL_ENTITIES)
    if (entity !== null) return entity
    throw this.tokens.unexpected(suggestion(this.tokens.text, PQL_ENTITIES).trim())
  }

  private projection(): readonly QueryColumn[] {
    if (this.tokens.skip(']')) return []
    const columns = this.columns()
    this.tokens.expect(']')
    return columns
  }

  /** columns = column { "," column } */
  private columns(): readonly QueryColumn[] {
    this.part = 'columns'
    return this.values.list(() => this.column())
  }

  /** column = field | function "(" [ ( field | string ) { "," string } ] ")" */
  private column(): QueryColumn {
    const name = this.values.fieldName()
    const isCall = PQL_FUNCTIONS.includes(name) && this.tokens.skip('(')
    if (!isCall) return { kind: 'field', name }
    const args = this.tokens.at(')') ? [] : this.values.functionArguments()
    this.tokens.expect(')')
    return { kind: 'function', name, arguments: args }
  }

  /** block = "{" [ filter ] [ group_by ] { limit | offset | order_by } "}" */
  private block(leastLimit: 0 | 1): Block {
    this.tokens.expect('{')
    const filter = this.atClause() ? null : this.filter()
    const groupBy = this.tokens.skip('group by') ? this.columns() : null
    const paging = this.pagingClauses()
    this.tokens.expect('}')
    return { filter, groupBy, paging: inWrittenOrder(readPaging(paging, leastLimit), paging) }
  }

  private atClause(): boolean {
    const { tokens } = this
    return (
      tokens.at('}') ||
      tokens.at('order by') ||
      tokens.at('group by') ||
      tokens.atCount('limit') ||
      tokens.atCount('offset')
    )
  }

  private pagingClauses(): readonly Clause[] {
    const clauses: Clause[] = []
    for (let next = this.pagingClause(); next !== null; next = this.pagingClause()) {
      clauses.push(next)
    }
    return clauses
  }

  /** limit = "limit" integer, offset = "offset" integer, order_by = "order by" sort_key { "," sort_key } */
  private pagingClause(): Clause | null {
    const keyword = this.tokens.takeOneOf(['limit', 'offset', 'order by'])
    if (keyword === null) return null
    return keyword === 'order by'
      ? ['order_by', this.values.list(() => this.sortKey())]
      : [keyword, this.values.integer()]
  }

  /** sort_key = field [ "asc" | "desc" ] */
  private sortKey(): Json {
    this.part = 'order'
    const field = this.values.fieldName()
    const direction = this.tokens.takeOneOf(['asc', 'desc'])
    return direction === null ? field : [field, direction]
  }

  /** filter = and_filter { "or" and_filter } */
  private filter(): Filter {
    return this.chain('or', () => this.chain('and', () => this.negation()))
  }

  /** and_filter = negation { "and" negation } */
  private chain(kind: 'and' | 'or', term: () => Filter): Filter {
    const first = term()
    const terms = [first]
    while (this.tokens.skipSpaced(kind)) terms.push(term())
    return terms.length === 1 ? first : { kind, terms }
  }

  /** negation = "!" negation | condition */
  private negation(): Filter {
    if (!this.tokens.skip('!')) return this.condition()
    return { kind: 'not', term: this.tokens.nested(() => this.negation()) }
  }

  /** condition = "(" filter ")" | "[" columns "]" membership | entity "{" [ filter ] "}" | field test */
  private condition(): Filter {
    this.part = 'filter'
    if (this.tokens.skip('(')) {
      const filter = this.tokens.nested(() => this.filter())
      this.tokens.expect(')')
      return filter
    }
    if (this.tokens.skip('[')) {
      const left = this.columns().map(asField)
      this.tokens.expect(']')
      this.tokens.expect('in')
      const membership = this.membership(left)
      return left.length === 1 ? { ...membership, isListed: true } : membership
    }
    const name = this.values.fieldName()
    return this.tokens.at('{') ? this.relation(name) : this.test({ kind: 'field', name })
  }

  /** An implicit subquery. It has no paging, since it is not a separate list. */
  private relation(entity: string): Filter {
    if (!PQL_ENTITIES.includes(entity)) {
      throw this.tokens.unexpected(
        `'${entity}' is not an entity.${suggestion(entity, PQL_ENTITIES)}`,
      )
    }
    this.tokens.take()
    this.entities.push(entity)
    const filter = this.tokens.at('}') ? null : this.tokens.nested(() => this.filter())
    this.tokens.expect('}')
    this.entities.pop()
    return { kind: 'related', entity, filter }
  }

  /** test = "is null" | "is not null" | "in" membership | operator value */
  private test(left: FieldColumn): Filter {
    this.field = left.name
    if (this.tokens.skip('is null')) return { kind: 'null', left, value: true }
    if (this.tokens.skip('is not null')) return { kind: 'null', left, value: false }
    if (this.tokens.skip('in')) return this.membership([left])
    if (this.tokens.skip('!='))
      return { kind: 'not', term: compare('=', left, this.values.literal()) }
    if (this.tokens.skip('!~'))
      return { kind: 'not', term: compare('~', left, this.values.literal()) }
    const operator = this.tokens.takeOneOf(COMPARISONS)
    if (operator === null) throw this.tokens.unexpected()
    return compare(operator, left, this.operand(operator))
  }

  /** operand = literal after "=", string after "~", "[" strings "]" after "~>", otherwise number or string */
  private operand(operator: Comparison): Json {
    switch (OPERANDS[operator]) {
      case 'literal':
        return this.values.literal()
      case 'pattern':
        return this.values.string()
      case 'rank':
        return this.values.ordered()
      case 'paths': {
        this.tokens.expect('[')
        const patterns = this.values.list(() => this.values.string())
        this.tokens.expect(']')
        return patterns
      }
    }
  }

  /** membership = "[" literal { "," literal } "]" | from */
  private membership(left: readonly FieldColumn[]): InFilter {
    this.field = left.length === 1 ? left[0]!.name : null
    if (this.tokens.at('[')) {
      if (left.length > 1) {
        throw new QueryError(`A list after 'in' takes one field, but ${left.length} were given`)
      }
      return { kind: 'in-list', left, values: this.values.array() }
    }
    const query = this.from(0)
    if (query.columns === null) {
      throw new QueryError(
        `A subquery after 'in' needs the columns to compare with, as in ${query.entity}[certname] { … }`,
      )
    }
    return { kind: 'in-query', left, query }
  }
}

/** Paging with the order of its clauses, where that is not the usual one. */
function inWrittenOrder(paging: Paging, clauses: readonly Clause[]): Paging {
  const written = clauses.map(([name]) => name as PagingClause)
  const printed = PAGING_CLAUSES.filter((name) => written.includes(name))
  return written.some((name, index) => name !== printed[index]) ? { ...paging, written } : paging
}

const compare = (operator: Comparison, left: FieldColumn, value: Json): Filter => ({
  kind: 'compare',
  operator,
  left,
  value,
})

function asField(column: QueryColumn): FieldColumn {
  if (column.kind === 'field') return column
  throw new QueryError(`'in' takes fields, but '${column.name}' is called as a function`)
}
