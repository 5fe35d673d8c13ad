/**
 * SQL for the dictionaries: strings, resources and nodes are stored once, and rows contain their ids. An entry has the week
 * in which it was last named, as housekeeping deletes entries that nothing names any more (housekeeping/unused-entries.ts).
 */

import type { Statement } from '../sql/statement.ts'
import { inLists } from '../store/lists.ts'

/** Ends an insert into a dictionary: an entry that is there is marked as named in a later week. */
const markUsed = (key: string): string =>
  `on conflict (${key}) do update set used = excluded.used where used < excluded.used`

/** Stores strings: rows of [kind, value] as a JSON list. */
export const insertStrings = (list: string, week: number): Statement => ({
  sql: `insert into strings (kind, value, used)
select distinct value ->> 0, value ->> 1, ?2 from json_each(?1) where true ${markUsed('kind, value')}`,
  params: [list, week],
})

/** Stores resources: rows of [type, title, path, class] as a JSON list. */
export const insertResources = (list: string, week: number): Statement => ({
  sql: `insert into resources (type, title, path, class, used)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?2 from json_each(?1) where true ${markUsed('type, title, path')}`,
  params: [list, week],
})

/**
 * Stores resources of which only type and title are known, unless a resource of that name exists: rows of [type, title]
 * as a JSON list. Such a name means the first resource with it, regardless of its path.
 */
export const insertNamedResources = (list: string, week: number): Statement[] => [
  {
    sql: `insert or ignore into resources (type, title, path, class, used)
select value ->> 0, value ->> 1, '', null, ?2 from json_each(?1) named
where not exists (select 1 from resources where type = named.value ->> 0 and title = named.value ->> 1)`,
    params: [list, week],
  },
  {
    sql: `update resources set used = ?2 where used < ?2
and id in (select ${namedResourceId('named.value ->> 0', 'named.value ->> 1')} from json_each(?1) named)`,
    params: [list, week],
  },
]

/** SQL for the id of the first resource with that type and title. */
export const namedResourceId = (type: string, title: string): string =>
  `(select min(id) from resources where type = ${type} and title = ${title})`

/** Stores the ordered list of a report's metric names, as JSON text. */
export const insertMetricSet = (names: string, week: number): Statement => ({
  sql: `insert into metric_sets (names, used) values (?1, ?2) ${markUsed('names')}`,
  params: [names, week],
})

/** Stores nodes unless they exist. `or ignore` would use up an id, and write a row to record that. */
export const insertNodes = (certnames: readonly string[]): Statement[] =>
  certnames.length === 1
    ? [{ sql: INSERT_NODE, params: [certnames[0]!] }]
    : inLists(certnames).map((list) => ({ sql: INSERT_NODES, params: [list] }))

const INSERT_NODE = `insert into nodes (certname)
select ?1 where not exists (select 1 from nodes where certname = ?1)`
const INSERT_NODES = `insert into nodes (certname)
select distinct value from json_each(?1) where not exists (select 1 from nodes where certname = value)`
