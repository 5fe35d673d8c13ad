/** The entities and their fields as the evaluator knows them: from the service's own schema, which fields.test.ts holds against PuppetDB's. */

import { ENTITIES } from '../../../worker/schema/entities.ts'
import type { KindName } from '../../../worker/schema/kinds.ts'

export type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'time'
  | 'path'
  | 'value'
  | 'parts'
  | 'latest report?'

export type EntityName = 'reports' | 'events' | 'nodes' | 'environments' | 'producers'

const KINDS: Readonly<Record<KindName, Kind>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  timestamp: 'time',
  path: 'path',
  value: 'value',
  expanded: 'parts',
  truth: 'latest report?',
}

const fieldsOf = (name: EntityName): Readonly<Record<string, Kind>> =>
  Object.fromEntries(
    ENTITIES.get(name)!.fields.map((field) => [field.alias ?? field.name, KINDS[field.kind]]),
  )

export const FIELDS: Readonly<Record<EntityName, Readonly<Record<string, Kind>>>> = {
  reports: fieldsOf('reports'),
  events: fieldsOf('events'),
  nodes: fieldsOf('nodes'),
  environments: fieldsOf('environments'),
  producers: fieldsOf('producers'),
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
