/** The entities of the query API and their fields, in the order of answers. */

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Entity, Field } from './entity.ts'
import { eventFields } from './event-fields.ts'
import type { KindName } from './kinds.ts'
import { reportFields, type ReportField } from './report-fields.ts'
import type { StoredField } from './stored-field.ts'
import type { Storage, Target } from './storage.ts'
import type { StringKind } from './string-kinds.ts'
import { events, nodes, reports, resources, strings } from './tables.ts'

type Options = Partial<Pick<Field, 'alias' | 'nullable' | 'queryable' | 'projectable'>>

const NEVER_NULL: Options = { nullable: false }

const field = (name: string, kind: KindName, storage: Storage, options: Options = {}): Field => ({
  name,
  kind,
  nullable: true,
  storage,
  queryable: true,
  projectable: true,
  ...options,
})
const text = (name: string, column: SQLiteColumn, options?: Options) =>
  field(name, 'string', { form: 'plain', column }, options)
const time = (name: string, column: SQLiteColumn, options?: Options) =>
  field(name, 'timestamp', { form: 'plain', column }, options)
const value = (name: string, column: SQLiteColumn) => field(name, 'value', { form: 'json', column })
const reference = (
  name: string,
  column: SQLiteColumn,
  target: Target,
  joined?: SQLiteColumn,
  options?: Options,
) =>
  field(
    name,
    'string',
    { form: 'reference', column, target, ...(joined ? { joined } : {}) },
    options,
  )
const expanded = (part: 'logs' | 'metrics' | 'resource_events') =>
  field(part, 'expanded', { form: 'expanded', part }, { nullable: false, queryable: false })
const latest = (column: SQLiteColumn) =>
  field('latest_report?', 'truth', { form: 'latest', column }, { projectable: false })

const entity = (parts: Omit<Entity, 'certname'>): Entity => ({
  ...parts,
  certname: parts.fields.find((one) => one.name === 'certname') ?? null,
})

/** The query field of a field that senders send (stored-field.ts). */
const sentField = (
  { name, alias, kind, nullable, stored }: StoredField,
  column: SQLiteColumn,
): Field =>
  field(name, kind, storageOf(stored, column), {
    nullable,
    ...(alias === undefined ? {} : { alias }),
  })

function storageOf(stored: StoredField['stored'], column: SQLiteColumn): Storage {
  switch (stored.form) {
    case 'key':
      return { form: 'key', column: reports.id, exact: column }
    case 'reference':
      return { form: 'reference', column, target: stored.target }
    case 'code':
      return { form: 'code', column, codes: stored.codes }
    default:
      return { form: stored.form, column }
  }
}

/** The fields of a report that another entity has too, under that entity's names. @param optional whether rows exist without a report */
const ofReports = (
  nameOf: (sent: ReportField) => string | undefined,
  { optional }: { readonly optional: boolean },
): Field[] =>
  reportFields.flatMap(([property, sent]) => {
    const name = nameOf(sent)
    if (name === undefined) return []
    const nullable = optional || sent.nullable
    return [field(name, sent.kind, storageOf(sent.stored, reports[property]), { nullable })]
  })

/** Sorts fields in PuppetDB's order; fields that PuppetDB lacks come last. */
function inOrder(order: readonly string[], fields: readonly Field[]): Field[] {
  const placeOf = ({ name }: Field): number => {
    const place = order.indexOf(name)
    return place < 0 ? order.length : place
  }
  return fields.toSorted((one, other) => placeOf(one) - placeOf(other))
}

const REPORT_ORDER = [
  'catalog_uuid',
  'receive_time',
  'producer',
  'hash',
  'transaction_uuid',
  'agent_version',
  'noop',
  'corrective_change',
  'logs',
  'report_format',
  'start_time',
  'producer_timestamp',
  'type',
  'cached_catalog_status',
  'end_time',
  'resource_events',
  'status',
  'configuration_version',
  'environment',
  'code_id',
  'noop_pending',
  'certname',
  'metrics',
  'job_id',
  'latest_report?',
]
const REPORTS = entity({
  name: 'reports',
  base: reports,
  joins: [],
  key: [reports.id],
  keyDirection: 'desc',
  fields: inOrder(REPORT_ORDER, [
    ...reportFields.map(([property, sent]) => sentField(sent, reports[property])),
    reference('certname', reports.node, 'nodes', undefined, NEVER_NULL),
    reference('hash', reports.id, 'reports', reports.hash, NEVER_NULL),
    time('receive_time', reports.receiveTime, NEVER_NULL),
    expanded('logs'),
    expanded('resource_events'),
    expanded('metrics'),
    latest(reports.id),
  ]),
})

