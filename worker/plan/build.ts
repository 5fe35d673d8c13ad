/** The planner: a query's tree, the entity it is asked of and the page that is asked for make a plan. */

import { QueryError } from '../lib/errors.ts'
import {
  NO_PAGING,
  WHOLE_ENTITY,
  type QueryColumn,
  type Filter,
  type Paging,
  type Query,
} from '../query/ast.ts'
import type { Entity } from '../schema/entities.ts'
import { planRowPolicy, refuseWide } from './filter.ts'
import { activeNodesOnly, both } from './implicit.ts'
import type { RowPolicy, NothingPlan, SelectPlan, Window } from './plan.ts'
import { planSelect } from './select.ts'
import { entityNamed } from './subquery.ts'

/** What an endpoint, beside the query itself, says of the rows it answers with. */
export interface Question {
  /** The entity's name. */
  readonly entity: string
  readonly query: Query
  /** From the path: the rows of one environment, one producer, one report. */
  readonly within: Filter | null
  /** From the URL; each of its parts wins over the query's own. */
  readonly paging: Paging
  /** Whether rows of deactivated and expired nodes are left out where the query doesn't speak of them. */
  readonly activeOnly: boolean
  /** Whether rows call the agent's version `puppet_version`. */
  readonly legacyNames: boolean
  readonly distinct: Window | null
  /** The rows that the reader may see; null for all. */
  readonly rowPolicy: RowPolicy | null
}

/** What a question asks that names nothing but its entity: all rows, in the entity's own order. */
const ALL_ROWS: Omit<Question, 'entity' | 'rowPolicy'> = {
  query: WHOLE_ENTITY,
  within: null,
  paging: NO_PAGING,
  activeOnly: false,
  legacyNames: false,
  distinct: null,
}

/**
 * Plans a question. Only its entity and the row policy must be given.
 *
 * @throws QueryError that says what of it can't be understood
 */
export function planQuestion(
  asked: Pick<Question, 'entity' | 'rowPolicy'> & Partial<Question>,
): SelectPlan | NothingPlan {
  const question: Question = { ...ALL_ROWS, ...asked }
  const entity = entityNamed(question.entity)
  if (entity === null) return planNothing(question.query)
  const query = complete(entity, question)
  refuseWide(query.filter)
  const plan = planSelect(entity, query, {
    projects: (field) => field.projectable,
    legacyNames: question.legacyNames,
    rowPolicy: question.rowPolicy,
  })
  const { distinct, rowPolicy } = question
  return { ...plan, distinct: distinct && { ...distinct, among: planRowPolicy(entity, rowPolicy) } }
}

/**
 * PuppetDB's rows begin with the functions, whatever the order they were asked in; where nothing is
 * grouped or aggregated, so that they can but be `to_string`, the last asked comes first.
 */
function functionsFirst(query: Query): readonly QueryColumn[] | null {
  if (query.columns === null) return null
  const functions = query.columns.filter(({ kind }) => kind === 'function')
  const fields = query.columns.filter(({ kind }) => kind === 'field')
  const plain = query.groupBy === null && functions.every(({ name }) => name === 'to_string')
  return [...(plain ? functions.reverse() : functions), ...fields]
}

function complete(entity: Entity, question: Question): Query {
  const { paging } = question.query
  const active = question.activeOnly && entity.certname !== null
  const query = active ? activeNodesOnly(question.query) : question.query
  return {
    ...query,
    columns: functionsFirst(query),
    filter: both(query.filter, question.within),
    paging: {
      limit: question.paging.limit ?? paging.limit,
      offset: question.paging.offset ?? paging.offset,
      orderBy: question.paging.orderBy ?? paging.orderBy,
    },
  }
}

/** Of an entity that holds nothing: a count of it is one row that says 0, anything else no row at all. */
function planNothing(query: Query): NothingPlan {
  const functions = (query.columns ?? []).filter((column) => column.kind === 'function')
  const aggregates = functions.filter(({ name }) => name !== 'to_string')
  if (query.groupBy || aggregates.length === 0) return { kind: 'nothing', rows: [] }
  if (functions.length !== query.columns!.length) {
    throw new QueryError("A column must appear in 'group_by' or be used in an aggregate function")
  }
  const row = Object.fromEntries(aggregates.map(({ name }) => [name, name === 'count' ? 0 : null]))
  return { kind: 'nothing', rows: [row] }
}
