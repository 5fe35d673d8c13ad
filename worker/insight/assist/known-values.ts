/** Reads the stored values of a field that begin with a text, in order. */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Field } from '../../schema/entity.ts'
import { eventFields } from '../../schema/event-fields.ts'
import { reportFields } from '../../schema/report-fields.ts'
import { STRING_KINDS, type StringKind } from '../../schema/string-kinds.ts'
import { events, reports, resources } from '../../schema/tables.ts'
import { text, typed, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { ACTIVE } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'

/** Most recent resources read for a field without an index. */
const NEWEST_RESOURCES = 20_000

/** The column that holds each kind of string. */
const COLUMNS: ReadonlyMap<StringKind, SQLiteColumn> = new Map(
  [
    ...reportFields.map(([property, { stored }]) => [stored, reports[property]] as const),
    ...eventFields.map(([property, { stored }]) => [stored, events[property]] as const),
  ].flatMap(([stored, column]) => (stored.form === 'reference' ? [[stored.target, column]] : [])),
)

const KNOWN = { value: text(sql`value`) }
type KnownValue = RowOf<typeof KNOWN>

/** A statement that selects a column called `value`. */
const valuesOf = (statement: SQL): TypedStatement<KnownValue> => typed(KNOWN, render(statement))

/**
 * Null for a field without a dictionary. Dictionaries hold every value ever sent, but not by which node; so for
 * a reader with a row policy, the values come from the latest runs of visible nodes.
 */
export function knownValues(
  view: View,
  { storage }: Field,
  prefix: string,
  most: number,
): TypedStatement<KnownValue> | null {
  if (storage.form === 'plain' && storage.column.table === resources)
    return resourceTexts(view, storage.column, prefix, most)
  if (storage.form !== 'reference' || storage.target === 'reports') return null
  return storage.target === 'nodes'
    ? certnames(view, prefix, most)
    : strings(view, storage.target, prefix, most)
}

/** A range of an index. No text sorts after the greatest character. */
const beginning = (value: SQL, prefix: string): SQL =>
  sql`${value} >= ${prefix} and ${value} < ${`${prefix}\u{10ffff}`}`

const first = (value: SQL, from: SQL, prefix: string, most: number): TypedStatement<KnownValue> =>
  valuesOf(
    sql`select distinct ${value} as value from ${from} and ${beginning(value, prefix)} order by 1 limit ${literal(most)}`,
  )

/** Latest runs of active visible nodes. */
const latestRuns = ({ rowPolicy }: View, joins: SQL): SQL =>
  sql`nodes n cross join reports on reports.id = n.latest${joins} where ${ACTIVE} and ${rowPolicy}`

const certnames = (view: View, prefix: string, most: number): TypedStatement<KnownValue> =>
  first(
    sql`n.certname`,
    view.restricted ? latestRuns(view, sql``) : sql`nodes n where ${ACTIVE}`,
    prefix,
    most,
  )

const EVENTS = sql` cross join events on events.report = reports.id`

function strings(
  view: View,
  kind: StringKind,
  prefix: string,
  most: number,
): TypedStatement<KnownValue> {
  const column = COLUMNS.get(kind)!
  const joins = sql`${column.table === events ? EVENTS : sql``} cross join strings on strings.id = ${column}`
  const from = view.restricted
    ? latestRuns(view, joins)
    : sql`strings where strings.kind = ${literal(STRING_KINDS[kind])}`
  return first(sql`strings.value`, from, prefix, most)
}

function resourceTexts(
  view: View,
  column: SQLiteColumn,
  prefix: string,
  most: number,
): TypedStatement<KnownValue> {
  const value = sql`${column}`
  if (view.restricted) {
    const joins = sql`${EVENTS} cross join resources on resources.id = events.resource`
    return first(value, latestRuns(view, joins), prefix, most)
  }
  if (column === resources.type) return types(prefix, most)
  const newest = sql`(select max(s.id) - ${literal(NEWEST_RESOURCES)} from resources s)`
  return first(value, sql`resources where resources.id > ${newest}`, prefix, most)
}

/** Finds each type by the index, however many resources it has. All types begin with a capital. */
function types(written: string, most: number): TypedStatement<KnownValue> {
  const prefix = written.charAt(0).toUpperCase() + written.slice(1)
  const next = (after: SQL): SQL => sql`(select min(s.type) from resources s where s.type ${after})`
  return valuesOf(sql`with recursive types(type) as (
      select ${next(sql`>= ${prefix}`)} union all select ${next(sql`> types.type`)} from types where types.type is not null)
    select type as value from types where ${beginning(sql`type`, prefix)} limit ${literal(most)}`)
}
