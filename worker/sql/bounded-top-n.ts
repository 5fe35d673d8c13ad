/**
 * The first page in the order of a time without an index: through an index on a correlated time, since
 * the times of one report are close to each other. The rows themselves bound how far apart they are; the
 * few clock-skewed reports are found by indexes of their own.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { Order, Predicate, SelectPlan } from '../plan/plan.ts'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { FURTHEST_MOVE_MS } from '../schema/key.ts'
import { reports } from '../schema/tables.ts'
import { firstKeyOf, literal } from './encoding.ts'
import { SKEWED, type SkewedOrder } from './skewed.ts'
import type { Matches } from './matches.ts'
import { valueOf, idsOf } from './values.ts'
import { listRows } from './render.ts'

interface NamedNodes {
  /** One name for each node, whether it exists or not. */
  readonly nodes: readonly (string | number)[]
  /** Their ids, as rows with a column called `value`. */
  readonly rows: SQL
  /** The other terms of the condition. */
  readonly others: readonly Predicate[]
}

/** The nodes that the first suitable term names: equal to one, in a list, or matched by a pattern. */
function namedNodes(terms: readonly Predicate[], matches: Matches): NamedNodes | null {
  for (const term of terms) {
    const named = namedBy(term, matches)
    if (named) return { ...named, others: terms.filter((other) => other !== term) }
  }
  return null
}

type Named = Pick<NamedNodes, 'nodes' | 'rows'>

function namedBy(term: Predicate, matches: Matches): Named | null {
  if (!('field' in term) || term.field.name !== 'certname') return null
  switch (term.kind) {
    case 'equals':
      return byName([String(term.value)])
    case 'among':
      return byName(term.values.map(String))
    case 'matches': {
      const matched = matches.get(term)
      // For a pattern that most nodes match, the ids are those without a match: then every page is full
      // of its rows.
      return matched?.by === 'id' && !matched.complement
        ? { nodes: matched.ids, rows: listRows(matched.ids) }
        : null
    }
    default:
      return null
  }
}

const byName = (names: readonly string[]): Named => ({
  nodes: names,
  rows: sql`(select id as value from ${idsOf('nodes', (certname) => sql`${certname} in ${listRows(names)}`)})`,
})

/** A subselect of keys that include the keys of the first `count` rows. */
export type BoundedTopN = (count: number) => SQL

/** An order of rows, and the indexed order that correlates with it (the driver). */
interface DrivenOrder {
  readonly time: SQL
  readonly direction: 'asc' | 'desc'
  readonly driver: SQL
  /** The range of the driver that can contain rows before a time. */
  readonly reach: (time: SQL) => SQL
  /** What the condition says of the time. */
  readonly asked: AskedRange
  /** The rows that can be at any position of the driver. */
  readonly skewed: SkewedOrder | null
}

/** What a condition says of the time that rows are ordered by. */
interface AskedRange {
  /** The farthest time that rows can have in the direction of the order, in ms; null where any can. */
  readonly last: number | null
  /** SQL, from AND on, for the range of the driver that contains all such rows but the skewed ones. */
  readonly range: SQL
}
const ANY: AskedRange = { last: null, range: sql`` }

/**
 * How the first rows of a plan are found through a correlated index. Null where an index has their order,
 * or where the rows are so few that sorting them is cheaper than finding them twice.
 *
 * @param conditionOf compiles a condition on the plan's rows
 */
