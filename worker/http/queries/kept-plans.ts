/**
 * Keeps the plans of queries: dashboards, exporters and scripts ask the same few again and again. Parsing, planning and
 * printing the SQL of a small query take longer than SQLite does to answer it.
 */

import type { KeptSql } from '../../answer/ask.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Query } from '../../query/ast.ts'
import type { QueryRequest } from './request.ts'

/** A query, its plan, and its SQL. */
export interface PlannedQuery extends KeptSql {
  readonly query: Query
  readonly plan: Plan
}

/** Bounds what is kept: a plan takes 12 to 35 KB with the SQL that is made of it, more for a longer URL. */
const MOST_PLANS = 60
const LONGEST_URL = 1000

/** By URL, least recently used first. */
const plans = new Map<string, PlannedQuery>()

/**
 * The URL, where a plan follows from it alone; null for a plan that a row policy is part of, and for a query in a body.
 */
function nameOf({ call, rowPolicy }: QueryRequest): string | null {
  const { method, url } = call.req.raw
  return rowPolicy !== null || method === 'POST' || url.length > LONGEST_URL ? null : url
}

/** The plan that was kept for the same request; null where there is none. */
export function keptPlan(request: QueryRequest): PlannedQuery | null {
  const name = nameOf(request)
  const kept = name === null ? undefined : plans.get(name)
  if (kept === undefined) return null
  plans.delete(name!)
  plans.set(name!, kept)
  return kept
}

/** Keeps a plan for the same request. */
export function keepPlan(request: QueryRequest, planned: PlannedQuery): void {
  const name = nameOf(request)
  if (name === null) return
  if (plans.size >= MOST_PLANS) plans.delete(plans.keys().next().value!)
  plans.set(name, planned)
}
