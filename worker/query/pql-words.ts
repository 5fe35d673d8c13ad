/** The names that PQL's grammar lists: entities, functions, fields with dots. */

/** Entities of PQL. PuppetDB's grammar lacks producers, which the JSON syntax has. */
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

/** Fields whose name may continue after a dot, with a path into the value. */
export const DOTTED_FIELDS: readonly string[] = ['facts', 'trusted', 'parameters']
