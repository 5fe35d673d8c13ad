/** Random filters over the schema. */

import type { Json } from '../../../worker/lib/json.ts'
import { NO_PAGING, type Comparison, type Filter, type Query } from '../../../worker/query/ast.ts'
import {
  askedFields,
  EMPTY,
  FIELDS,
  relationBetween,
  type EntityName,
} from '../evaluator/schema.ts'
import type { Draw } from './draw.ts'
import { comparableColumns, domainOf } from './domains.ts'
import { LISTED, patternFor, valueFor, type Samples } from './values.ts'

export interface Making {
  readonly draw: Draw
  readonly samples: Samples
  /** Only what PuppetDB answers, and answers as we do: no deviation, no fault, nothing that differs by when it was loaded. */
  readonly common: boolean
  /** The older engine of aggregates and distinct events knows fewer operators. */
  readonly legacy: boolean
}

const ENTITIES = Object.keys(FIELDS) as EntityName[]
const field = (name: string) => ({ kind: 'field' as const, name })

/** Fields that the two servers fill or understand differently. */
const UNCOMMON = [
  'receive_time',
  'report_receive_time',
  'corrective_change',
  'latest_report_corrective_change',
  'deactivated',
  'expired',
  'catalog_timestamp',
  'facts_timestamp',
]

/** Fields that PuppetDB's older engine refuses, all or one of their operators. */
const UNKNOWN_OF_OLD = [
  'name',
  'containment_path',
  'configuration_version',
  'run_start_time',
  'run_end_time',
  'timestamp',
  'report',
]

export const fieldsFor = ({ common, legacy }: Making, names: readonly string[]): string[] =>
  names.filter(
    (name) => !common || !(UNCOMMON.includes(name) || (legacy && UNKNOWN_OF_OLD.includes(name))),
  )

/** A filter on rows of an entity, at most `depth` levels deep. */
export function filterFor(making: Making, entity: EntityName, depth: number): Filter {
  const { draw, legacy } = making
  const terms = (): Filter[] =>
    Array.from({ length: draw.one([1, () => 1], [8, () => 2], [5, () => 3], [1, () => 6]) }, () =>
      filterFor(making, entity, depth - 1),
    )
  const leaf = (): Filter => leafFor(making, entity, depth)
  if (depth <= 0) return leaf()
  return draw.one<Filter>(
    [5, leaf],
    [3, () => ({ kind: 'and', terms: terms() })],
    [3, () => ({ kind: 'or', terms: terms() })],
    [2, () => ({ kind: 'not', term: filterFor(making, entity, depth - 1) })],
    [legacy ? 0 : 3, () => subqueryFor(making, entity, depth - 1)],
    [legacy ? 0 : 2, () => relatedFor(making, entity, depth - 1) ?? leaf()],
  )
}

function leafFor(making: Making, entity: EntityName, depth: number): Filter {
  const { draw, common, legacy } = making
  const name = draw.pick(fieldsFor(making, askedFields(entity)))
  const kind = FIELDS[entity][name]!
  const listed = LISTED.includes(kind) && !(common && ['number', 'boolean', 'value'].includes(kind))
  const matched = ['text', 'path'].includes(kind) || (kind === 'value' && !common)
  const ordered = kind === 'number' || kind === 'time'
  const nullable = kind !== 'latest report?' && !(kind === 'value' && common)
  const stateful = 'certname' in FIELDS[entity] && depth > 0 && !legacy
  return draw.one<Filter>(
    [6, () => comparing('=', name, valueFor(making.draw, making.samples, entity, name))],
    [
      ordered && !(legacy && kind === 'number') ? 6 : 0,
      () =>
        comparing(
          draw.pick(['<', '<=', '>', '>='] as const),
          name,
          valueFor(draw, making.samples, entity, name),
        ),
    ],
    [matched ? 6 : 0, () => comparing('~', name, patternFor(draw, making.samples, entity, name))],
    [nullable && !legacy ? 2 : 0, () => nullTest(draw, name)],
    [listed && !legacy ? 3 : 0, () => listFor(making, entity, name)],
    [entity === 'reports' ? 1 : 0, () => typeTest(draw)],
    [stateful ? 1 : 0, () => stateTest(draw)],
  )
}

