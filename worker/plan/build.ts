/** The planner: makes a plan of a query's tree, its entity and its page. */

import { QueryError } from '../lib/errors.ts'
import {
  NO_PAGING,
  WHOLE_ENTITY,
  type QueryColumn,
  type Filter,
  type Paging,
  type Query,
} from '../query/ast.ts'
import { NODES_WITH_EXPIRATION } from '../schema/entities.ts'
import type { Entity } from '../schema/entity.ts'
import { planRowPolicy } from './filter.ts'
import { activeNodesOnly, both } from './implicit.ts'
import type { RowPolicy, NothingPlan, SelectPlan, Window } from './plan.ts'
import { planSelect } from './select.ts'
import { entityNamed, complaintOf, FieldError } from './names.ts'
import { refuseWide } from './width.ts'

/** A question to the planner: the query, and what its endpoint determines. */
export interface Question {
  /** The entity's name. */
  readonly entity: string
  readonly query: Query
  /** From the path: a filter for the rows of one environment, producer or report. */
  readonly within: Filter | null
  /** From the URL; each part takes precedence over the query's own. */
  readonly paging: Paging
  /** Whether rows of deactivated and expired nodes are left out, unless the query mentions the state of nodes. */
  readonly activeOnly: boolean
  /** Whether nodes have the fields about the expiration of their facts. */
  readonly factsExpiration: boolean
  /** Whether the agent's version is named `puppet_version`. */
  readonly legacyNames: boolean
  readonly distinct: Window | null
  /** The rows that the reader may see; null for all. */
  readonly rowPolicy: RowPolicy | null
}

/** The defaults of a question: all rows of the entity, in its own order. */
const ALL_ROWS: Omit<Question, 'entity' | 'rowPolicy'> = {
  query: WHOLE_ENTITY,
  within: null,
  paging: NO_PAGING,
  activeOnly: false,
  factsExpiration: false,
  legacyNames: false,
  distinct: null,
}

/**
 * Plans a question. Only the entity and the row policy are required.
 *
 * @throws QueryError that lists what is wrong with the query
 */
export function planQuestion(
  input: Pick<Question, 'entity' | 'rowPolicy'> & Partial<Question>,
): SelectPlan | NothingPlan {
  const question: Question = { ...ALL_ROWS, ...input }
  const named = entityNamed(question.entity)
  const entity = named?.name === 'nodes' && question.factsExpiration ? NODES_WITH_EXPIRATION : named
  if (entity === null) return planNothing(question.query)
  const query = complete(entity, question)
  refuseWide(query)
  const { distinct, legacyNames, rowPolicy } = question
  const plan = inNamesOf(question, () =>
    planSelect(entity, query, {
      projects: (field) => field.projectable,
      legacyNames,
      rowPolicy,
    }),
  )
  return { ...plan, distinct: distinct && { ...distinct, among: planRowPolicy(entity, rowPolicy) } }
}

/** Sentences name fields as rows do. */
function inNamesOf<Plan>({ legacyNames }: Question, plan: () => Plan): Plan {
  try {
    return plan()
  } catch (error) {
    throw error instanceof FieldError ? new QueryError(complaintOf(error, legacyNames)) : error
  }
}

/**
 * PuppetDB's rows begin with the functions, in any query. Without groups and aggregates, so that the
 * functions can only be `to_string`, they are in reverse order.
 */
function functionsFirst(query: Query): readonly QueryColumn[] | null {
  if (query.columns === null) return null
  const functions = query.columns.filter(({ kind }) => kind === 'function')
  const fields = query.columns.filter(({ kind }) => kind === 'field')
  const areRows = query.groupBy === null && functions.every(({ name }) => name === 'to_string')
  return [...(areRows ? functions.reverse() : functions), ...fields]
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

/** The plan of an entity without rows: a count is one row that says 0, every other query has no row. */
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
