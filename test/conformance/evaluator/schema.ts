/** The entities and their fields as the API documents them, for the evaluator alone: a second opinion on `worker/schema`. */

export type Kind =
  'text' | 'number' | 'boolean' | 'time' | 'path' | 'value' | 'parts' | 'latest report?'

export type EntityName = 'reports' | 'events' | 'nodes' | 'environments' | 'producers'

const of = (kind: Kind, names: string): Record<string, Kind> =>
  Object.fromEntries(names.split(' ').map((name) => [name, kind]))

export const FIELDS: Readonly<Record<EntityName, Readonly<Record<string, Kind>>>> = {
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

/** Entities of the catalog half: they can be asked about, and hold nothing. */
export const EMPTY = ['facts', 'factsets', 'resources', 'catalogs', 'inventory', 'edges'] as const

export const isEntity = (name: string): name is EntityName => Object.hasOwn(FIELDS, name)

/** Fields in the rows of an entity, in no order that means anything. */
export const shownFields = (entity: EntityName): string[] =>
  Object.keys(FIELDS[entity]).filter((name) => FIELDS[entity][name] !== 'latest report?')

/** Fields that a filter may name. */
export const askedFields = (entity: EntityName): string[] =>
  Object.keys(FIELDS[entity]).filter((name) => FIELDS[entity][name] !== 'parts')

/** Which field of the outer entity a `subquery` compares with which of the inner one. */
export function relationBetween(outer: EntityName, inner: string): [string, string] | null {
  const related: Readonly<Record<string, [string, string]>> = {
    'reports events': ['hash', 'report'],
    'events reports': ['report', 'hash'],
    'reports environments': ['environment', 'name'],
    'events environments': ['environment', 'name'],
    'reports producers': ['producer', 'name'],
    'environments reports': ['name', 'environment'],
    'environments events': ['name', 'environment'],
    'environments facts': ['name', 'environment'],
    'producers reports': ['name', 'producer'],
  }
  const own = related[`${outer} ${inner}`]
  if (own) return own
  const ofNodes = ['reports', 'events', 'nodes', 'facts', 'factsets', 'resources', 'catalogs']
  return ofNodes.includes(outer) && ofNodes.includes(inner) ? ['certname', 'certname'] : null
}
