/**
 * The first page in the order of a time that has no index: found through one that has, because a
 * report's times are near each other. What is near is bounded by the rows themselves, and the few
 * reports whose clocks stray are looked at apart.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { Predicate, SelectPlan } from '../plan/plan.ts'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { SLOTS } from '../schema/key.ts'
import { reports } from '../schema/tables.ts'
import { oddRows } from './odd.ts'
import { valueOf } from './values.ts'

/** How the rows at one end of an order are found. */
export interface Nearby {
  /** The time that rows are ordered by. */
  readonly time: SQL
  readonly direction: 'asc' | 'desc'
  /** Whether the condition names nodes, whose reports have an index. */
  readonly ofNode: boolean
  /** The bit of `odd` that marks reports for which nothing of this holds. */
  readonly bit: number
  /** An indexed order that is nearly the same. */
  readonly driver: SQL
  /** Rows that can still be among the first, given the time of the last that is known to be. */
  readonly within: (last: SQL) => SQL
}

/** Conditions that leave so few rows that sorting them is cheaper than looking for them twice. */
const isSelective = (term: Predicate): boolean =>
  term.kind === 'latest' ||
  term.kind === 'within' ||
  (term.kind === 'equals' && term.field.name === 'hash')

const namesNode = (term: Predicate): boolean =>
  (term.kind === 'equals' || term.kind === 'among') && term.field.name === 'certname'

/** How the first rows of a plan are found nearby; null where an index has their order, or they are few. */
export function nearbyOf({ entity, where, order }: SelectPlan): Nearby | null {
  const [first] = order
  if (entity.base !== reports || !first || !Object.hasOwn(CLOCKS, first.field.name)) return null
  const name = first.field.name as ClockName
  const terms = where.kind === 'and' ? where.terms : [where]
  const ofNode = terms.some(namesNode)
  const indexed =
    name === 'producer_timestamp' ? order.length === 1 : name === 'end_time' && !ofNode
  if (indexed || terms.some(isSelective)) return null
  const { direction } = first
  const time = valueOf(first.field, true)
  const { bit, window } = CLOCKS[name]
  // An ordinary run ends after it began, so the order of ends needs no window to find the last begun.
  return name === 'start_time' && direction === 'desc' && !ofNode
    ? {
        time,
        direction,
        ofNode,
        bit,
        driver: sql`${reports.endTime}`,
        within: (last) => sql`${reports.endTime} >= ${last}`,
      }
    : {
        time,
        direction,
        ofNode,
        bit,
        driver: sql`${reports.id}`,
        within: (last) => keysNear(last, direction, window),
      }
}

const keysNear = (last: SQL, direction: 'asc' | 'desc', window: number): SQL =>
  direction === 'desc'
    ? sql`${reports.id} >= (${last} - ${sql.raw(String(window))}) * ${sql.raw(String(SLOTS))}`
    : sql`${reports.id} < (${last} + ${sql.raw(String(window + 1))}) * ${sql.raw(String(SLOTS))}`

/** The keys of rows among which the first `count` of those that meet `where` are. */
export function nearbyKeys(
  { time, direction, ofNode, bit, driver, within }: Nearby,
  where: SQL,
  count: number,
): SQL {
  const order = sql.raw(direction)
  const mask = sql.raw(String(bit))
  const looked = count + Math.ceil(count / 4) + 4
  const ordinary = sql`${where} and ${reports.odd} & ${mask} = 0`
  // The time of the last of the first rows, as far as those looked at tell.
  const last = timeAt(
    count,
    sql`select ${time} as t from ${reports} where ${ordinary} order by ${driver} ${order} limit ${looked}`,
    direction,
  )
  const reached = sql`${time} ${sql.raw(direction === 'desc' ? '>=' : '<=')} ${last}`
  const parts = [
    sql`select ${reports.id} from ${reports} where ${ordinary} and ${within(last)} and ${reached}`,
  ]
  for (const odd of oddRows(bit, ofNode)) {
    parts.push(sql`select ${reports.id} from ${odd.from} where ${odd.where} and ${where}`)
  }
  return sql`(${sql.join(parts, sql` union all `)})`
}

/** The time that stands at a place in the order of some times; beyond all, where there are not so many. */
function timeAt(place: number, times: SQL, direction: 'asc' | 'desc'): SQL {
  const beyond = sql.raw(direction === 'desc' ? '-9e15' : '9e15')
  return sql`(select coalesce((select looked.t from (${times}) as looked order by looked.t ${sql.raw(direction)} limit 1 offset ${place - 1}), ${beyond}))`
}
