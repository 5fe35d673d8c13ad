/** Plan of rows or groups → SQL, as a separate select or inside another. */

import { sql, type SQL } from 'drizzle-orm'
import type { PlanColumn, Predicate, SelectPlan } from '../plan/plan.ts'
import { sameColumn } from '../plan/select.ts'
import { stringKindOf, type Field } from '../schema/entity.ts'
import type { Storage } from '../schema/storage.ts'
import { reports, strings } from '../schema/tables.ts'
import { askedKeys } from './asked-keys.ts'
import { distinctEvents } from './distinct.ts'
import { literal, rowCount } from './encoding.ts'
import { extrasOf, type Extra } from './extras.ts'
import { functionValue } from './functions.ts'
import { boundedTopNOf, type BoundedTopN } from './bounded-top-n.ts'
import { keyPosition, orderClause, sortPositions, type Position } from './position.ts'
import type { Matches } from './matches.ts'
import { predicate } from './predicate.ts'
import { balanced } from './render.ts'
import { countableGroups, countableTotal, countedRows, HAS_REPORTS } from './rollup.ts'
import { fromClause, tablesRead } from './source.ts'
import { outputOf, valueOf, type Decoding, type OutputValue } from './values.ts'

/** A column of an answer: its SQL, and how its value becomes JSON. */
export interface OutputColumn extends OutputValue {
  readonly name: string
}

/** A compiled plan of rows: the fragments that its pages are made from. */
export interface CompiledSelect {
  /** No two have the same name. */
  readonly columns: readonly OutputColumn[]
  /**
   * The values that rows are ordered by, what tells them apart last: the entity's key, or what groups are made by. All are
   * selected, after the columns unless one of these is the same. Empty for the one group of all rows.
   */
  readonly position: readonly Position[]
  /** What is selected in addition to the columns, because printing them needs it. */
  readonly extras: readonly Extra[]
  /** How the first page is found where no index has its order; null where one has. */
  readonly topN: BoundedTopN | null
  readonly limit: number | null
  readonly offset: number
  readonly from: SQL
  readonly where: SQL
  readonly groupBy: SQL
  readonly orderBy: SQL
  /** How many rows there are, whatever the limit: the number, and the rest of a select from its FROM on. */
  readonly total: { readonly count: SQL; readonly from: SQL }
}

/** Compiles a plan whose patterns have been evaluated. */
export function compileSelect(plan: SelectPlan, matches: Matches): CompiledSelect {
  return plan.groups ? compileGroups(plan, plan.groups, matches) : compileRows(plan, matches)
}

function compileRows(plan: SelectPlan, matches: Matches): CompiledSelect {
  const position = [...sortPositions(plan.entity, plan.order), ...keyPosition(plan.entity)]
  const condition = (one: Predicate): SQL => predicate(plan.entity, one, matches)
  const source = plan.distinct && distinctEvents(plan.distinct, condition(plan.distinct.among))
  const from = fromClause(plan.entity, tablesRead(plan), source)
  const topN = plan.distinct ? null : boundedTopNOf(plan, matches, condition)
  const where = whereClause(plan, matches)
  return {
    columns: plan.columns.map(outputOfColumn),
    position,
    extras: extrasOf(plan),
    topN,
    limit: plan.limit,
    offset: plan.offset,
    from,
    where,
    groupBy: sql``,
    orderBy: orderClause(position),
    total: totalOf(plan, from, where, matches),
  }
}

/** The number of rows: from hour counts where these can answer, otherwise by counting rows. */
function totalOf(
  plan: SelectPlan,
  from: SQL,
  where: SQL,
  matches: Matches,
): CompiledSelect['total'] {
  const condition = (one: Predicate): SQL => predicate(plan.entity, one, matches)
  const counted = plan.distinct ? null : countableTotal(plan, condition)
  return counted
    ? {
        count: countedRows(null),
        from: sql`from ${counted.source} as ${plan.entity.base} where ${condition(counted.where)}`,
      }
    : { count: sql`count(*)`, from: sql`from ${from} where ${where}` }
}

