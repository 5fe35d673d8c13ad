/** What PuppetDB would hold after a list of commands: whole tables in memory, with rows as the API shows them. */

import type { Json } from '../../../worker/lib/json.ts'
import { reportFields } from '../../../worker/schema/report-fields.ts'
import { sentKey } from '../../../worker/schema/stored-field.ts'
import { eventsOf } from './events.ts'
import { hashOf, type Command, type Payload } from './report.ts'
import { FIELDS, type EntityName } from './schema.ts'
import { instant, shown, time, type Row } from './values.ts'

export type Tables = Readonly<Record<EntityName, readonly Row[]>>

type Changing = Record<string, Json>

/** When things arrived, which only their receiver knows. */
export interface Arrivals {
  /** By hash. */
  readonly report: (hash: string) => string
  /** Of the stored catalog or facts of a node. */
  readonly latest: (certname: string, which: 'catalog' | 'facts') => string
}

/** Applies commands in order. */
export function tablesOf(commands: readonly Command[], arrivals: Arrivals): Tables {
  const reports = new Map<string, Payload>()
  const nodes = new Map<string, Changing>()
  const latest = new Map<string, string>()
  const [environments, producers] = [new Set<string>(), new Set<string>()]
  const nodeOf = (certname: string): Changing => {
    if (!nodes.has(certname)) nodes.set(certname, emptyNode(certname))
    return nodes.get(certname)!
  }
  for (const { command, payload } of commands) {
    const node = nodeOf(String(payload['certname']))
    const producerTimestamp = payload['producer_timestamp'] ?? null
    if (typeof payload['environment'] === 'string') environments.add(payload['environment'])
    if (command === 'deactivate node') {
      deactivate(node, producerTimestamp)
      continue
    }
    wake(node, producerTimestamp)
    if (command !== 'store report') {
      noteColumns(node, command === 'replace facts' ? 'facts' : 'catalog', payload, arrivals)
      continue
    }
    const hash = hashOf(payload)
    if (reports.has(hash)) continue
    reports.set(hash, payload)
    if (typeof payload['producer'] === 'string') producers.add(payload['producer'])
    if (isNewer(payload, latest.get(String(payload['certname'])), reports)) {
      latest.set(String(payload['certname']), hash)
      setLatest(node, hash, payload)
    }
  }
  const isLatest = (hash: string): boolean => [...latest.values()].includes(hash)
  const named = (names: Set<string>): Row[] => [...names].map((name) => ({ name }))
  const stored = [...reports]
  return {
    reports: stored.map(([hash, payload]) => reportRow(hash, payload, arrivals.report, isLatest)),
    events: stored.flatMap(([hash, payload]) =>
      eventRows(hash, payload, arrivals.report, isLatest),
    ),
    nodes: [...nodes.values()].map(withoutTimes),
    environments: named(environments),
    producers: named(producers),
  }
}

/** The producer timestamps that decide what is newer. No answer shows them. */
const PRODUCER_TIMES = [
  'latest_producer_timestamp',
  'catalog_producer_timestamp',
  'facts_producer_timestamp',
]

const withoutTimes = (node: Changing): Row => {
  // A node whose catalog was never sent is in the environment of its latest report.
  const shown =
    node['catalog_producer_timestamp'] === null
      ? { ...node, catalog_environment: node['report_environment']! }
      : node
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => !PRODUCER_TIMES.includes(name)),
  )
}

const emptyNode = (certname: string): Changing => ({
  ...Object.fromEntries(
    [...Object.keys(FIELDS.nodes), ...PRODUCER_TIMES].map((name) => [name, null]),
  ),
  certname,
})

/** A deactivation that is older than anything known of the node is stale. */
function deactivate(node: Changing, producerTimestamp: Json): void {
  const names = [...PRODUCER_TIMES, 'deactivated']
  const newest = Math.max(...names.map((name) => instant(node[name]!) ?? -Infinity))
  if (newest <= instant(producerTimestamp)!) node['deactivated'] = time(producerTimestamp)
}

/** Whatever is newer than its deactivation wakes a node. */
function wake(node: Changing, producerTimestamp: Json): void {
  const deactivated = instant(node['deactivated']!)
  if (deactivated !== null && deactivated < instant(producerTimestamp)!) node['deactivated'] = null
}

/** Data as old as the newest takes its place; older data does not. */
function noteColumns(
  node: Changing,
  which: 'facts' | 'catalog',
  payload: Payload,
  arrivals: Arrivals,
): void {
  const newest = instant(node[`${which}_producer_timestamp`]!)
  const producerTimestamp = payload['producer_timestamp']!
  if (newest !== null && newest > instant(producerTimestamp)!) return
  node[`${which}_producer_timestamp`] = time(producerTimestamp)
  node[`${which}_timestamp`] = arrivals.latest(String(payload['certname']), which)
  node[`${which}_environment`] = payload['environment'] ?? null
}

/** Only a strictly newer report of an agent takes the place of the latest. */
function isNewer(
  payload: Payload,
  current: string | undefined,
  reports: ReadonlyMap<string, Payload>,
): boolean {
  if (payload['type'] === 'plan') return false
  if (current === undefined) return true
  const newest = reports.get(current)!['producer_timestamp']!
  return instant(payload['producer_timestamp']!)! > instant(newest)!
}

function setLatest(node: Changing, hash: string, payload: Payload): void {
  const ofReport = reportFields.flatMap(([, field]) =>
    field.inNodes === undefined
      ? []
      : [[field.inNodes, shown(FIELDS.nodes[field.inNodes]!, payload[sentKey(field)])] as const],
  )
  Object.assign(node, {
    ...Object.fromEntries(ofReport),
    latest_report_hash: hash,
    latest_producer_timestamp: time(payload['producer_timestamp']),
  })
}

function reportRow(
  hash: string,
  payload: Payload,
  receivedAt: (hash: string) => string,
  isLatest: (hash: string) => boolean,
): Row {
  const events = eventsOf(payload)
  const href = (part: string): string => `/pdb/query/v4/reports/${hash}/${part}`
  return {
    ...Object.fromEntries(
      Object.entries(FIELDS.reports).map(([name, kind]) => [name, shown(kind, payload[name])]),
    ),
    hash,
    type: payload['type'] ?? 'agent',
    receive_time: receivedAt(hash),
    'latest_report?': isLatest(hash),
    logs: { data: payload['logs'] ?? null, href: href('logs') },
    metrics: { data: payload['metrics'] ?? null, href: href('metrics') },
    resource_events: { data: events.length > 0 ? events : null, href: href('events') },
  }
}

function eventRows(
  hash: string,
  payload: Payload,
  receivedAt: (hash: string) => string,
  isLatest: (hash: string) => boolean,
): Row[] {
  const ofReport = reportFields.flatMap(([, field]) =>
    field.inEvents === undefined
      ? []
      : [
          [
            field.inEvents.name,
            shown(FIELDS.events[field.inEvents.name]!, payload[sentKey(field)]),
          ] as const,
        ],
  )
  return eventsOf(payload).map((event) => ({
    ...event,
    ...Object.fromEntries(ofReport),
    certname: payload['certname']!,
    report: hash,
    report_receive_time: receivedAt(hash),
    'latest_report?': isLatest(hash),
  }))
}
