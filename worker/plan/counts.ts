/** Plans event counts and their aggregates: what is counted, by which subject, and which subjects are left. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { doubleOf, isNumber } from '../lib/lossless.ts'
import { suggestion } from '../lib/nearest.ts'
import type { Filter, Paging, SortKey } from '../query/ast.ts'
import { ENTITIES } from '../schema/entities.ts'
import { quotedValue } from '../schema/kinds.ts'
import { allOf, planRowPolicy, planFilter } from './filter.ts'
import { anyTypeWithin, elideAny } from './implicit.ts'
import type {
  CountName,
  CountsFilter,
  CountsOrder,
  CountsPlan,
  RowPolicy,
  Summary,
  Window,
} from './plan.ts'
import { refuseWide } from './width.ts'

/** The columns that each summary groups by, as `order_by` names them. */
const SUMMARY_COLUMNS: Readonly<Record<Summary, readonly string[]>> = {
  certname: ['certname'],
  resource: ['resource_type', 'resource_title'],
  containing_class: ['containing_class'],
}
const COUNTS: readonly CountName[] = ['failures', 'skips', 'successes', 'noops']
const OPERATORS: readonly CountsFilter['operator'][] = ['=', '<', '>', '<=', '>=']

export interface CountsQuestion {
  readonly aggregate: boolean
  readonly summarizeBy: string
  readonly countBy: string | null
  readonly countsFilter: Json
  readonly filter: Filter | null
  readonly distinct: Window | null
  readonly paging: Paging
  /** The rows that the reader may see; null for all. */
  readonly rowPolicy: RowPolicy | null
}

/**
 * Plans a question of counts.
 *
 * @throws QueryError that lists what is wrong with the query
 */
export function planCounts(question: CountsQuestion): CountsPlan {
  const entity = ENTITIES.get('events')!
  const summaries = summariesOf(question)
  const { distinct, rowPolicy } = question
  refuseWide({ columns: null, filter: question.filter, groupBy: null })
  const written = elideAny(question.filter && anyTypeWithin(question.filter))
  const seen = planRowPolicy(entity, rowPolicy)
  return {
    kind: 'counts',
    summaries,
    aggregate: question.aggregate,
    countBy: countByOf(question.countBy),
    entity,
    where: allOf(planFilter(entity, written, rowPolicy), seen),
    having: countsFilterOf(question.countsFilter),
    order: (question.paging.orderBy ?? []).map((key) => orderOf(key, summaries[0]!)),
    limit: question.paging.limit,
    offset: question.paging.offset ?? 0,
    distinct: distinct && { ...distinct, among: seen },
  }
}

/** Aggregates accept a list of summaries, counts a single one. PuppetDB accepts no blank after the comma. */
function summariesOf({ aggregate, summarizeBy }: CountsQuestion): Summary[] {
  const names = aggregate ? summarizeBy.replace(/,+$/, '').split(',') : [summarizeBy]
  return names.map((name) => {
    if (Object.hasOwn(SUMMARY_COLUMNS, name)) return name as Summary
    const hint = suggestion(name, Object.keys(SUMMARY_COLUMNS))
    // PuppetDB's sentence has no full stop.
    throw new QueryError(
      `Unsupported value for 'summarize_by': '${name}'${hint === '' ? '' : `.${hint}`}`,
    )
  })
}

function countByOf(name: string | null): 'resource' | 'certname' {
  if (name === null || name === 'resource') return 'resource'
  if (name === 'certname') return name
  throw new QueryError(`Unsupported value for 'count_by': '${name}'`)
}

function countsFilterOf(filter: Json): CountsFilter | null {
  if (filter === null || (Array.isArray(filter) && filter.length === 0)) return null
  if (!Array.isArray(filter) || filter.length !== 3) {
    throw new QueryError(
      `${quotedValue(filter)} isn't a counts_filter: it must be [operator, count, number]`,
    )
  }
  const [operator, count, value] = filter as readonly Json[]
  if (!OPERATORS.includes(operator as never)) {
    throw new QueryError(
      `Operator ${quotedValue(operator ?? null)} is not supported in counts_filter: it takes ${OPERATORS.join(' ')}`,
    )
  }
  if (!COUNTS.includes(count as never)) {
    throw new QueryError(
      `${String(count)} is not a queryable object for event counts.${suggestion(String(count), COUNTS)}`,
    )
  }
  if (!isNumber(value)) {
    throw new QueryError(`Argument ${quotedValue(value ?? null)} of counts_filter is not a number`)
  }
  return {
    operator: operator as CountsFilter['operator'],
    count: count as CountName,
    value: doubleOf(value),
  }
}

function orderOf({ field, direction }: SortKey, summary: Summary): CountsOrder {
  if (COUNTS.includes(field as never)) return { key: field as CountName, direction }
  const index = SUMMARY_COLUMNS[summary].indexOf(field)
  if (index >= 0) return { key: { index }, direction }
  const sortable = [...COUNTS, ...SUMMARY_COLUMNS[summary]]
  throw new QueryError(
    `Unrecognized column '${field}' specified in :order_by; Supported columns are ${sortable.map((name) => `'${name}'`).join(', ')}.${suggestion(field, sortable)}`,
  )
}
