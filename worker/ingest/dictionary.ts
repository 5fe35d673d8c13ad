/** SQL for the dictionaries: strings, resources and nodes are stored once, and rows contain their ids. */

import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import type { Statement } from '../sql/statement.ts'

/** SQL for the id of the string of that kind with the text that `text` evaluates to; null where it is null or unknown. */
export const stringIdText = (kind: StringKind, text: string): string =>
  `(select id from strings where kind = ${STRING_KINDS[kind]} and value = ${text})`

/** Stores strings: rows of [kind, value] as a JSON list. */
export const insertStrings = (list: string): Statement => ({
  sql: `insert or ignore into strings (kind, value)
select distinct value ->> 0, value ->> 1 from json_each(?1)`,
  params: [list],
})

/** Stores resources: rows of [type, title, path, class] as a JSON list. */
export const insertResources = (list: string): Statement => ({
  sql: `insert or ignore into resources (type, title, path, class)
select distinct value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?1)`,
  params: [list],
})

/**
 * Stores resources of which only type and title are known, unless a resource of that name exists: rows of [type, title]
 * as a JSON list. Such a name means the first resource with it, regardless of its path.
 */
export const insertNamedResources = (list: string): Statement => ({
  sql: `insert or ignore into resources (type, title, path, class)
select value ->> 0, value ->> 1, '', null from json_each(?1) named
where not exists (select 1 from resources where type = named.value ->> 0 and title = named.value ->> 1)`,
  params: [list],
})

/** SQL for the id of the first resource with that type and title. */
export const namedResourceId = (type: string, title: string): string =>
  `(select min(id) from resources where type = ${type} and title = ${title})`

/** Stores the ordered list of a report's metric names, as JSON text. */
export const insertMetricSet = (names: string): Statement => ({
  sql: 'insert or ignore into metric_sets (names) values (?1)',
  params: [names],
})

/** Stores a node unless it exists. `or ignore` would use up an id, and write a row to record that. */
export const insertNode = (certname: string): Statement => ({
  sql: `insert into nodes (certname)
select ?1 where not exists (select 1 from nodes where certname = ?1)`,
  params: [certname],
})