const comparing = (operator: Comparison, name: string, value: Json): Filter => ({
  kind: 'compare',
  operator,
  left: field(name),
  value,
})

/** `= null` asks what `null?` asks. */
const nullTest = (draw: Draw, name: string): Filter =>
  draw.chance(0.2)
    ? comparing('=', name, null)
    : { kind: 'null', left: field(name), value: draw.chance(0.5) }

const typeTest = (draw: Draw): Filter =>
  draw.chance(0.7)
    ? comparing('=', 'type', draw.pick(['any', 'plan', 'agent']))
    : comparing('~', 'type', draw.pick(['.', '^p', 'nt$']))

const stateTest = (draw: Draw): Filter =>
  draw.chance(0.5)
    ? comparing('=', 'node_state', draw.pick(['active', 'inactive', 'any']))
    : {
        kind: 'compare',
        operator: '=',
        left: { kind: 'state', name: 'active' },
        value: draw.chance(0.5),
      }

function listFor({ draw, samples }: Making, entity: EntityName, name: string): Filter {
  const count = draw.one([1, () => 0], [4, () => 1], [6, () => draw.between(2, 5)], [1, () => 40])
  const values = Array.from({ length: count }, () => valueFor(draw, samples, entity, name))
  return { kind: 'in-list', left: [field(name)], values }
}

/** `in` with a subquery; mostly of columns that mean the same, so that something is found. */
function subqueryFor(making: Making, entity: EntityName, depth: number): Filter {
  const { draw, common } = making
  const inner = draw.pick(ENTITIES)
  const names = draw
    .some(fieldsFor(making, askedFields(entity)), 2)
    .sort((one) => (domainOf(entity, one) ? -1 : 1))
  const pairs = names.flatMap((name) => {
    const columns = fieldsFor(making, comparableColumns(entity, name, inner, draw.chance(0.85)))
    return columns.length === 0 ? [] : [[name, draw.pick(columns)] as const]
  })
  // PuppetDB fails on a column that is there twice.
  const twice = new Set(pairs.map(([, column]) => column)).size < pairs.length
  if (pairs.length === 0 || (common && twice)) return leafFor(making, entity, depth)
  const columns = pairs.map(([, name]) => field(name))
  const style = draw.pick(['from', 'select'] as const)
  // PuppetDB fails on a subquery that is all of an entity.
  const filter = common || draw.chance(0.8) ? filterFor(making, inner, depth) : null
  const limited = style === 'from' && draw.chance(0.2)
  const query: Query = {
    entity: inner,
    columns,
    filter,
    groupBy: style === 'from' && !limited && !common && draw.chance(0.05) ? columns : null,
    paging: limited
      ? {
          limit: draw.between(1, 10),
          offset: draw.chance(0.3) ? draw.between(0, 5) : null,
          orderBy: columns.map(({ name }) => ({
            field: name,
            direction: draw.pick(['asc', 'desc'] as const),
          })),
        }
      : NO_PAGING,
    style,
  }
  return { kind: 'in-query', left: pairs.map(([name]) => field(name)), query }
}

function relatedFor(making: Making, entity: EntityName, depth: number): Filter | null {
  const { draw, common } = making
  const related = ENTITIES.filter((name) => name !== entity && relationBetween(entity, name))
  const empty = EMPTY.filter((name) => relationBetween(entity, name))
  if (empty.length > 0 && draw.chance(0.1)) {
    const nobody = comparing('=', 'certname', 'nobody')
    return { kind: 'related', entity: draw.pick(empty), filter: nobody }
  }
  if (related.length === 0) return null
  const inner = draw.pick(related)
  const filter = common || draw.chance(0.85) ? filterFor(making, inner, depth) : null
  return { kind: 'related', entity: inner, filter }
}
