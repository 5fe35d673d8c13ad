/**
 * The first page in the order of a time that has no index: found through one that has, because a
 * report's times are near each other. What is near is bounded by the rows themselves, and the few
 * reports whose clocks stray are found by indexes of their own.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { Order, Predicate, SelectPlan } from '../plan/plan.ts'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { FURTHEST_MOVE_MS } from '../schema/key.ts'
import { reports } from '../schema/tables.ts'
import { firstKeyOf, literal } from './encoding.ts'
import { namedNodes, type NamedNodes } from './named-nodes.ts'
import { SKEWED, type SkewedOrder } from './skewed.ts'
import { predicate, type Matches } from './predicate.ts'
import { valueOf } from './values.ts'

/** The keys of rows among which the first `count` are, as a subselect. */
export type Nearby = (count: number) => SQL

/** An order of rows, and the indexed order that is nearly the same. */
interface NearOrder {
  readonly time: SQL
  readonly direction: 'asc' | 'desc'
  readonly driver: SQL
  /** Where in the driver's order rows can still stand that come before a time. */
  readonly reach: (time: SQL) => SQL
  /** The rows that may stand anywhere in it. */
  readonly skewed: SkewedOrder | null
}

/**
 * How the first rows of a plan are found nearby; null where an index has their order, or they are so few
 * that sorting them is cheaper than looking for them twice.
 */
export function nearbyOf(plan: SelectPlan, matches: Matches): Nearby | null {
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
  const near = isKey ? orderOfKeys(first.direction) : orderOf(first, named !== null)
  const meets = (one: Predicate): SQL => predicate(entity, one, matches)
  const condition = meets(where)
  if (named === null || named.nodes.length === 1) {
    return (count) =>
      firstKeys(near, condition, count, boundOfOrder(near, condition, count, named !== null))
  }
  const others = named.others.map(meets)
  return (count) => firstKeys(near, condition, count, boundOfNodes(near, named, others, count))
}

const orderOfKeys = (direction: 'asc' | 'desc'): NearOrder => ({
  time: sql`${reports.id}`,
  direction,
  driver: sql`${reports.id}`,
  reach: (key) => sql`${reports.id} ${sql.raw(direction === 'desc' ? '>=' : '<=')} ${key}`,
  skewed: null,
})

function orderOf({ field, direction }: Order, ofNodes: boolean): NearOrder {
  const name = field.name as ClockName
  const common = {
    time: valueOf(field, true),
    direction,
    skewed: SKEWED[name][ofNodes ? 'ofNode' : 'all'],
  }
  // An ordinary run ends after it began, whatever its clock says, so the order of ends needs no window to find the last begun.
  return name === 'start_time' && direction === 'desc' && !ofNodes
    ? {
        ...common,
        driver: sql`${reports.endTime}`,
        reach: (time) => sql`${reports.endTime} >= ${time}`,
      }
    : {
        ...common,
        driver: sql`${reports.id}`,
        reach: (time) => keysNear(time, direction, CLOCKS[name]),
      }
}

/** The keys of ordinary reports whose time is not beyond the given one. */
const keysNear = (
  time: SQL,
  direction: 'asc' | 'desc',
  { before, behind }: (typeof CLOCKS)[ClockName],
): SQL =>
  direction === 'desc'
    ? sql`${reports.id} >= ${firstKeyOf(sql`(${time} - ${literal(behind)})`)}`
    : sql`${reports.id} < ${firstKeyOf(sql`(${time} + ${literal(before + FURTHEST_MOVE_MS)})`)}`

/** The time that `count` of the rows are not beyond. */
const placed = (times: SQL, count: number, direction: 'asc' | 'desc'): SQL =>
  sql`(select t from (${times}) order by t ${sql.raw(direction)} limit 1 offset ${literal(count - 1)})`

/**
 * A time that the first `count` rows are not beyond, from as many in the order of the driver: all of them
 * where it is one node's runs, which do not overlap; of a fleet's the longest are passed over.
 */
function boundOfOrder(
  { time, direction, driver }: NearOrder,
  where: SQL,
  count: number,
  ofNode: boolean,
): SQL {
  const rows = (many: number): SQL =>
    sql`select ${time} as t from ${reports} where ${where} order by ${driver} ${sql.raw(direction)} limit ${literal(many)}`
  const farthest = sql.raw(direction === 'desc' ? 'min' : 'max')
  return ofNode
    ? sql`(select ${farthest}(t) from (${rows(count)}))`
    : placed(rows(count + Math.ceil(count / 4) + 4), count, direction)
}

/** The same from the first few rows of each node: half as many again as are needed, as some nodes may have fewer. */
function boundOfNodes(
  { time, direction }: NearOrder,
  { nodes, rows }: NamedNodes,
  others: readonly SQL[],
  count: number,
): SQL {
  const each = literal(Math.ceil((1.5 * count) / nodes.length))
  const meets = sql.join([sql`${reports.node} = named.value`, ...others], sql` and `)
  const own = sql`select ${reports.id} from ${reports} where ${meets} order by ${reports.id} ${sql.raw(direction)} limit ${each}`
  const times = sql`select ${time} as t from ${rows} as named cross join ${reports} on ${reports.id} in (${own})`
  return placed(times, count, direction)
}

/**
 * The keys of the rows that are not beyond a bound, or beyond what as many of those that stray tell: the
 * last of the first rows can't be farther than either, whatever else there is.
 */
function firstKeys(
  { time, direction, reach, skewed }: NearOrder,
  where: SQL,
  count: number,
  bound: SQL,
): SQL {
  const falling = direction === 'desc'
  const orAll = (one: SQL): SQL => sql`coalesce(${one}, ${literal(falling ? -1e16 : 1e16)})`
  const last = sql`(select t from bound)`
  const near = sql`${time} ${sql.raw(falling ? '>=' : '<=')} ${last}`
  const ordinary = sql`select ${reports.id} from ${reports} where ${where} and ${reach(last)} and ${near}`
  if (skewed === null) {
    return sql`(with bound as materialized (select ${orAll(bound)} as t) ${ordinary})`
  }
  const rows = sql`from ${skewed.from} where ${skewed.where} and ${where}`
  const ordered = falling ? sql` order by ${skewed.latest} desc limit ${literal(count)}` : sql``
  const boundOfSkewed = placed(sql`select ${time} as t ${rows}${ordered}`, count, direction)
  const skewedNear = falling ? sql`${skewed.latest} >= ${last} and ${near}` : near
  const nearest = sql.raw(falling ? 'max' : 'min')
  return sql`(with bound as materialized (select ${nearest}(${orAll(bound)}, ${orAll(boundOfSkewed)}) as t) ${ordinary} union all select ${reports.id} ${rows} and ${skewedNear})`
}
