/** Which fields of different entities hold the same things, so that comparing them finds something. */

import { askedFields, FIELDS, type EntityName } from '../evaluator/schema.ts'

const DOMAINS: Readonly<Record<string, readonly string[]>> = {
  node: ['reports certname', 'events certname', 'nodes certname'],
  report: ['reports hash', 'events report', 'nodes latest_report_hash'],
  environment: [
    'reports environment',
    'events environment',
    'environments name',
    'nodes report_environment',
    'nodes catalog_environment',
    'nodes facts_environment',
  ],
  producer: ['reports producer', 'producers name'],
  status: ['reports status', 'nodes latest_report_status'],
  job: ['reports job_id', 'nodes latest_report_job_id'],
  cached: ['reports cached_catalog_status', 'nodes cached_catalog_status'],
  configuration: ['reports configuration_version', 'events configuration_version'],
  start: ['reports start_time', 'events run_start_time'],
  end: ['reports end_time', 'events run_end_time', 'nodes report_timestamp'],
  noop: ['reports noop', 'nodes latest_report_noop'],
}

/** What a field holds, where fields of other entities hold the same. */
export const domainOf = (entity: EntityName, name: string): string | undefined =>
  Object.keys(DOMAINS).find((domain) => DOMAINS[domain]!.includes(`${entity} ${name}`))

/** Columns of the inner entity that a field of the outer one can be compared with; all of its kind where nothing means the same. */
export function comparableColumns(
  outer: EntityName,
  name: string,
  inner: EntityName,
  alike: boolean,
): string[] {
  const kind = FIELDS[outer][name]
  if (kind === 'latest report?' || kind === 'path' || kind === 'value') return []
  const ofKind = askedFields(inner).filter((other) => FIELDS[inner][other] === kind)
  const domain = domainOf(outer, name)
  const same = ofKind.filter((other) => domain !== undefined && domainOf(inner, other) === domain)
  return alike && domain !== undefined ? same : ofKind
}
