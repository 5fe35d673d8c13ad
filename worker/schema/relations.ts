/**
 * How entities relate where a query only names them (`["subquery", entity, filter]`, PQL's nested
 * blocks). Source: the columns PuppetDB joins on.
 */

/** Field of the outer entity, field of the inner one. */
export type Relation = readonly [outer: string, inner: string]

const WITH_CERTNAME = [
  'reports',
  'events',
  'nodes',
  'facts',
  'fact_contents',
  'factsets',
  'catalogs',
  'resources',
  'edges',
  'inventory',
  'package_inventory',
  'catalog_inputs',
  'catalog_input_contents',
]
const IN_ENVIRONMENT = [
  'reports',
  'events',
  'facts',
  'fact_contents',
  'factsets',
  'catalogs',
  'resources',
]
const OF_ENVIRONMENT = [...IN_ENVIRONMENT, 'inventory']
const BY_PRODUCER = ['reports', 'factsets', 'catalogs']

/** What a query about resources may name; PuppetDB refuses the rest. */
const OF_RESOURCES = ['catalogs', 'nodes', 'environments']

/** The fields by which `inner` stands to `outer`, or null where PuppetDB knows no such relation. */
export function relationOf(outer: string, inner: string): Relation | null {
  if (outer === 'reports' && inner === 'events') return ['hash', 'report']
  if (outer === 'events' && inner === 'reports') return ['report', 'hash']
  if (outer === 'resources' && !OF_RESOURCES.includes(inner)) return null
  if (inner === 'environments' && IN_ENVIRONMENT.includes(outer)) return ['environment', 'name']
  if (inner === 'producers' && BY_PRODUCER.includes(outer)) return ['producer', 'name']
  if (outer === 'environments' && OF_ENVIRONMENT.includes(inner)) return ['name', 'environment']
  if (outer === 'producers' && BY_PRODUCER.includes(inner)) return ['name', 'producer']
  if (WITH_CERTNAME.includes(outer) && WITH_CERTNAME.includes(inner))
    return ['certname', 'certname']
  return null
}
