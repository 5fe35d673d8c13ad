/** Random queries: a filter, what is projected or grouped of the rows, and a page of them. */

import type { QueryColumn, Filter, Paging, Query, SortKey } from '../../../worker/query/ast.ts'
import { NUMBER_MASK, TIME_MASKS } from '../evaluator/functions.ts'
import { askedFields, FIELDS, shownFields, type EntityName } from '../evaluator/schema.ts'
import { fieldsFor, filterFor, type Making } from './filters.ts'

/** The field that tells rows of an entity apart; events have none. */
const UNIQUE: Readonly<Record<EntityName, string | null>> = {
  reports: 'hash',
  events: null,
  nodes: 'certname',
  environments: 'name',
  producers: 'name',
}

/** A filter as the older engine takes it, or none. */
export const legacyFilter = (making: Making): Filter | null =>
  making.draw.chance(0.8)
    ? filterFor({ ...making, legacy: true }, 'events', making.draw.between(0, 2))
    : null

/** A query of an entity. */
export function queryFor(making: Making, entity: EntityName): Query {
  const { draw } = making
  const filter = draw.chance(0.85) ? filterFor(making, entity, draw.between(0, 3)) : null
  const projection = draw.one<Pick<Query, 'columns' | 'groupBy'>>(
    [2, () => ({ columns: null, groupBy: null })],
    [6, () => ({ columns: plainColumns(making, entity), groupBy: null })],
    [1, () => ({ columns: aggregates(making, entity, 3), groupBy: null })],
    [3, () => groupedColumns(making, entity)],
  )
  const paging = pagingFor(making, entity, projection)
  return { entity: null, filter, paging, style: 'from', ...projection }
}

const field = (name: string): QueryColumn => ({ kind: 'field', name })

const plainColumns = (making: Making, entity: EntityName): QueryColumn[] => [
  ...making.draw.some(shownFields(entity), 4).map(field),
  ...(making.draw.chance(0.1) ? [toString(making, entity)].flatMap((one) => one ?? []) : []),
]

const ofKinds = (making: Making, entity: EntityName, kinds: readonly string[]): string[] =>
  fieldsFor(making, shownFields(entity)).filter((name) => kinds.includes(FIELDS[entity][name]!))

/** Calls of different functions: PuppetDB answers two of the same name with one. */
function aggregates(making: Making, entity: EntityName, most: number): QueryColumn[] {
  const { draw } = making
  const call = (name: string, kinds: readonly string[]): QueryColumn[] => {
    const names = ofKinds(making, entity, kinds)
    return names.length === 0 ? [] : [{ kind: 'function', name, arguments: [draw.pick(names)] }]
  }
  const makers = [
    (): QueryColumn[] => [{ kind: 'function', name: 'count', arguments: [] }],
    () => call('count', ['text', 'time', 'number', 'boolean']),
    () => call('min', ['text', 'time', 'number']),
    () => call('max', ['text', 'time', 'number']),
    () => call('avg', ['number']),
    () => call('sum', ['number']),
  ]
  const made = draw.some(makers, most).flatMap((make) => make())
  const distinct = made.filter(
    ({ name }, index) => made.findIndex((other) => other.name === name) === index,
  )
  return distinct.length > 0 ? distinct : [{ kind: 'function', name: 'count', arguments: [] }]
}

function toString(making: Making, entity: EntityName): QueryColumn | null {
  const { draw } = making
  const names = ofKinds(making, entity, ['time', 'number'])
  if (names.length === 0) return null
  const name = draw.pick(names)
  const mask = FIELDS[entity][name] === 'time' ? draw.pick(TIME_MASKS) : NUMBER_MASK
  return { kind: 'function', name: 'to_string', arguments: [name, mask] }
}

function groupedColumns(making: Making, entity: EntityName) {
  const { draw, common } = making
  const kinds = ['text', 'number', 'boolean', 'time', ...(common ? [] : ['path', 'value'])]
  const names = draw.some(ofKinds(making, entity, kinds), 2).map(field)
  const text = draw.chance(0.25) ? toString(making, entity) : null
  const groupBy = text ? [...names.slice(0, 1), text] : names
  const shown = common || draw.chance(0.9) ? groupBy : groupBy.slice(0, -1)
  const calls = draw.chance(0.85) || shown.length === 0 ? aggregates(making, entity, 2) : []
  return { columns: [...calls, ...shown], groupBy }
}

/**
 * An order, and a page where the order leaves no doubt which rows it holds: the keys tell rows apart,
 * or rows that they don't tell apart look the same.
 */
function pagingFor(
  making: Making,
  entity: EntityName,
  { columns, groupBy }: Pick<Query, 'columns' | 'groupBy'>,
): Paging {
  const { draw } = making
  const none: Paging = { limit: null, offset: null, orderBy: null }
  const plain = (list: readonly QueryColumn[]): string[] =>
    list.filter(({ kind }) => kind === 'field').map(({ name }) => name)
  if (columns?.some(({ kind }) => kind === 'function') && groupBy === null) return none
  if (draw.chance(0.45)) return none
  const sortable = fieldsFor(making, askedFields(entity)).filter(
    (name) =>
      FIELDS[entity][name] !== 'latest report?' &&
      !(making.common && FIELDS[entity][name] === 'value'),
  )
  const shown = (columns ? plain(columns) : shownFields(entity)).filter((name) =>
    sortable.includes(name),
  )
  const directed = (name: string): SortKey => ({
    field: name,
    direction: draw.pick(['asc', 'desc'] as const),
  })
  const keys = groupBy ? plain(groupBy).filter((name) => shown.includes(name)) : shown
  if (keys.length === 0) return none
  const first = draw.some(keys, 3)
  const unique = groupBy ? null : UNIQUE[entity]
  const every = [...new Set([...first, ...keys])]
  const all = groupBy ? groupBy.length : (columns?.length ?? Infinity)
  const orderBy = (unique ? [...new Set([...first, unique])] : every).map(directed)
  if (!unique && every.length < all) return { ...none, orderBy: first.map(directed) }
  return {
    limit: draw.chance(0.7) ? draw.between(1, 30) : null,
    offset: draw.chance(0.3) ? draw.between(0, 20) : null,
    orderBy,
  }
}
