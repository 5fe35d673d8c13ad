/** Counts without reading every report: closed hours by their hour counts, other reports by their rows. */

import { sql, type SQL } from 'drizzle-orm'
import type { PlanColumn, Predicate, SelectPlan } from '../plan/plan.ts'
import type { Field } from '../schema/entity.ts'
import { CLOCKS, type ClockName } from '../schema/clocks.ts'
import { REPORT_FIELDS } from '../schema/report-fields.ts'
import { HOUR_DIMENSIONS, nodes, openHours, reports } from '../schema/tables.ts'
import { firstKey, hourFrom, hourNumber, hourStart, literal, withNull } from './encoding.ts'
import { EVER, groupsByDay } from './closed-hours.ts'
import { UNCOUNTED_REPORTS } from './open-hours.ts'
import { skewedRows } from './skewed.ts'
import { balanced } from './render.ts'

/** The columns of `reports` that hours are counted by and that queries know. */
const DIMENSIONS = HOUR_DIMENSIONS.filter((property) => Object.hasOwn(REPORT_FIELDS, property)).map(
  (property) => reports[property],
)

type TimeTerm = Extract<Predicate, { kind: 'ordered' }>

/** A condition that hour counts can answer, split into its parts. */
interface Countable {
  /** The condition on dimensions, which the rows of the source are tested by. */
  readonly where: Predicate
  /** Rows of counts: the dimensions and `count`, under the table name `reports`. */
  readonly source: SQL
}

const isDimension = ({ storage }: Field): boolean =>
  'column' in storage && DIMENSIONS.some((column) => column === storage.column)

/** Whether a predicate depends on dimensions only. */
function asksDimensions(where: Predicate): boolean {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms.every(asksDimensions)
    case 'not':
      return asksDimensions(where.term)
    case 'always':
      return true
    case 'equals':
    case 'among':
    case 'null':
    case 'matches':
      return isDimension(where.field)
    default:
      return false
  }
}

const clockOf = ({ name }: Field): (typeof CLOCKS)[ClockName] | null =>
  Object.hasOwn(CLOCKS, name) ? CLOCKS[name as ClockName] : null

/** Whether a term leaves out the reports of inactive nodes, as the root endpoint does. */
const leavesOutInactive = (term: Predicate): boolean => term.kind === 'state' && term.active

const isTimeTerm = (term: Predicate): term is TimeTerm =>
  term.kind === 'ordered' && clockOf(term.field) !== null

/** Whether hour counts can answer a column of groups: a dimension, or a number of rows. */
const isCountable = (column: PlanColumn): boolean =>
  column.kind === 'field'
    ? isDimension(column.field)
    : column.function === 'count' && (column.field === null || isDimension(column.field))

/** The condition of groups that hour counts can answer; null where rows must be read. */
export function countableGroups(
  { entity, where, columns, groups, order }: SelectPlan,
  condition: (where: Predicate) => SQL,
): Countable | null {
  const areCountable = [...columns, ...(groups ?? [])].every(isCountable)
  const sorted = order.every(({ field }) => isDimension(field))
  return entity.base === reports && areCountable && sorted ? countable(where, condition) : null
}

/** The condition of a total that hour counts can answer; null where rows must be read. */
export function countableTotal(
  { entity, where }: SelectPlan,
  condition: (where: Predicate) => SQL,
): Countable | null {
  return entity.base === reports ? countable(where, condition) : null
}

/** Holds for a group with reports: reports of its inactive nodes are counted and subtracted. */
export const HAS_REPORTS = sql`sum("reports"."count") > 0`

/** A count over rows of the source, each of which counts for many. */
export const countedRows = (field: Field | null): SQL => {
  const many = sql`coalesce(sum("reports"."count"), 0)`
  return field && 'column' in field.storage
    ? sql`coalesce(sum(iif(${field.storage.column} is null, 0, "reports"."count")), 0)`
    : many
}

function countable(where: Predicate, condition: (where: Predicate) => SQL): Countable | null {
  const terms = where.kind === 'and' ? where.terms : [where]
  const times = terms.filter(isTimeTerm)
  const others = terms.filter((term) => !isTimeTerm(term) && !leavesOutInactive(term))
  if (!others.every(asksDimensions)) return null
  const source = sourceOf(times, condition, terms.some(leavesOutInactive))
  return (
    source && {
      where: { kind: 'and', terms: [...others, { kind: 'always', value: true }] },
      source,
    }
  )
}

