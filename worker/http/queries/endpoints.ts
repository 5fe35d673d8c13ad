/** The table of query endpoints: the entity of each path, its parents and its parameters. */

import { comparison, type Filter } from '../../query/ast.ts'
import type { EntityKind } from '../../store/existence.ts'
import type { ParameterFamily } from './parameters.ts'

/** A parameter of a path that names an environment, producer, report or node. */
export interface Parent {
  readonly kind: EntityKind
  /** Name of the path's parameter. */
  readonly parameter: string
}

export interface ListEndpoint {
  readonly kind: 'list'
  readonly entity: string
  readonly parents: readonly Parent[]
  readonly takes: ParameterFamily
  /** Rows of inactive nodes are left out unless the query speaks of the state of nodes. */
  readonly activeOnly: boolean
}
export interface CountsEndpoint {
  readonly kind: 'counts'
  readonly aggregate: boolean
  readonly takes: ParameterFamily
}
export interface OneEndpoint {
  readonly kind: 'one'
  readonly entity: string
  /** Its name in the 404, and the parameter of the path that names it. */
  readonly named: { readonly kind: EntityKind | 'catalog' | 'factset'; readonly parameter: string }
  readonly takes: ParameterFamily
}
export interface PartEndpoint {
  readonly kind: 'part'
  readonly part: 'logs' | 'metrics'
  readonly parents: readonly Parent[]
  readonly takes: ParameterFamily
}
export interface RootEndpoint {
  readonly kind: 'root'
  readonly takes: ParameterFamily
}
export type Endpoint = ListEndpoint | CountsEndpoint | OneEndpoint | PartEndpoint | RootEndpoint

const list = (
  entity: string,
  options: Partial<Omit<ListEndpoint, 'kind' | 'entity'>> = {},
): ListEndpoint => ({
  kind: 'list',
  entity,
  parents: [],
  takes: 'typical',
  activeOnly: false,
  ...options,
})

const NODE: Parent = { kind: 'node', parameter: 'node' }
const ENVIRONMENT: Parent = { kind: 'environment', parameter: 'environment' }
const PRODUCER: Parent = { kind: 'producer', parameter: 'producer' }
const REPORT: Parent = { kind: 'report', parameter: 'hash' }

/** The endpoints below a report, for each prefix of `/reports`. */
const reportChildren = (before: string, parents: readonly Parent[]): [string, Endpoint][] => [
  [
    `${before}/reports/:hash/events`,
    list('events', { parents: [...parents, REPORT], takes: 'events' }),
  ],
  [`${before}/reports/:hash/metrics`, { kind: 'part', part: 'metrics', parents, takes: 'common' }],
  [`${before}/reports/:hash/logs`, { kind: 'part', part: 'logs', parents, takes: 'common' }],
]

/** Endpoints below the endpoints of entities that are not stored: lists are empty, and single ones are unknown. */
const BELOW_EMPTY: [string, Endpoint][] = [
  ['/facts/:fact', list('facts')],
  ['/facts/:fact/:value', list('facts')],
  ['/resources/:type', list('resources')],
  ['/resources/:type/:title', list('resources')],
  ['/nodes/:node/facts/:fact', list('facts', { parents: [NODE] })],
  ['/nodes/:node/facts/:fact/:value', list('facts', { parents: [NODE] })],
  ['/nodes/:node/resources/:type', list('resources', { parents: [NODE] })],
  ['/nodes/:node/resources/:type/:title', list('resources', { parents: [NODE] })],
  [
    '/catalogs/:node',
    {
      kind: 'one',
      entity: 'catalogs',
      named: { kind: 'catalog', parameter: 'node' },
      takes: 'common',
    },
  ],
  [
    '/factsets/:node',
    {
      kind: 'one',
      entity: 'factsets',
      named: { kind: 'factset', parameter: 'node' },
      takes: 'common',
    },
  ],
]

/** Entities that are not stored: their endpoints exist and are empty. */
const EMPTY = [
  'facts',
  'fact-names',
  'fact-contents',
  'fact-paths',
  'factsets',
  'catalogs',
  'resources',
  'edges',
  'inventory',
  'packages',
  'package-inventory',
  'catalog-inputs',
  'catalog-input-contents',
]

/** Paths below `/query/v4` in the syntax of the router. */
export const ENDPOINTS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ['', { kind: 'root', takes: 'root' }],
  ['/nodes', list('nodes', { activeOnly: true })],
  ['/nodes/:node', { kind: 'one', entity: 'nodes', named: NODE, takes: 'typical' }],
  ['/environments', list('environments')],
  [
    '/environments/:environment',
    { kind: 'one', entity: 'environments', named: ENVIRONMENT, takes: 'common' },
  ],
  ['/environments/:environment/reports', list('reports', { parents: [ENVIRONMENT] })],
  [
    '/environments/:environment/events',
    list('events', { parents: [ENVIRONMENT], takes: 'events' }),
  ],
  ...reportChildren('/environments/:environment', [ENVIRONMENT]),
  ['/producers', list('producers')],
  ['/producers/:producer', { kind: 'one', entity: 'producers', named: PRODUCER, takes: 'common' }],
  ['/producers/:producer/reports', list('reports', { parents: [PRODUCER] })],
  ...reportChildren('/producers/:producer', [PRODUCER]),
  ['/reports', list('reports')],
  ...reportChildren('', []),
  ['/events', list('events', { takes: 'events' })],
  ['/event-counts', { kind: 'counts', aggregate: false, takes: 'counts' }],
  ['/aggregate-event-counts', { kind: 'counts', aggregate: true, takes: 'aggregates' }],
  ...EMPTY.map((name): [string, Endpoint] => [`/${name}`, list(name.replaceAll('-', '_'))]),
  ...BELOW_EMPTY,
  ...['facts', 'resources'].flatMap((name): [string, Endpoint][] => [
    [`/nodes/:node/${name}`, list(name, { parents: [NODE] })],
    [`/environments/:environment/${name}`, list(name, { parents: [ENVIRONMENT] })],
  ]),
  ...['catalogs', 'factsets'].map((name): [string, Endpoint] => [
    `/producers/:producer/${name}`,
    list(name, { parents: [PRODUCER] }),
  ]),
]

/** Parent → the field of the rows below it that holds its name. */
const PARENT_FIELDS: Readonly<Record<Parent['kind'], string>> = {
  environment: 'environment',
  producer: 'producer',
  report: 'report',
  node: 'certname',
}

/** The filter for rows below the parents of a path. The last parent decides, since it is the narrowest. */
export function withinParents(
  parents: readonly Parent[],
  names: Record<string, string>,
): Filter | null {
  const last = parents.at(-1)
  return last === undefined
    ? null
    : comparison(PARENT_FIELDS[last.kind], names[last.parameter] ?? '')
}
