/**
 * When causes and drift were first and last seen in each environment. The rows outlive the reports: housekeeping adds what an
 * hour shows for the first time, and whatever deletes reports notes the last ones. Nothing but an environment is known of
 * them, so a reader who sees parts of an environment is answered from the stored reports.
 */

import { sql, type SQL } from 'drizzle-orm'
import { DAY } from '../lib/time.ts'
import { timeOfRun } from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { HOUR_GROUPINGS, type HourGrouping } from './hour-groups.ts'

/** The groupings that are remembered, and the name of a label `h.label`. */
export const REMEMBERED: readonly (readonly [HourGrouping, name: string])[] = [
  [HOUR_GROUPINGS.cause, '(select c.name from causes c where c.id = h.label)'],
  [HOUR_GROUPINGS.drift, 'h.label'],
]

/** A clock that is ahead is not believed. */
const TIME = timeOfRun('r')

/** Notes what is earlier than before; `isLast` also what is later. @param hitsOf SQL for the hits of a grouping */
const remember = (
  [grouping, name]: (typeof REMEMBERED)[number],
  hitsOf: (grouping: HourGrouping) => SQL,
  isLast: boolean,
): string =>
  render(sql`insert into sightings (kind, name, environment, first, last)
select ${sql.raw(String(grouping.kind))}, ${sql.raw(name)}, w.value, min(${sql.raw(TIME)}), max(${sql.raw(TIME)})
from (${hitsOf(grouping)}) h join reports r on r.id = h.report join strings w on w.id = h.environment where true group by 2, 3
on conflict (kind, name, environment) do update set first = min(first, excluded.first), last = max(last, excluded.last)
where excluded.first < first${sql.raw(isLast ? ' or excluded.last > last' : '')}`).sql

/** SQL that notes what the hits show for the first time. @param hitsOf SQL for the hits of a grouping, without parameters */
export const rememberFirst = (hitsOf: (grouping: HourGrouping) => SQL): string[] =>
  REMEMBERED.map((one) => remember(one, hitsOf, false))

/** SQL that notes hits of reports that are about to be deleted. */
export const rememberLast = (
  groupings: readonly HourGrouping[],
  hitsOf: (grouping: HourGrouping) => SQL,
): string[] =>
  REMEMBERED.filter(([grouping]) => groupings.includes(grouping)).map((one) =>
    remember(one, hitsOf, true),
  )

/** Notes by its new name when a cause was seen by an old one. ?1 rows of [old name, new name]. */
export const RENAME_SIGHTINGS = `insert into sightings (kind, name, environment, first, last)
select g.kind, m.value ->> 1, g.environment, g.first, g.last from json_each(?1) m
cross join sightings g where g.kind = ${HOUR_GROUPINGS.cause.kind} and g.name = m.value ->> 0
on conflict (kind, name, environment) do update set first = min(first, excluded.first), last = max(last, excluded.last)`

/** SQL for the time, in ms, at which a cause of that name was first seen in any environment; null where it never was. */
export const firstSighting = (grouping: HourGrouping, name: string): string =>
  `(select min(g.first) from sightings g where g.kind = ${grouping.kind} and g.name = ${name})`

/** Moves the hour from which on sightings are known, where a database has one. ?1 hour. */
export const knowSightingsFrom = (hour: number): Statement => ({
  sql: 'update sightings_since set hour = ?1 where hour > ?1',
  params: [hour],
})

/** Sightings are kept for so long after the last one, in ms: five years. */
const LONGEST_SIGHTING_MS = 5 * 366 * DAY

/** @param now in ms */
export const deleteOldSightings = (now: number): Statement => ({
  sql: 'delete from sightings where last < ?1',
  params: [now - LONGEST_SIGHTING_MS],
})
