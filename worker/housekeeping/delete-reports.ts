/**
 * Deletes reports, their events, or their logs and metrics: the statements of one batch, which also updates
 * the counts of hours. The transaction checks each listed report again, because another report may have
 * received its key since it was read.
 */

import { sql } from 'drizzle-orm'
import { integer, typed } from '../sql/columns.ts'
import { dayOfHour, hourOfKey } from '../sql/encoding.ts'
import type { Parameter, Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { hits } from '../store/hits.ts'
import { deleteHourGroups, HOUR_GROUPINGS, type HourGrouping } from '../store/hour-groups.ts'
import { rememberLast } from '../store/sightings.ts'
import { MOST_DELETED_EVENTS } from './batches.ts'
import type { ExpiredReport } from './expired-report.ts'
import { countedByHour, HOUR_COLUMNS, HOUR_KEY } from './hour-counts.ts'
import { keepDays } from './kept-days.ts'

/** The condition that a report `r` is its node's latest, which stays at any age. */
export const IS_LATEST = 'r.id is (select n.latest from nodes n where n.id = r.node)'

/** The condition for deleting a listed report: SQL on `reports r`, whose parameters begin with ?2. */
export interface Guard {
  readonly sql: string
  readonly params: readonly Parameter[]
}

/** The listed reports that meet the guard. ?1 the keys. */
const listed = ({ sql }: Guard): string =>
  `from json_each(?1) listed cross join reports r on r.id = listed.value where ${sql}`
const keysOf = (guard: Guard): string => `select r.id ${listed(guard)}`

const HOUR = hourOfKey('r.id')

/** The rows of `hour_counts` for these reports, in closed hours only; open hours count their reports when they close. */
const countsOf = (guard: Guard): string =>
  countedByHour(HOUR, `${listed(guard)} and ${HOUR} not in (select hour from open_hours)`)

/** Deletes the counts that would become 0, so that each count costs one row written. */
const deleteCounts = (guard: Guard): string =>
  `delete from hour_counts where (${HOUR_COLUMNS}) in (${countsOf(guard)})`
const lowerCounts = (guard: Guard): string =>
  `update hour_counts set count = hour_counts.count - deleted.count from (${countsOf(guard)}) deleted
where ${HOUR_KEY.map((name) => `hour_counts.${name} = deleted.${name}`).join(' and ')}`

/** A day is counted again from what is left of its hours (count-days.ts). */
const deleteDays = (guard: Guard): string =>
  `delete from day_counts where day in (select distinct ${dayOfHour(HOUR)} ${listed(guard)})`

/** Hours are counted again by what is left of them (group-hours.ts). */
const deleteGroups = (guard: Guard): string =>
  deleteHourGroups(`select distinct ${HOUR} ${listed(guard)}`)

/** Notes what was last seen in the listed agent reports. */
const rememberListed = (guard: Guard, groupings: readonly HourGrouping[]): string[] =>
  rememberLast(groupings, ({ of }) =>
    hits(of, {
      from: sql`(${sql.raw(keysOf(guard))}) k cross join reports on reports.id = k.id`,
      where: sql`reports.type = 0`,
    }),
  )
const { cause: CAUSE, drift: DRIFT } = HOUR_GROUPINGS

type PartTable = 'events' | 'long_values' | 'body_parts' | 'report_causes'

const deleteFrom = (table: PartTable, guard: Guard): string =>
  `delete from ${table} where report in (${keysOf(guard)})`

/** Whole reports, or the part of them that retention deletes. */
export type Part = 'report' | 'events' | 'body'

/** The statements that delete each part; `last` returns a row for each report. */
const DELETIONS: Readonly<Record<Part, (guard: Guard) => { before: string[]; last: string }>> = {
  report: (guard) => ({
    before: [
      ...rememberListed(guard, [CAUSE, DRIFT]),
      ...keepDays(listed(guard)),
      deleteGroups(guard),
      deleteFrom('events', guard),
      deleteFrom('long_values', guard),
      deleteFrom('body_parts', guard),
      deleteFrom('report_causes', guard),
      deleteDays(guard),
      deleteCounts(guard),
      lowerCounts(guard),
    ],
    last: `delete from reports where id in (${keysOf(guard)}) returning id`,
  }),
  events: (guard) => ({
    before: [
      ...rememberListed(guard, [DRIFT]),
      deleteGroups(guard),
      deleteFrom('events', guard),
      deleteFrom('long_values', guard),
    ],
    last: `update reports set events = 0 where id in (${keysOf(guard)}) returning id`,
  }),
  body: (guard) => ({
    before: [deleteFrom('body_parts', guard)],
    last: `update reports set body = null where id in (${keysOf(guard)}) returning id`,
  }),
}

/**
 * Deletes the listed reports that meet the guard, or a part of them, together with `further` statements, in
 * one transaction. The list must fit into one batch (`inBatches`).
 *
 * @returns how many reports it deleted or shortened
 * @throws Unavailable, and then at most some events of a very long report are deleted
 */
export async function deleteReports(
  database: Database,
  part: Part,
  expired: readonly ExpiredReport[],
  guard: Guard,
  further: readonly Statement[] = [],
): Promise<number> {
  if (part !== 'body') await shorten(database, expired, guard)
  const { before, last } = DELETIONS[part](guard)
  const params = [JSON.stringify(expired.map(({ key }) => key)), ...guard.params]
  const results = await database.batch([
    ...before.map((sql) => ({ sql, params })),
    typed({ id: integer('id') }, { sql: last, params }),
    ...further,
  ])
  return results[before.length]!.length
}

/** Deletes events from the end of reports that have more than one batch may delete, so that one batch remains. */
async function shorten(
  database: Database,
  expired: readonly ExpiredReport[],
  guard: Guard,
): Promise<void> {
  for (const { key, events } of expired) {
    for (let from = events - MOST_DELETED_EVENTS; from > 0; from -= MOST_DELETED_EVENTS) {
      const params = [JSON.stringify([key]), ...guard.params]
      await database.batch([
        ...(['events', 'long_values'] as const).map((table) => ({
          sql: `${deleteFrom(table, guard)} and n >= ${from}`,
          params,
        })),
        {
          sql: `update reports set events = min(events, ${from}) where id in (${keysOf(guard)})`,
          params,
        },
      ])
    }
  }
}
