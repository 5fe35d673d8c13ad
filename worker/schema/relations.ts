/**
 * How entities are joined when a query only names the inner one (`["subquery", entity, filter]`, PQL's
 * nested blocks). Source: the columns PuppetDB joins on.
 */

/** A field of the outer entity, and the field of the inner one that it equals. */
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

/** Entities that a query about resources may name; PuppetDB refuses the others. */
const OF_RESOURCES = ['catalogs', 'nodes', 'environments']

/** The fields that join `inner` to `outer`; null where PuppetDB has no such relation. */
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
