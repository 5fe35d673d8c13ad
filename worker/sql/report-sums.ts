/** Event counts by node from the counters in each report's row, where the filter does not depend on single events. */

import { sql, type SQL } from 'drizzle-orm'
import type { CountName, CountsPlan, Predicate } from '../plan/plan.ts'
import { ENTITIES } from '../schema/entities.ts'
import { fieldOf, type Field } from '../schema/entity.ts'
import { nodes, reports } from '../schema/tables.ts'
import type { Matches, PatternMatches } from './matches.ts'
import { predicate } from './predicate.ts'

const REPORTS = ENTITIES.get('reports')!

/** Fields of events that belong to their report, and the names that reports have for them. */
const REPORT_FIELDS: Readonly<Record<string, string>> = {
  certname: 'certname',
  report: 'hash',
  configuration_version: 'configuration_version',
  environment: 'environment',
  run_start_time: 'start_time',
  run_end_time: 'end_time',
  report_receive_time: 'receive_time',
  'latest_report?': 'latest_report?',
}

const SUMS: Readonly<Record<CountName, SQL>> = {
  failures: sql`sum(${reports.failures})`,
  skips: sql`sum(${reports.skips})`,
  successes: sql`sum(${reports.successes})`,
  noops: sql`sum(${reports.noops})`,
}

/** One row per node: k0, its certname, and the four numbers. Null where the query depends on single events. */
export function sumsByNode(plan: CountsPlan, matches: Matches): SQL | null {
  if (plan.countBy !== 'resource' || plan.distinct) return null
  const matched = new Map(matches)
  const where = ofReports(plan.where, matched)
  if (where === null) return null
  const numbers = Object.entries(SUMS).map(([name, sum]) => sql`${sum} as ${sql.identifier(name)}`)
  return sql`select (select target.certname from ${nodes} as target where target.id = ${reports.node}) as k0, ${sql.join(numbers, sql`, `)}
    from ${reports} where ${predicate(REPORTS, where, matched)} and ${reports.events} > 0 group by ${reports.node}`
}

/** The same condition on reports; null where reports cannot express it. */
function ofReports(where: Predicate, matched: Map<Predicate, PatternMatches>): Predicate | null {
  switch (where.kind) {
    case 'and':
    case 'or': {
      const terms = where.terms.map((term) => ofReports(term, matched))
      return terms.includes(null) ? null : { ...where, terms: terms as Predicate[] }
    }
    case 'not': {
      const term = ofReports(where.term, matched)
      return term && { ...where, term }
    }
    case 'always':
      return where
    case 'within': {
      const fields = where.fields.map(reportField)
      return fields.includes(null) ? null : { ...where, fields: fields as Field[] }
    }
    default: {
      const field = reportField(where.field)
      if (field === null) return null
      const onReport = { ...where, field }
      const found = matched.get(where)
      if (found) matched.set(onReport, found)
      return onReport
    }
  }
}

const reportField = ({ name }: Field): Field | null =>
  Object.hasOwn(REPORT_FIELDS, name) ? (fieldOf(REPORTS, REPORT_FIELDS[name]!) ?? null) : null