const EVENT_ORDER = [
  'new_value',
  'report',
  'corrective_change',
  'run_start_time',
  'property',
  'name',
  'file',
  'old_value',
  'containing_class',
  'line',
  'resource_type',
  'status',
  'configuration_version',
  'resource_title',
  'environment',
  'timestamp',
  'run_end_time',
  'report_receive_time',
  'containment_path',
  'certname',
  'message',
  'latest_report?',
]

const EVENTS = entity({
  name: 'events',
  base: events,
  joins: [
    { table: reports, on: [reports.id, events.report], optional: false },
    { table: resources, on: [resources.id, events.resource], optional: false },
  ],
  key: [events.report, events.number],
  keyDirection: 'desc',
  fields: inOrder(EVENT_ORDER, [
    ...eventFields.map(([property, sent]) => sentField(sent, events[property])),
    ...ofReports(({ inEvents }) => inEvents?.name, { optional: false }),
    value('new_value', events.newValue),
    value('old_value', events.oldValue),
    text('message', events.message),
    text('resource_type', resources.type, NEVER_NULL),
    text('resource_title', resources.title, NEVER_NULL),
    text('containing_class', resources.class),
    field('containment_path', 'path', { form: 'path', column: resources.path }),
    reference('report', events.report, 'reports', reports.hash, NEVER_NULL),
    reference('certname', reports.node, 'nodes', undefined, NEVER_NULL),
    time('report_receive_time', reports.receiveTime, NEVER_NULL),
    latest(events.report),
  ]),
})

const NODE_ORDER = [
  'deactivated',
  'latest_report_hash',
  'facts_environment',
  'cached_catalog_status',
  'report_environment',
  'latest_report_corrective_change',
  'catalog_environment',
  'facts_timestamp',
  'latest_report_noop',
  'expired',
  'latest_report_noop_pending',
  'report_timestamp',
  'certname',
  'catalog_timestamp',
  'latest_report_job_id',
  'latest_report_status',
]

const NODE_FIELDS = [
  ...ofReports(({ inNodes }) => inNodes, { optional: true }),
  reference('certname', nodes.id, 'nodes', nodes.certname, NEVER_NULL),
  reference('latest_report_hash', nodes.latest, 'reports', reports.hash),
  time('deactivated', nodes.deactivated),
  time('expired', nodes.expired),
  reference('catalog_environment', nodes.shownCatalogEnvironment, 'environment'),
  time('catalog_timestamp', nodes.catalogTimestamp),
  reference('facts_environment', nodes.factsEnvironment, 'environment'),
  time('facts_timestamp', nodes.factsTimestamp),
]
const nodesOf = (order: readonly string[], fields: readonly Field[]): Entity =>
  entity({
    name: 'nodes',
    base: nodes,
    joins: [{ table: reports, on: [reports.id, nodes.latest], optional: true }],
    key: [nodes.id],
    keyDirection: 'asc',
    fields: inOrder(order, fields),
  })
const NODES = nodesOf(NODE_ORDER, NODE_FIELDS)

/** As `include_facts_expiration` shows nodes: facts of each may expire, and no command has changed that. */
export const NODES_WITH_EXPIRATION = nodesOf(
  NODE_ORDER.flatMap((name) => {
    if (name === 'latest_report_hash') return [name, 'expires_facts']
    return name === 'latest_report_noop' ? [name, 'expires_facts_updated'] : [name]
  }),
  [
    ...NODE_FIELDS,
    field('expires_facts', 'boolean', { form: 'always', column: nodes.id }, NEVER_NULL),
    field('expires_facts_updated', 'timestamp', { form: 'absent' }),
  ],
)

const named = (name: string, kind: StringKind): Entity =>
  entity({
    name,
    base: strings,
    strings: kind,
    joins: [],
    key: [strings.id],
    keyDirection: 'asc',
    fields: [reference('name', strings.id, kind, strings.value, NEVER_NULL)],
  })

/** The entities that have rows in this service. */
export const ENTITIES: ReadonlyMap<string, Entity> = new Map(
  [
    REPORTS,
    EVENTS,
    NODES,
    named('environments', 'environment'),
    named('producers', 'producer'),
  ].map((one) => [one.name, one]),
)

/**
 * Entities of PuppetDB that this service does not store: queries about them parse, and find nothing. Whether an
 * entity has a certname decides how it relates to the others.
 */
export const EMPTY_ENTITIES: ReadonlySet<string> = new Set([
  'facts',
  'fact_contents',
  'fact_names',
  'fact_paths',
  'factsets',
  'catalogs',
  'catalog_inputs',
  'catalog_input_contents',
  'resources',
  'edges',
  'inventory',
  'packages',
  'package_inventory',
])
