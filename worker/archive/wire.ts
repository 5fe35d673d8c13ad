/** Rows of the reports endpoint → wire format 8, as in PuppetDB's export. */

import { invariant } from '../lib/invariant.ts'
import type { Json } from '../lib/json.ts'
import { isList, isRecord, jsonText, parseJson } from '../lib/lossless.ts'
import { eventFields, type EventField } from '../schema/event-fields.ts'
import { reportFields } from '../schema/report-fields.ts'
import { sentKey } from '../schema/stored-field.ts'

type JsonMap = { readonly [key: string]: Json }

/** Keys of a report that its sender submits beside its lists. */
const SENT = new Set(['certname', ...reportFields.map(([, field]) => sentKey(field))])
const sentWith = (object: EventField['sentWith']): string[] =>
  eventFields.flatMap(([, field]) => (field.sentWith === object ? [sentKey(field)] : []))
const OF_RESOURCE = [
  ...['resource_type', 'resource_title', 'timestamp', 'containment_path'],
  ...sentWith('resource'),
]
const OF_EVENT = ['new_value', 'old_value', 'message', ...sentWith('event')]

/** Levels of a report around the value of an event, which count on top of the value's own depth. */
const AROUND_A_VALUE = 5

/** One report of an archive: its names and its text. */
export interface WireReport {
  readonly certname: string
  readonly hash: string
  readonly text: string
}

/** @param row a row of `/pdb/query/v4/reports`, whole */
export function wireReport(row: string): WireReport {
  const report = parseJson(row)
  invariant(isRecord(report), 'a row is an object')
  const dataOf = (part: string): Json => (report[part] as JsonMap)['data'] ?? null
  const events = dataOf('resource_events')
  const wire = {
    ...Object.fromEntries(Object.entries(report).filter(([key]) => SENT.has(key))),
    logs: dataOf('logs'),
    metrics: dataOf('metrics'),
    resources: resourcesOf(isList(events) ? (events as readonly JsonMap[]) : []),
  }
  return {
    certname: String(report['certname']),
    hash: String(report['hash']),
    text: jsonText(wire, AROUND_A_VALUE),
  }
}

interface Group {
  readonly resource: JsonMap
  readonly events: JsonMap[]
}

/** Groups events by resource and time, as PuppetDB does. */
function resourcesOf(events: readonly JsonMap[]): Json[] {
  const groups = new Map<string, Group>()
  for (const event of events) {
    const resource = {
      ...picked(event, OF_RESOURCE),
      skipped: event['status'] === 'skipped',
      corrective_change: event['corrective_change'] ?? null,
    }
    const name = jsonText(resource)
    const group: Group = groups.get(name) ?? { resource, events: [] }
    groups.set(name, group)
    group.events.push(picked(event, OF_EVENT))
  }
  return [...groups.values()].map(({ resource, events: own }) => ({ ...resource, events: own }))
}

const picked = (from: JsonMap, keys: readonly string[]): JsonMap =>
  Object.fromEntries(keys.map((key) => [key, from[key] ?? null]))
