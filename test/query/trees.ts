/** Random query trees for the tests of readers and printers. */

import fc from 'fast-check'
import type { Json } from '../../worker/lib/json.ts'
import type {
  Comparison,
  QueryColumn,
  FieldColumn,
  Filter,
  Members,
  Operand,
  Paging,
  Query,
} from '../../worker/query/ast.ts'
import { COMPARISONS, OPERANDS } from '../../worker/query/ast.ts'

/** What the two syntaxes differ in; `term` is the least number of members of and/or. */
interface Shape {
  readonly name: fc.Arbitrary<string>
  readonly entity: fc.Arbitrary<string>
  readonly functionColumn: fc.Arbitrary<QueryColumn>
  readonly operand: fc.Arbitrary<Operand>
  readonly compare: fc.Arbitrary<Filter>
  readonly values: fc.Arbitrary<readonly Json[]>
  readonly styles: readonly Query['style'][]
  readonly fewestTerms: 1 | 2
  readonly fewestKeys: 0 | 1
}

const field = (name: string): FieldColumn => ({ kind: 'field', name })
// JSON has no -0, so that printing it loses the sign.
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

/** A single field on the left of `in` may be written as a list. */
const listed = <Written extends Members>(filter: Written): fc.Arbitrary<Written> =>
  filter.left.length > 1
    ? fc.constant(filter)
    : fc.constantFrom(filter, { ...filter, isListed: true as const })

function queries(shape: Shape, rootEntity: fc.Arbitrary<string | null>): fc.Arbitrary<Query> {
  const column = fc.oneof(shape.name.map(field), shape.functionColumn)
  const paging: fc.Arbitrary<Paging> = fc.record({
    limit: fc.option(fc.integer({ min: 1 })),
    offset: fc.option(fc.nat()),
    orderBy: fc.option(
      fc.array(
        fc.oneof(
          fc.record({ field: shape.name, direction: fc.constantFrom('asc', 'desc') }),
          fc.record({
            field: shape.name,
            direction: fc.constant('asc' as const),
            isExplicit: fc.constant(true as const),
          }),
        ),
        { minLength: shape.fewestKeys, maxLength: 3 },
      ),
    ),
  })
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => {
    const terms = fc.array(tie('filter'), { minLength: shape.fewestTerms, maxLength: 3 })
    const subquery = fc.record({
      columns: fc.array(shape.name.map(field), { minLength: 1, maxLength: 3 }),
      entity: shape.entity,
      filter: fc.option(tie('filter')),
      paging,
      style: fc.constantFrom(...shape.styles),
    })
    return {
      filter: fc.oneof(
        { maxDepth: 5, depthIdentifier: 'filter' },
        shape.compare,
        fc.record({ kind: fc.constant('null'), left: shape.operand, value: fc.boolean() }),
        fc
          .record({
            kind: fc.constant('in-list' as const),
            left: fc.tuple(shape.name.map(field)),
            values: shape.values,
          })
          .chain(listed),
        fc.record({ kind: fc.constantFrom('and', 'or'), terms }),
        fc.record({ kind: fc.constant('not'), term: tie('filter') }),
        fc.record({
          kind: fc.constant('related'),
          entity: shape.entity,
          filter: fc.option(tie('filter')),
        }),
        subquery
          .map((query) => ({
            kind: 'in-query' as const,
            left: query.columns,
            query: { ...query, groupBy: null },
          }))
          .chain(listed),
      ),
    }
  })
  const projection = fc.oneof(
    fc.record({ columns: fc.constant(null), groupBy: fc.constant(null) }),
    fc.record({
      columns: fc.array(column, { maxLength: 3 }),
      groupBy: fc.option(fc.array(column, { minLength: 1, maxLength: 2 })),
    }),
  )
  return fc
    .record({
      entity: rootEntity,
      projection,
      filter: fc.option(filter),
      paging,
      style: fc.constant('from' as const),
    })
    .map(({ projection: projected, ...rest }) => ({ ...rest, ...projected }))
}

const anyName = fc.string({ minLength: 1, maxLength: 8 })
const anyFunction: fc.Arbitrary<QueryColumn> = fc.record({
  kind: fc.constant('function'),
  name: anyName,
  arguments: fc.array(json, { maxLength: 2 }),
})
const anyOperand: fc.Arbitrary<Operand> = fc.oneof(
  anyName.map(field),
  anyFunction,
  fc.record({ kind: fc.constant('state'), name: anyName }),
  fc.record({ kind: fc.constantFrom('fact', 'parameter'), name: json }),
)

/** Whole queries, `["from", …]`, with whatever names and values JSON can say. */
export const jsonTrees = queries(
  {
    name: anyName,
    entity: anyName,
    functionColumn: anyFunction,
    operand: anyOperand,
    compare: fc.record({
      kind: fc.constant('compare'),
      operator: fc.constantFrom(...COMPARISONS),
      left: anyOperand,
      value: json,
    }),
    values: fc.array(json, { maxLength: 3 }),
    styles: ['from', 'select'],
    fewestTerms: 1,
    fewestKeys: 0,
  },
  anyName,
)

const pqlName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_]{1,6}\??$/),
  // Names that are words of the grammar too.
  fc.constantFrom(
    'and',
    'or',
    'in',
    'limit',
    'offset',
    'count',
    'true',
    'asc',
    'reports',
    'events',
  ),
  fc.constantFrom('facts.os.family', 'trusted.a-b', 'parameters.x[0]'),
)
const pqlEntity = fc.constantFrom('reports', 'events', 'nodes', 'package_inventory')
const pqlFunction: fc.Arbitrary<QueryColumn> = fc.record({
  kind: fc.constant('function'),
  name: fc.constantFrom('count', 'avg', 'sum', 'min', 'max', 'to_string'),
  arguments: fc.array(fc.string(), { maxLength: 2 }),
})
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const positive = number.map((value) => (Object.is(value, -0) ? 0 : value))
const ordered = fc.oneof(fc.string(), positive)
const literal = fc.letrec<{ literal: Json }>((tie) => ({
  literal: fc.oneof(
    { maxDepth: 3 },
    ordered,
    fc.boolean(),
    fc.array(tie('literal'), { minLength: 1, maxLength: 3 }),
  ),
})).literal

const comparing = (operators: readonly Comparison[], value: fc.Arbitrary<Json>) =>
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...operators),
    left: pqlName.map(field),
    value,
  })

type Taken = (typeof OPERANDS)[Comparison]
/** Comparisons that take that. */
const taking = (what: Taken) => COMPARISONS.filter((name) => OPERANDS[name] === what)

/** Whole queries that PQL has words for. */
export const pqlTrees = queries(
  {
    name: pqlName,
    entity: pqlEntity,
    functionColumn: pqlFunction,
    operand: pqlName.map(field),
    compare: fc.oneof(
      comparing(taking('literal'), literal),
      comparing(taking('pattern'), fc.string()),
      comparing(taking('paths'), fc.array(fc.string(), { minLength: 1, maxLength: 3 })),
      comparing(taking('rank'), ordered),
    ),
    values: fc.array(literal, { minLength: 1, maxLength: 3 }),
    styles: ['from'],
    fewestTerms: 2,
    fewestKeys: 1,
  },
  pqlEntity,
)
