/** How far a page over years looked in the history, and all of its pages as rows. */

import { unreadablePaths, type RowsOfFiles } from '../../history/read-rows.ts'
import { Unavailable } from '../../lib/errors.ts'
import { DAY, formatTimestamp, type Timestamp } from '../../lib/time.ts'
import {
  NEWEST,
  placeBack,
  type BackwardPlace,
  type ReportsFileBack,
} from '../../store/history-places.ts'
import { positionOf } from '../cursor.ts'
import { printed } from '../list-pages.ts'

/** How far a page looked. */
export interface Looked {
  /** The begin of the time that was read whole; null where nothing older is left to read. */
  readonly from: Timestamp | null
  readonly until: Timestamp
  /** Files of the history that were read, and requests to object storage that took. */
  readonly files: number
  readonly reads: number
  /** Files that are damaged, or that object storage did not give: what they hold is missing. */
  readonly unreadable: readonly string[]
}

/** Requests and time of a page. */
const MOST_READS = 64
const LONGEST_READING_MS = 5000
export const YEARS_BOUNDS = { reads: MOST_READS, milliseconds: LONGEST_READING_MS }
/** Files that are listed for a page: as many as it reads, and the one that the next begins with. */
export const YEARS_FILES = MOST_READS + 1
export const YEAR_DAYS = 366

/** @throws QueryError for a cursor of another list */
export const placeIn = (cursor: string | null): BackwardPlace | null =>
  cursor === null ? null : positionOf(cursor, NEWEST)

/** Where a page ended. @param from where it began @param rest the first file that was not read */
export function lookedAt(
  { files, reads }: RowsOfFiles,
  {
    now,
    from,
    rest,
  }: { now: number; from: BackwardPlace | null; rest: ReportsFileBack | undefined },
): { readonly looked: Looked; readonly next: BackwardPlace | null } {
  return {
    looked: {
      from: rest === undefined ? null : formatTimestamp((rest.until + 1) * DAY),
      until: formatTimestamp(from === null ? now : (from[0] + 1) * DAY),
      files: files.filter(({ isAbsent }) => !isAbsent).length,
      reads,
      unreadable: unreadablePaths({ files, reads }),
    },
    next: rest === undefined ? null : placeBack(rest),
  }
}

/**
 * The rows of all pages as JSON texts, the newest first.
 *
 * @throws Unavailable where some would be missing
 */
export async function* rowsOfYears(
  { cursor, limit }: { cursor: string | null; limit: number },
  read: (
    from: BackwardPlace | null,
  ) => Promise<{ rows: readonly object[]; looked: Looked; next: BackwardPlace | null }>,
): AsyncGenerator<readonly string[]> {
  let left = limit
  let from = placeIn(cursor)
  do {
    const { rows, looked, next } = await read(from)
    if (looked.unreadable.length > 0)
      throw new Unavailable(
        `${looked.unreadable.join(', ')} can't be read, so rows would be missing.`,
      )
    yield printed(rows.slice(0, left))
    left -= rows.length
    from = next
  } while (from !== null && left > 0)
}