/**
 * A span of hours and of ms of keys: all reports of the hours meet the conditions, no report outside the
 * ms does, unless its clock was skewed.
 */
interface Span {
  readonly hours: readonly [first: number, behind: number]
  readonly milliseconds: readonly [first: number, behind: number]
}

function spanOf(times: readonly TimeTerm[]): Span {
  let [firstHour, behindHour] = [-EVER, EVER]
  let [first, behind] = [-EVER, EVER]
  for (const { field, operator, value } of times) {
    const clock = clockOf(field)!
    if (operator.startsWith('>')) {
      firstHour = Math.max(firstHour, hourFrom(value + clock.before + 1))
      first = Math.max(first, value - clock.behind)
    } else {
      behindHour = Math.min(behindHour, hourNumber(value - clock.behind))
      behind = Math.min(behind, value + clock.before + 1)
    }
  }
  return { hours: [firstHour, behindHour], milliseconds: [first, behind] }
}

// The plus prevents an automatic index over all reports for a condition on the column.
const REPORT_COLUMNS = DIMENSIONS.map((column) => sql`+${column} as ${sql.identifier(column.name)}`)
const COUNTED_COLUMNS = DIMENSIONS.map(({ name }) => sql.raw(`${withNull(`c.${name}`)} as ${name}`))

/** Each report of inactive nodes, counted as one less. */
const inactiveRows = (meets: readonly SQL[]): SQL =>
  sql`select ${sql.join(REPORT_COLUMNS, sql`, `)}, -1 from (select n.id from ${nodes} n where n.deactivated is not null or n.expired is not null) inactive
    cross join ${reports} indexed by reports_node on ${reports.node} = inactive.id where ${balanced('and', [sql`1`, ...meets])}`

/** The rows of counts for a span of time, a group of which may count to 0; null where it contains no whole hour. */
function sourceOf(
  times: readonly TimeTerm[],
  condition: (where: Predicate) => SQL,
  activeOnly: boolean,
): SQL | null {
  const { hours, milliseconds } = spanOf(times)
  if (hours[0] >= hours[1]) return null
  const mask = times.reduce((bits, { field }) => bits | clockOf(field)!.bit, 0)
  const rows = (from: SQL, where: readonly SQL[]): SQL =>
    sql`select ${sql.join(REPORT_COLUMNS, sql`, `)}, 1 as count from ${from} where ${balanced('and', [sql`1`, ...where])}`
  const ordinary = mask === 0 ? [] : [sql`${reports.clockFlags} & ${literal(mask)} = 0`]
  const meets = times.map(condition)
  const keys = (from: number, behind: number): SQL =>
    sql`${reports.id} >= ${literal(firstKey(from))} and ${reports.id} < ${literal(firstKey(behind))}`
  const inHours = (column: SQL): SQL =>
    sql`${column} >= ${literal(hours[0])} and ${column} < ${literal(hours[1])}`

  const counted = groupsByDay({ first: hours[0], behind: hours[1] })
  const closed = sql`select ${sql.join(COUNTED_COLUMNS, sql`, `)}, c.count from ${sql.raw(counted)} as c
    where c.clock_flags & ${literal(mask)} = 0`
  const open = rows(sql.raw(UNCOUNTED_REPORTS), [inHours(sql`${openHours.hour}`), ...ordinary])
  const parts = [closed, open]
  if (hours[0] > -EVER) {
    parts.push(
      rows(sql`${reports}`, [keys(milliseconds[0], hourStart(hours[0])), ...ordinary, ...meets]),
    )
  }
  if (hours[1] < EVER) {
    parts.push(
      rows(sql`${reports}`, [keys(hourStart(hours[1]), milliseconds[1]), ...ordinary, ...meets]),
    )
  }
  // In a select of their own: D1 allows five in one union.
  const few = skewedRows(mask).map(({ from, where }) => rows(from, [where, ...meets]))
  if (activeOnly) few.push(inactiveRows(meets))
  if (few.length > 0) parts.push(sql`select * from (${sql.join(few, sql` union all `)})`)
  return sql`(${sql.join(parts, sql` union all `)})`
}
