/** Housekeeping, which a trigger runs once an hour: closes hours that are over, applies retention, groups failures by new rules. */

import { archiveDays, type Archived } from '../history/archive-days.ts'
import { compactMonths, type Compacted } from '../history/compact-months.ts'
import { expireHistory, type ExpiredHistory } from '../history/expire-history.ts'
import { requiredOf, type History } from '../history/history.ts'
import { isFull } from '../schema/capacity.ts'
import { MINUTE } from '../lib/time.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { deleteOldAcknowledgements } from '../store/acknowledgements.ts'
import { isShortOf } from '../store/failures.ts'
import { DELETE_MOST_GENERATIONS, DELETE_OLD_GENERATIONS } from '../store/generation.ts'
import { withLease } from '../store/lease.ts'
import { countDays } from './count-days.ts'
import { closeHours } from './close-hours.ts'
import { archivedBefore, freeSpace, type Freed } from './free-space.ts'
import { groupHours } from './group-hours.ts'
import { regroupFailures } from './regroup.ts'
import { RETENTION_STEPS, runRetention, type RetentionResult } from './retention.ts'
import { log } from '../lib/log.ts'
import { deleteUnusedEntries, type EntriesDeletion } from './unused-entries.ts'

export interface HousekeepingResult {
  /** Reports that got other causes or another state, because the rules have changed. */
  readonly reportsRegrouped: number
  readonly hoursClosed: number
  /** Days whose hours were added up. */
  readonly daysCounted: number
  /** Hours whose failures and drift were counted by cause, class and resource. */
  readonly hoursGrouped: number
  /** Absent where no history is written. */
  readonly archived?: Archived
  /** Absent where no history is written. */
  readonly compacted?: Compacted
  /** Absent where no history is written, or all of it is kept. */
  readonly historyExpired?: ExpiredHistory
  readonly retention: readonly RetentionResult[]
  /** Reports that were deleted ahead of their age, because the database was full. */
  readonly freed?: Freed
  readonly unusedEntries: EntriesDeletion
}

/** The lease for every cleanup, including one that a client requests. */
export const HOUSEKEEPING_LEASE = 'housekeeping'
/** Longer than closing hours and a run of retention take (retention.ts). */
export const HOUSEKEEPING_LEASE_MS = 12 * MINUTE

/** Hours that a full database deletes in one run: far below D1's limit of queries. */
const MOST_FREED_BATCHES = 40

/**
 * Deletes before it writes anything where the database is full.
 *
 * @param now in ms
 * @returns null where another run holds the lease
 */
export async function runHousekeeping(
  database: Database,
  settings: Settings,
  now: number,
  history: History | null = null,
): Promise<HousekeepingResult | null> {
  const requiredHistory = requiredOf(history)
  try {
    return await underLease(database, settings, now, history)
  } catch (error) {
    if (!isShortOf(error, 'full')) throw error
  }
  // Without the lease, which can't be written; a second run that does the same deletes nothing twice.
  const retention = await deleteExpired(database, settings, now, requiredHistory)
  const freed = await freeSpaceIfFull(database, settings, now, requiredHistory)
  // Where nothing may be deleted before it is archived, room for the lease and the marks of the archive is made elsewhere.
  if (requiredHistory) await database.batch([DELETE_MOST_GENERATIONS])
  try {
    const done = await underLease(database, settings, now, history)
    return done && { ...done, ...freed, retention: [...retention, ...done.retention] }
  } catch (error) {
    if (history === null || !requiredHistory || !isShortOf(error, 'full')) throw error
    return archiveAndFree(database, settings, now, history)
  }
}

/**
 * Makes room where the lease itself has none, and nothing that is archived is left to delete. Parts exclude each other in
 * object storage, so that an archiving run beside another loses and doubles nothing; the marks of archived days only delete.
 */
async function archiveAndFree(
  database: Database,
  settings: Settings,
  now: number,
  history: History,
): Promise<HousekeepingResult | null> {
  const archived = await archiveDays(database, history, now)
  const retention = await deleteExpired(database, settings, now, history)
  const freed = await freeSpaceIfFull(database, settings, now, history)
  const done = await underLease(database, settings, now, history)
  return done && { ...done, archived, ...freed, retention: [...retention, ...done.retention] }
}

const underLease = (
  database: Database,
  settings: Settings,
  now: number,
  history: History | null,
): Promise<HousekeepingResult | null> =>
  withLease(
    database,
    HOUSEKEEPING_LEASE,
    async () => {
      // Before retention, because closing an hour moves retention back to the late reports in it.
      const closed = await closeHours(database, now)
      // Ahead of retention, which may delete only what is archived.
      const archived = history && (await archiveDays(database, history, now))
      const requiredHistory = requiredOf(history)
      const retention = await runRetention(database, settings, now, { requiredHistory })
      await database.batch([DELETE_OLD_GENERATIONS, deleteOldAcknowledgements(now)])
      const hasRoom = (): boolean => !isFull(database.usage.databaseBytes, settings)
      const expire = ({ bucket }: History): Promise<ExpiredHistory> =>
        expireHistory(database, bucket, settings.HISTORY_TTL, now)
      return {
        hoursClosed: closed.length,
        ...(archived && { archived }),
        retention,
        ...(history && settings.HISTORY_TTL > 0 && { historyExpired: await expire(history) }),
        ...(history && { compacted: await compactMonths(database, history, settings, now) }),
        ...(await freeSpaceIfFull(database, settings, now, requiredHistory)),
        // Readers use the counts of hours for days that are not counted, and reports for hours that are not grouped.
        daysCounted: hasRoom() ? await countDays(database, now) : 0,
        hoursGrouped: hasRoom()
          ? await unlessTooMuch('grouping_hours', 0, () => groupHours(database, now, closed))
          : 0,
        // A full database keeps its old causes: regrouping only writes. A state that changes opens its hour again.
        reportsRegrouped: hasRoom()
          ? await unlessTooMuch('regrouping', 0, () => regroupFailures(database, now))
          : 0,
        unusedEntries: await unlessTooMuch('unused_entries', { deleted: 0, complete: false }, () =>
          deleteUnusedEntries(database, settings, now),
        ),
      }
    },
    HOUSEKEEPING_LEASE_MS,
  )

/** What D1 gives up here must not hide what the run has done before. @param none the result then */
async function unlessTooMuch<Result>(
  what: string,
  none: Result,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isShortOf(error, 'too much work')) throw error
    log('warn', { [what]: (error as Error).message })
    return none
  }
}

/** The steps whose batches begin with deletions. */
const DELETING_STEPS = RETENTION_STEPS.filter((step) => step !== 'expire_nodes')

/** Applies retention as far as a full database allows. */
async function deleteExpired(
  database: Database,
  settings: Settings,
  now: number,
  requiredHistory: History | null,
): Promise<readonly RetentionResult[]> {
  try {
    return await runRetention(database, settings, now, { steps: DELETING_STEPS, requiredHistory })
  } catch (error) {
    if (!isShortOf(error, 'full')) throw error
    return []
  }
}

async function freeSpaceIfFull(
  database: Database,
  settings: Settings,
  now: number,
  requiredHistory: History | null,
): Promise<{ readonly freed?: Freed }> {
  if (!isFull(database.usage.databaseBytes, settings)) return {}
  let batches = 0
  const archived = requiredHistory && (await archivedBefore(database, requiredHistory, now))
  const mayContinue = (): boolean => batches++ < MOST_FREED_BATCHES
  const freed = await freeSpace(database, settings, archived, mayContinue)
  return freed.reports === 0 ? {} : { freed }
}
