/** The view of a panel: a scope whose conditions are planned and compiled once. */

import type { SQL } from 'drizzle-orm'
import { allOf, planFilter, planRowPolicy } from '../plan/filter.ts'
import { agentReportsOnly, both, elideAny } from '../plan/implicit.ts'
import type { Predicate, RowPolicy } from '../plan/plan.ts'
import { comparison, type Filter } from '../query/ast.ts'
import { ENTITIES } from '../schema/entities.ts'
import { HOUR_DIMENSIONS, reports } from '../schema/tables.ts'
import { evaluatePatterns } from '../sql/patterns.ts'
import { predicate } from '../sql/predicate.ts'
import { fieldsTested } from '../sql/source.ts'
import type { Database } from '../store/database.ts'
import { freshDictionaryReader } from '../store/dictionary-reader.ts'
import type { View } from '../outcomes/view.ts'
import type { InsightScope } from './scope.ts'

export type { View }

const REPORTS = ENTITIES.get('reports')!

/** Fields of reports that the rows of nodes also hold, and fields that hours are counted by and that are never null. */
const OF_NODES: ReadonlySet<string> = new Set(['certname', 'environment', 'type'])
const OF_CERTNAMES: ReadonlySet<string> = new Set(['certname', 'type'])
const OF_ENVIRONMENTS: ReadonlySet<string> = new Set(['environment', 'type'])
const OF_HOURS: ReadonlySet<string> = new Set(
  HOUR_DIMENSIONS.map((property) => reports[property])
    .filter(({ notNull }) => notNull)
    .map(({ name }) => name),
)

/** @throws QueryError where the filter or the row policy can't be understood */
export async function viewOf(database: Database, scope: InsightScope): Promise<View> {
  const filter = both(inEnvironment(scope.environment), scope.filter)
  const where = planned(filter, scope.rowPolicy)
  const rowPolicy = planned(null, scope.rowPolicy)
  const levels = [where, rowPolicy].map((one) => ({ entity: REPORTS, where: one }))
  const { matches } = await evaluatePatterns(levels, freshDictionaryReader(database))
  const compiled = (one: Predicate): SQL => predicate(REPORTS, one, matches)
  const fields = fieldsOf(where)
  // A filter that names the type may ask for other reports than agents'.
  const ofAgents = agentReportsOnly(filter) !== filter
  const ofEnvironments = (one: Predicate): boolean =>
    fieldsOf(one).every((name) => OF_ENVIRONMENTS.has(name))
  return {
    since: scope.since,
    until: scope.until,
    now: scope.now,
    silentAfter: scope.silentAfter,
    environment: scope.environment,
    nodeGroup: scope.nodeGroup,
    where: compiled(where),
    ofAll: fields.every((name) => name === 'type'),
    ofNodes: fields.every((name) => OF_NODES.has(name)),
    ofHours: fields.every((name) => OF_HOURS.has(name)),
    ofEnvironments: ofAgents && ofEnvironments(where),
    policyOfEnvironments: ofEnvironments(rowPolicy),
    restricted: scope.rowPolicy !== null,
    hidesRuns: !fieldsOf(rowPolicy).every((name) => OF_CERTNAMES.has(name)),
    rowPolicy: compiled(rowPolicy),
  }
}

/** Condition for agent reports that match the filter and are visible. */
const planned = (filter: Filter | null, rowPolicy: RowPolicy | null): Predicate =>
  allOf(
    planFilter(REPORTS, elideAny(agentReportsOnly(filter)), rowPolicy),
    planRowPolicy(REPORTS, rowPolicy),
  )

const inEnvironment = (name: string | null): Filter | null =>
  name === null ? null : comparison('environment', name)

/** Names of the fields of its own rows that a condition tests. */
const fieldsOf = (where: Predicate): readonly string[] =>
  fieldsTested(where).map(({ name }) => name)
