/** The words of PQL that are not fields: what its grammar lists by name. */

/** Entities PQL can ask. PuppetDB's grammar leaves out producers, which the JSON syntax has. */
export const PQL_ENTITIES: readonly string[] = [
  'facts',
  'reports',
  'catalogs',
  'packages',
  'package_inventory',
  'resources',
  'nodes',
  'environments',
  'factsets',
  'fact_paths',
  'fact_contents',
  'inventory',
  'edges',
  'events',
]

export const PQL_FUNCTIONS: readonly string[] = ['count', 'avg', 'sum', 'min', 'max', 'to_string']

/** Fields whose name may go on after a dot, into the value. */
export const DOTTED_FIELDS: readonly string[] = ['facts', 'trusted', 'parameters']
