/**
 * Frees space in a full database: deletes the oldest reports ahead of their age, except each node's latest. A full database
 * refuses everything but DELETE, so an hour is deleted whole, with its counts, by nothing else. Where an hour has reports
 * that stay, the batch also opens it for a recount, which needs room, but less than the deletions before have made.
 */

import type { History } from '../history/history.ts'
import { FURTHEST_MS } from '../schema/key.ts'
import { relievedBytes } from '../schema/capacity.ts'
import type { Settings } from '../schema/settings.ts'
import { flag, integer, keyTimestamp, selectText, typed } from '../sql/columns.ts'
import {
  dayOfHour,
  firstKeyOfHour,
  hourNumber,
  hourOfKey,
  integerOf,
  isKeyOfHour,
  lowerHexOf,
} from '../sql/encoding.ts'
import { HOUR, type Timestamp } from '../lib/time.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { isShortOf } from '../store/failures.ts'
import { readArchivedKey } from '../store/history.ts'
import { deleteHourGroups } from '../store/hour-groups.ts'
import { IS_LATEST } from './delete-reports.ts'
import { MOST_REPORTS } from './batches.ts'
import { keepDays, lackKeptDays } from './kept-days.ts'
import { RequiredHistory } from './required-history.ts'

/** The result of freeing space. */
export interface Freed {
  readonly reports: number
  /** The time before which reports were deleted; null where nothing was. */
  readonly before: Timestamp | null
}

/** Reports that the history may hold, and the proof: those with lower keys that were received before a time, in ms. */
export interface ArchivedBefore {
  readonly key: number
  readonly receivedAt: number
  readonly required: RequiredHistory
}

/** No report is still under way that was received so long ago. */
const LONGEST_STORING_MS = HOUR

/** @param now in ms */
export async function archivedBefore(
  database: Database,
  history: History,
  now: number,
): Promise<ArchivedBefore> {
  return {
    key: await readArchivedKey(database),
    receivedAt: now - LONGEST_STORING_MS,
    required: new RequiredHistory(database, history),
  }
}

/** Condition on reports that may go: ?2 and ?3 are the key and the time before which they are archived, null for all. */
const MAY_GO = `not ${IS_LATEST} and (?2 is null or (r.id < ${integerOf('?2')} and r.receive_time < ?3))`
const OF_HOUR = `reports r where ${isKeyOfHour('r.id', 'h.hour')}`
const FIRST_HOUR = {
  hour: integer('h.hour'),
  end: keyTimestamp(firstKeyOfHour('(h.hour + 1)')),
  /** Whether some reports stay, as the latest of their nodes, and whether others don't. */
  keepsSome: flag(`exists (select 1 from ${OF_HOUR} and not (${MAY_GO}))`),
  losesSome: flag(`exists (select 1 from ${OF_HOUR} and ${MAY_GO})`),
}
/** The first hour with reports. ?1 the hour from which to look, ?2 and ?3 as in MAY_GO. */
const READ_HOUR = `select ${selectText(FIRST_HOUR)} from (
  select ${hourOfKey('id')} as hour from reports where id >= ${firstKeyOfHour(integerOf('?1'))} order by id limit 1
) h`

/** Reports of an hour that may go. ?1 hour, ?2 and ?3 as in MAY_GO, ?4 how many, -1 for all, ?5 the hashes that are in a part, null for any. */
const REPORTS = `select r.id from reports r
where ${isKeyOfHour('r.id', integerOf('?1'))} and ${MAY_GO}
and (?5 is null or ${lowerHexOf('r.hash')} in (select value from json_each(?5))) order by r.id limit ?4`
const KEY = { key: integer('r.id') }
/** ?1 to ?3 as above, ?4 how many, ?5 the key behind which to begin. */
const READ_KEYS = `select ${selectText(KEY)} from reports r
where ${isKeyOfHour('r.id', integerOf('?1'))} and r.id > ${integerOf('?5')} and ${MAY_GO} order by r.id limit ?4`
const deleteFrom = (table: string): string => `delete from ${table} where report in (${REPORTS})`
/** What makes most room comes first. */
const DELETE_PARTS = ['events', 'long_values', 'body_parts'].map(deleteFrom)
/** Needs room, but less than the deletions before have made. */
const KEEP_DAYS = keepDays(`from reports r where r.id in (${REPORTS})`)
const DELETE_REPORTS = [
  deleteFrom('report_causes'),
  `delete from reports where id in (${REPORTS}) returning id`,
]
const ALL = -1