function compileGroups(
  plan: SelectPlan,
  groups: readonly PlanColumn[],
  matches: Matches,
): CompiledSelect {
  const condition = (one: Predicate): SQL => predicate(plan.entity, one, matches)
  const counted = plan.distinct ? null : countableGroups(plan, condition)
  const source = plan.distinct && distinctEvents(plan.distinct, condition(plan.distinct.among))
  const from = counted
    ? sql`${counted.source} as ${plan.entity.base}`
    : fromClause(plan.entity, tablesRead(plan), source)
  const where = counted ? condition(counted.where) : whereClause(plan, matches)
  const having = counted && groups.length > 0 ? sql` having ${HAS_REPORTS}` : sql``
  const groupBy = sql`${groupClause(groups)}${having}`
  const position = [
    ...sortPositions(plan.entity, plan.order, 'groups'),
    ...groupPositions(groups, plan),
  ]
  const columns = plan.columns.map((column): OutputColumn => {
    const output = outputOfColumn(column)
    const countsHours = counted && column.kind === 'function'
    return countsHours ? { ...output, sql: countedRows(column.field) } : output
  })
  return {
    columns,
    position,
    extras: [],
    topN: null,
    limit: plan.limit,
    offset: plan.offset,
    from,
    where,
    groupBy,
    orderBy: orderClause(position),
    // Without a GROUP BY, the aggregate in the select list makes one row of all.
    total: {
      count: sql`count(*)`,
      from: sql`from (select ${columns[0]!.sql} from ${from} where ${where}${groupBy})`,
    },
  }
}

function whereClause({ entity, where }: SelectPlan, matches: Matches): SQL {
  const kind = stringKindOf(entity)
  const conditionOf = (one: Predicate): SQL => predicate(entity, one, matches)
  const keys = entity.base === reports ? askedKeys(where, conditionOf) : []
  const filter = balanced('and', [conditionOf(where), ...keys])
  if (kind === null) return filter
  const isOfKind = sql`${strings.kind} = ${literal(kind)}`
  return where.kind === 'always' && where.value ? isOfKind : sql`(${isOfKind} and ${filter})`
}

const groupClause = (groups: readonly PlanColumn[]): SQL =>
  groups.length > 0
    ? sql` group by ${sql.join(
        groups.map((group) => groupValue(group)),
        sql`, `,
      )}`
    : sql``

/** Rows of a group have the same id as they have the same value, and ids are cheaper to group by: nodes and reports have indexes. */
const groupValue = (column: PlanColumn): SQL => {
  if (column.kind === 'function') return functionValue(column)
  const { storage } = column.field
  if (!isGroupedById(storage)) return outputOf(column.field).sql
  // In the order of its index, each report would be looked up by itself: a scan and a sort of ids take a fifth of the time.
  return storage.column === reports.node ? sql`+${storage.column}` : sql`${storage.column}`
}

/** An id that is never null refers to a row with a separate value. */
const isGroupedById = (storage: Storage): storage is Extract<Storage, { form: 'reference' }> =>
  storage.form === 'reference' && (storage.column.notNull || storage.column.primary)

/** What tells groups apart, but for what they are ordered by. */
function groupPositions(
  groups: readonly PlanColumn[],
  { columns, order }: SelectPlan,
): readonly Position[] {
  const isOrdered = ({ kind, field }: PlanColumn): boolean =>
    kind === 'field' && field.kind !== 'path' && order.some((one) => one.field === field)
  return groups
    .filter((group) => !isOrdered(group))
    .map((group, index): Position => {
      const shown = columns.find((column) => sameColumn(column, group))
      const isShown = shown && !(group.kind === 'field' && isGroupedById(group.field.storage))
      return {
        name: isShown ? shown.name : `group.${index}`,
        value: groupValue(group),
        direction: 'asc',
        nulls: 'first',
      }
    })
}

const outputOfColumn = (column: PlanColumn): OutputColumn => ({
  name: column.name,
  ...(column.kind === 'field'
    ? outputOf(column.field)
    : { sql: functionValue(column), decoding: functionDecoding(column) }),
})

