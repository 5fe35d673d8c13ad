/** Rows of an entity or groups of them: filtered, projected, ordered, counted off. */

import type { Json } from '../../../worker/lib/json.ts'
import type { QueryColumn, Filter, Paging, Query, SortKey } from '../../../worker/query/ast.ts'
import { distinctEvents, type Window } from './distinct.ts'
import { testOf } from './filter.ts'
import { functionValue } from './functions.ts'
import { activeNodes, agentReports, both, certain, withoutAny } from './implicit.ts'
import { FIELDS, isEntity, shownFields, type EntityName } from './schema.ts'
import type { Tables } from './tables.ts'
import { canonical, compareNullsLast, type Row } from './values.ts'

export interface Answer {
  readonly rows: readonly Row[]
  /** How many there are without limit and offset. */
  readonly total: number
}

/** What an endpoint adds to the query itself. */
export interface Frame {
  /** From the path: the rows of one environment, one producer, one report. */
  readonly within: Filter | null
  readonly activeOnly: boolean
  readonly distinct: Window | null
}

export const NO_FRAME: Frame = { within: null, activeOnly: false, distinct: null }

/** Answers a query of an entity that holds something. */
export function answerSelect(
  entity: EntityName,
  query: Query,
  frame: Frame,
  tables: Tables,
): Answer {
  const named = frame.activeOnly && 'certname' in FIELDS[entity]
  const visible = named ? activeNodes(query) : query
  const filter = frame.within ? both(visible.filter, frame.within) : visible.filter
  const shown = outputsOf(entity, { ...visible, filter }, tables, { window: frame.distinct })
  return { rows: shown.page.map(rowOf), total: shown.total }

  function rowOf(values: readonly Json[]): Row {
    return Object.fromEntries(shown.names.map((name, index) => [name, values[index]!]))
  }
}

/** The values of a subquery's rows, in the order of its columns. */
export function subqueryRows(
  query: Query,
  tables: Tables,
  plans: 'hidden' | 'seen',
): readonly (readonly Json[])[] {
  const entity = query.entity ?? ''
  if (!isEntity(entity)) return []
  const { page } = outputsOf(entity, query, tables, { plans })
  const distinct = new Map(page.map((values) => [canonical(values), values]))
  return [...distinct.values()]
}

interface Manner {
  readonly window?: Window | null
  readonly plans?: 'hidden' | 'seen'
}

function outputsOf(
  entity: EntityName,
  query: Query,
  tables: Tables,
  { window = null, plans = 'hidden' }: Manner,
) {
  const columns = columnsOf(entity, query)
  const ofAgents = entity === 'reports' && plans === 'hidden'
  const condition = withoutAny(ofAgents ? agentReports(query.filter) : query.filter)
  const test = testOf(entity, window ? condition && certain(condition) : condition, tables, plans)
  const source = window ? distinctEvents(window, tables) : tables[entity]
  const rows = source.filter((row) => test(row) === true)
  const groups = groupsOf(entity, query, columns, rows)
  const sorted = sortGroups(entity, groups, query.paging.orderBy ?? [])
  const outputs = sorted.map((group) => columns.map((column) => valueOf(entity, column, group)))
  return {
    names: numbered(columns.map(({ name }) => name)),
    page: pageOf(outputs, query.paging),
    total: outputs.length,
  }
}

const columnsOf = (entity: EntityName, { columns }: Query): readonly QueryColumn[] =>
  columns !== null && columns.length > 0
    ? columns
    : shownFields(entity).map((name) => ({ kind: 'field', name }))

const isAggregate = (column: QueryColumn): boolean =>
  column.kind === 'function' && column.name !== 'to_string'

/** Rows that make one row of the answer together: all by themselves where nothing is grouped. */
function groupsOf(
  entity: EntityName,
  { groupBy }: Query,
  columns: readonly QueryColumn[],
  rows: readonly Row[],
): readonly (readonly Row[])[] {
  if (groupBy === null) return columns.some(isAggregate) ? [rows] : rows.map((row) => [row])
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = canonical(groupBy.map((column) => valueOf(entity, column, [row])))
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()]
}

const valueOf = (entity: EntityName, column: QueryColumn, group: readonly Row[]): Json =>
  column.kind === 'field' ? group[0]![column.name]! : functionValue(entity, column, group)

/** Ascending has nulls last, descending first. */
function sortGroups(
  entity: EntityName,
  groups: readonly (readonly Row[])[],
  keys: readonly SortKey[],
): readonly (readonly Row[])[] {
  return [...groups].sort((one, other) => {
    for (const { field, direction } of keys) {
      const kind = FIELDS[entity][field]!
      const order = compareNullsLast(kind, one[0]![field]!, other[0]![field]!)
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return 0
  })
}

/** A name that comes a second time comes as `name_2`. */
const numbered = (names: readonly string[]): string[] =>
  names.map((name, index) => {
    const times = names.slice(0, index + 1).filter((other) => other === name).length
    return times === 1 ? name : `${name}_${times}`
  })

export function pageOf<Item>(items: readonly Item[], { limit, offset }: Paging): readonly Item[] {
  const from = offset ?? 0
  return items.slice(from, limit === null ? undefined : from + limit)
}
