/** The fields of PuppetDB's entities, as its documentation has them. */

import { FIELDS, type EntityName, type Kind } from './evaluator/schema.ts'

const of = (kind: Kind, names: string): Record<string, Kind> =>
  Object.fromEntries(names.split(' ').map((name) => [name, kind]))

export const DOCUMENTED: Readonly<Record<EntityName, Readonly<Record<string, Kind>>>> = {
  reports: {
    ...of('text', 'hash certname puppet_version configuration_version transaction_uuid'),
    ...of('text', 'catalog_uuid code_id cached_catalog_status status environment'),
    ...of('text', 'producer job_id type'),
    ...of('number', 'report_format'),
    ...of('time', 'start_time end_time producer_timestamp receive_time'),
    ...of('boolean', 'noop noop_pending corrective_change'),
    ...of('parts', 'metrics logs resource_events'),
    ...of('latest report?', 'latest_report?'),
  },
  events: {
    ...of('text', 'certname report configuration_version environment status resource_type'),
    ...of('text', 'resource_title property name message file containing_class'),
    ...of('time', 'run_start_time run_end_time report_receive_time timestamp'),
    ...of('value', 'new_value old_value'),
    ...of('number', 'line'),
    ...of('path', 'containment_path'),
    ...of('boolean', 'corrective_change'),
    ...of('latest report?', 'latest_report?'),
  },
  nodes: {
    ...of('text', 'certname catalog_environment facts_environment report_environment'),
    ...of('text', 'latest_report_hash latest_report_status latest_report_job_id'),
    ...of('text', 'cached_catalog_status'),
    ...of('time', 'deactivated expired catalog_timestamp facts_timestamp report_timestamp'),
    ...of('boolean', 'latest_report_noop latest_report_noop_pending'),
    ...of('boolean', 'latest_report_corrective_change'),
  },
  environments: of('text', 'name'),
  producers: of('text', 'name'),
}

const DOCUMENTED_NAMES = new Set(Object.values(DOCUMENTED).flatMap(Object.keys))

/** Fields of our own, which PuppetDB's recorded answers can't hold. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(
  Object.values(FIELDS)
    .flatMap(Object.keys)
    .filter((name) => !DOCUMENTED_NAMES.has(name)),
)