export function boundedTopNOf(
  plan: SelectPlan,
  matches: Matches,
  conditionOf: (term: Predicate) => SQL,
): BoundedTopN | null {
  const { entity, where, order } = plan
  const [first] = order
  if (entity.base !== reports || !first || !Object.hasOwn(CLOCKS, first.field.name)) return null
  const terms = where.kind === 'and' ? where.terms : [where]
  const selective = terms.some(
    (term) =>
      term.kind === 'latest' ||
      term.kind === 'within' ||
      (term.kind === 'equals' && term.field.name === 'hash'),
  )
  const named = namedNodes(terms, matches)
  if (selective || named?.nodes.length === 0) return null
  const isKey = first.field.name === 'producer_timestamp' && order.length === 1
  const isEnd = first.field.name === 'end_time' && named === null
  if ((isKey && named?.nodes.length === 1) || ((isKey || isEnd) && named === null)) return null
  const driven = isKey ? orderOfKeys(first.direction) : orderOf(first, named !== null, terms)
  const condition = conditionOf(where)
  if (named === null || named.nodes.length === 1) {
    return (count) =>
      firstKeys(driven, condition, count, boundOfOrder(driven, condition, count, named !== null))
  }
  const others = named.others.map(conditionOf)
  return (count) => firstKeys(driven, condition, count, boundOfNodes(driven, named, others, count))
}

const orderOfKeys = (direction: 'asc' | 'desc'): DrivenOrder => ({
  time: sql`${reports.id}`,
  direction,
  driver: sql`${reports.id}`,
  reach: (key) => sql`${reports.id} ${sql.raw(direction === 'desc' ? '>=' : '<=')} ${key}`,
  skewed: null,
  asked: ANY,
})

function orderOf(
  { field, direction }: Order,
  ofNodes: boolean,
  terms: readonly Predicate[],
): DrivenOrder {
  const name = field.name as ClockName
  const common = {
    time: valueOf(field, true),
    direction,
    skewed: SKEWED[name][ofNodes ? 'ofNode' : 'all'],
  }
  // Unless its clock jumped, a run ends after its start: the order of ends finds the last starts
  // without a window.
  return name === 'start_time' && direction === 'desc' && !ofNodes
    ? {
        ...common,
        driver: sql`${reports.endTime}`,
        reach: (time) => sql`${reports.endTime} >= ${time}`,
        asked: askedOf(name, direction, terms, endsWithin),
      }
    : {
        ...common,
        driver: sql`${reports.id}`,
        reach: (time) => keysWithin(time, direction, CLOCKS[name]),
        asked: askedOf(name, direction, terms, (time, side) =>
          keysWithin(time, side, CLOCKS[name]),
        ),
      }
}

type Within = (time: SQL, direction: 'asc' | 'desc') => SQL

/** The ends of runs without skew whose start is within the given time. */
const endsWithin: Within = (time, direction) =>
  direction === 'desc'
    ? sql`${reports.endTime} >= ${time}`
    : sql`${reports.endTime} <= ${time} + ${literal(CLOCKS.start_time.before + CLOCKS.end_time.behind)}`

/** The range of a time that the terms leave: pages of few rows, or of old ones, read no report beyond it. */
function askedOf(
  name: ClockName,
  direction: 'asc' | 'desc',
  terms: readonly Predicate[],
  within: Within,
): AskedRange {
  const limits = { asc: [] as number[], desc: [] as number[] }
  for (const term of terms) {
    if (term.kind !== 'ordered' || term.field.name !== name) continue
    limits[term.operator.startsWith('>') ? 'desc' : 'asc'].push(term.value)
  }
  const [least, greatest] = [Math.max(...limits.desc), Math.min(...limits.asc)]
  const ranges = [
    ...(least > -EVER ? [within(literal(Math.floor(least)), 'desc')] : []),
    ...(greatest < EVER ? [within(literal(Math.ceil(greatest)), 'asc')] : []),
  ]
  const last = direction === 'desc' ? Math.floor(least) : Math.ceil(greatest)
  return {
    last: Math.abs(last) < EVER ? last : null,
    range: sql.join(ranges.map((range) => sql` and ${range}`)),
  }
}

/** In ms: beyond all times that a timestamp can have. */
const EVER = 1e15