/** Reports of an hour that stay must be counted again, in the batch that deletes the others. ?1 hour. */
const DELETE_COUNTS = 'delete from hour_counts where hour = ?1'
const DELETE_DAY = `delete from day_counts where day = ${dayOfHour('?1')}`
const DELETE_GROUPS = deleteHourGroups('select ?1')
const FORGET_HOUR = 'delete from open_hours where hour = ?1'
const OPEN_HOUR = 'insert or ignore into open_hours (hour) values (?1)'
/** Of the days up to this hour's not all that was deleted is kept. */
const LACK_DAY = lackKeptDays(dayOfHour('?1'))

/** Deletes that many reports of an hour, or all. @param hashes of those that may go; null for any @returns how many */
async function deleteFromHour(
  database: Database,
  hour: number,
  archived: ArchivedBefore | null,
  most: number,
  hashes: readonly string[] | null,
): Promise<number> {
  const counts = [DELETE_DAY, DELETE_COUNTS, DELETE_GROUPS, most === ALL ? FORGET_HOUR : OPEN_HOUR]
  const params = [hour, ...paramsOf(archived), most, hashes && JSON.stringify(hashes)]
  const deleteHour = async (kept: readonly string[], further: readonly string[]) => {
    const statements = [...DELETE_PARTS, ...kept, ...DELETE_REPORTS]
    const results = await database.batch([
      ...statements.map((sql): Statement => ({ sql, params })),
      ...[...counts, ...further].map((sql): Statement => ({ sql, params: [hour] })),
    ])
    return results[statements.length - 1]!.length
  }
  try {
    return await deleteHour(KEEP_DAYS, [])
  } catch (error) {
    if (!isShortOf(error, 'full')) throw error
    // Reports without events and logs make no room before they are deleted.
    return deleteHour([], [LACK_DAY])
  }
}

/** Hashes of reports of the hour that may go and are in a part: the first that many, past those that no part holds. */
async function heldOfHour(
  database: Database,
  hour: number,
  archived: ArchivedBefore,
  most: number,
): Promise<readonly string[]> {
  let after = BEFORE_ALL
  for (;;) {
    const params = [hour, ...paramsOf(archived), most, after]
    const [keys] = await database.batch([typed(KEY, { sql: READ_KEYS, params })])
    const held = await archived.required.heldAmong(keys.map(({ key }) => key))
    if (held.length > 0 || keys.length < most) return held
    after = keys.at(-1)!.key
  }
}

const BEFORE_ALL = -Number.MAX_SAFE_INTEGER

const paramsOf = (archived: ArchivedBefore | null) => [
  archived?.key ?? null,
  archived?.receivedAt ?? null,
]

/**
 * Deletes the oldest reports, hour by hour, until the database has room again. Where the history is required, only what it
 * holds: the database then refuses new reports, which senders of PuppetDB's terminus send again, rather than lose old ones.
 *
 * @param archived what may be deleted; null for any report
 * @param mayContinue called between two batches
 */
export async function freeSpace(
  database: Database,
  settings: Settings,
  archived: ArchivedBefore | null,
  mayContinue: () => boolean,
): Promise<Freed> {
  let reports = 0
  let before: Timestamp | null = null
  /** Reports of a batch: all of an hour, until that is too much work. */
  let most = ALL
  for (let from = hourNumber(-FURTHEST_MS); mayContinue();) {
    const [[found]] = await database.batch([
      typed(FIRST_HOUR, { sql: READ_HOUR, params: [from, ...paramsOf(archived)] }),
    ])
    if (!found || database.usage.databaseBytes <= relievedBytes(settings)) break
    const { hour, end, keepsSome, losesSome } = found
    from = losesSome ? hour : hour + 1
    if (!losesSome) continue
    // A report may arrive for an hour that is archived: its hour is counted again.
    const size = most === ALL && (keepsSome || archived !== null) ? MOST_REPORTS : most
    const held = archived && (await heldOfHour(database, hour, archived, size))
    if (held?.length === 0) {
      from = hour + 1
      continue
    }
    try {
      reports += await deleteFromHour(database, hour, archived, size, held)
      before = end
    } catch (error) {
      if (size === 1 || !isShortOf(error, 'too much work')) throw error
      most = size === ALL ? MOST_REPORTS : Math.ceil(size / 2)
    }
  }
  return { reports, before }
}
