/** Event counts by node out of the numbers that stand beside each report, where the filter asks nothing of single events. */

import { sql, type SQL } from 'drizzle-orm'
import type { CountName, CountsPlan, Predicate } from '../plan/plan.ts'
import { ENTITIES, fieldOf, type Field } from '../schema/entities.ts'
import { nodes, reports } from '../schema/tables.ts'
import { predicate, type Matches, type Survivors } from './predicate.ts'

const REPORTS = ENTITIES.get('reports')!

/** Fields of an event that are its report's, by the names they have there. */
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

/** One row a node: k0, its certname, and the four numbers. Null where single events must be looked at. */
export function sumsByNode(plan: CountsPlan, matches: Matches): SQL | null {
  if (plan.countBy !== 'resource' || plan.distinct) return null
  const survivors = new Map(matches)
  const where = ofReports(plan.where, survivors)
  if (where === null) return null
  const numbers = Object.entries(SUMS).map(([name, sum]) => sql`${sum} as ${sql.identifier(name)}`)
  return sql`select (select target.certname from ${nodes} as target where target.id = ${reports.node}) as k0, ${sql.join(numbers, sql`, `)}
    from ${reports} where ${predicate(REPORTS, where, survivors)} and ${reports.events} > 0 group by ${reports.node}`
}

/** The same condition on reports; null where it can't be said of them. */
function ofReports(where: Predicate, survivors: Map<Predicate, Survivors>): Predicate | null {
  switch (where.kind) {
    case 'and':
    case 'or': {
      const terms = where.terms.map((term) => ofReports(term, survivors))
      return terms.includes(null) ? null : { ...where, terms: terms as Predicate[] }
    }
    case 'not': {
      const term = ofReports(where.term, survivors)
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
      const said = { ...where, field }
      const found = survivors.get(where)
      if (found) survivors.set(said, found)
      return said
    }
  }
}

const reportField = ({ name }: Field): Field | null =>
  Object.hasOwn(REPORT_FIELDS, name) ? (fieldOf(REPORTS, REPORT_FIELDS[name]!) ?? null) : null