/** Counts, sums and averages are numbers; the least and the greatest are of their field's kind. */
function functionDecoding(column: Extract<PlanColumn, { kind: 'function' }>): Decoding {
  if (column.function === 'to_string') return { as: 'text' }
  if (column.function !== 'min' && column.function !== 'max') return { as: 'number' }
  if (column.field?.kind === 'timestamp') return { as: 'timestamp' }
  return { as: column.field?.kind === 'string' ? 'text' : 'number' }
}

/** The rows of a select in a form that fields can be compared with: by id where both refer to the same table. */
export function subselect(
  fields: readonly Field[],
  plan: SelectPlan,
  matches: Matches,
): { left: readonly SQL[]; inner: SQL } {
  const pairs = fields.map((field, index) => comparablePair(field, plan.columns[index]!))
  const aliased = pairs.map(([, right], index) => sql`${right} as ${nameOfPair(index)}`)
  const { joins, rest } = deepConjuncts(plan)
  const compiled = compileSelect({ ...plan, where: rest }, matches)
  const from = joins.length > 0 ? joinedClause(plan, joins, matches) : compiled.from
  const paging =
    plan.limit === null && plan.offset === 0
      ? sql``
      : sql`${compiled.orderBy} limit ${rowCount(plan.limit ?? -1)} offset ${rowCount(plan.offset)}`
  const rows = sql`select ${sql.join(aliased, sql`, `)} from ${from} where ${compiled.where}${compiled.groupBy}${paging}`
  // SQLite limits the depth of expressions without counting subselects in a FROM: these may nest.
  return { left: pairs.map(([left]) => left), inner: sql`(select * from (${rows}))` }
}

/** A column of a subselect that is compared with an outer field, by its index. */
const nameOfPair = (index: number): SQL => sql.raw(`value${index}`)

function comparablePair(field: Field, column: PlanColumn): [left: SQL, right: SQL] {
  if (column.kind === 'function') return [valueOf(field, false), functionValue(column)]
  const [outer, inner] = [field.storage, column.field.storage]
  const byId =
    outer.form === 'reference' && inner.form === 'reference' && outer.target === inner.target
  return byId
    ? [sql`${outer.column}`, sql`${inner.column}`]
    : [valueOf(field, false), valueOf(column.field, true)]
}

type Within = Extract<Predicate, { kind: 'within' }>

/** The depth from which subqueries move into a FROM: each in a WHERE costs four of SQLite's 100 levels. */
const DEEP = 8

const nesting = (where: Predicate): number => {
  switch (where.kind) {
    case 'and':
    case 'or':
      return Math.max(0, ...where.terms.map(nesting))
    case 'not':
      return nesting(where.term)
    case 'within':
      return 1 + nesting(where.select.where)
    default:
      return 0
  }
}

/** The subqueries that the rows of a deep plan must be in, and the rest of its condition. */
function deepConjuncts({ where, groups, distinct }: SelectPlan): {
  readonly joins: readonly Within[]
  readonly rest: Predicate
} {
  const terms = where.kind === 'and' ? where.terms : [where]
  if (groups || distinct || nesting(where) < DEEP) return { joins: [], rest: where }
  const rest = terms.filter((term) => term.kind !== 'within')
  return {
    joins: terms.filter((term) => term.kind === 'within'),
    rest: rest.length > 0 ? { kind: 'and', terms: rest } : { kind: 'always', value: true },
  }
}

/** The rows of a plan that are in each of the subqueries: here a join is equivalent to `in`. */
function joinedClause(plan: SelectPlan, joins: readonly Within[], matches: Matches): SQL {
  const clauses = joins.map(({ fields, select }, index) => {
    const { left, inner } = subselect(fields, select, matches)
    const name = sql.raw(`q${index}`)
    const same = left.map((one, at) => sql`${one} = ${name}.${nameOfPair(at)}`)
    return sql` join (select distinct * from ${inner}) as ${name} on ${sql.join(same, sql` and `)}`
  })
  return sql`${fromClause(plan.entity, tablesRead(plan), null)}${sql.join(clauses, sql``)}`
}