/** The keys of reports without skew whose time is within the given one. */
const keysWithin = (
  time: SQL,
  direction: 'asc' | 'desc',
  { before, behind }: (typeof CLOCKS)[ClockName],
): SQL =>
  direction === 'desc'
    ? sql`${reports.id} >= ${firstKeyOf(sql`(${time} - ${literal(behind)})`)}`
    : sql`${reports.id} < ${firstKeyOf(sql`(${time} + ${literal(before + FURTHEST_MOVE_MS)})`)}`

/** The time of the row at position `count`. */
const timeAt = (times: SQL, count: number, direction: 'asc' | 'desc'): SQL =>
  sql`(select t from (${times}) order by t ${sql.raw(direction)} limit 1 offset ${literal(count - 1)})`

/**
 * A bound for the time of the first `count` rows, from as many rows in the driver's order. For one node,
 * whose runs do not overlap, all of them; for a fleet, a few more rows, of which the longest runs are
 * ignored.
 */
function boundOfOrder(
  { time, direction, driver, asked }: DrivenOrder,
  where: SQL,
  count: number,
  ofNode: boolean,
): SQL {
  const rows = (limit: number): SQL =>
    sql`select ${time} as t from ${reports} where ${where}${asked.range} order by ${driver} ${sql.raw(direction)} limit ${literal(limit)}`
  const farthest = sql.raw(direction === 'desc' ? 'min' : 'max')
  return ofNode
    ? sql`(select ${farthest}(t) from (${rows(count)}))`
    : timeAt(rows(count + Math.ceil(count / 4) + 4), count, direction)
}

/**
 * The same from the first rows of each node: one and a half times as many as needed, since some nodes may
 * have fewer.
 */
function boundOfNodes(
  { time, direction, asked }: DrivenOrder,
  { nodes, rows }: NamedNodes,
  others: readonly SQL[],
  count: number,
): SQL {
  const each = literal(Math.ceil((1.5 * count) / nodes.length))
  const conditions = sql.join([sql`${reports.node} = named.value`, ...others], sql` and `)
  const keys = sql`select ${reports.id} from ${reports} where ${conditions}${asked.range} order by ${reports.id} ${sql.raw(direction)} limit ${each}`
  const times = sql`select ${time} as t from ${rows} as named cross join ${reports} on ${reports.id} in (${keys})`
  return timeAt(times, count, direction)
}

/**
 * The keys of the rows within a bound, taken from ordinary and from skewed rows: the last of the first
 * rows is within both.
 */
function firstKeys(
  { time, direction, reach, skewed, asked }: DrivenOrder,
  where: SQL,
  count: number,
  bound: SQL,
): SQL {
  const falling = direction === 'desc'
  const farthest = asked.last ?? (falling ? -1e16 : 1e16)
  const orAll = (one: SQL): SQL => sql`coalesce(${one}, ${literal(farthest)})`
  const last = sql`(select t from bound)`
  const isWithin = sql`${time} ${sql.raw(falling ? '>=' : '<=')} ${last}`
  const ordinary = sql`select ${reports.id} from ${reports} where ${where} and ${reach(last)}${asked.range} and ${isWithin}`
  if (skewed === null) {
    return sql`(with bound as materialized (select ${orAll(bound)} as t) ${ordinary})`
  }
  const rows = sql`from ${skewed.from} where ${skewed.where} and ${where}`
  const ordered = falling ? sql` order by ${skewed.latest} desc limit ${literal(count)}` : sql``
  const boundOfSkewed = timeAt(sql`select ${time} as t ${rows}${ordered}`, count, direction)
  const isSkewedWithin = falling ? sql`${skewed.latest} >= ${last} and ${isWithin}` : isWithin
  const nearest = sql.raw(falling ? 'max' : 'min')
  return sql`(with bound as materialized (select ${nearest}(${orAll(bound)}, ${orAll(boundOfSkewed)}) as t) ${ordinary} union all select ${reports.id} ${rows} and ${isSkewedWithin})`
}
