/**
 * Reads the events of one resource from files of `events`. Files of months are read whole, too: they are sorted by resource within
 * each part of a day, so that a range would go from the first day to the last.
 */

import type { ReportsFile } from '../store/history-places.ts'
import { filePath, monthPath, type HistoryBucket } from './bucket.ts'
import type { ArchivedRow } from './group-rows.ts'
import { readRowsOfFiles, type ReadingBounds, type RowsOfFiles } from './read-rows.ts'

/** Columns of `events` that a report shows. */
export const EVENT_COLUMNS = [
  ...['number', 'timestamp', 'status', 'resource_type', 'resource_title', 'property', 'name'],
  ...['old_value', 'new_value', 'message', 'file', 'line', 'containment_path'],
  ...['containing_class', 'corrective_change'],
] as const
const COUNTED = [
  ...['number', 'producer_timestamp', 'status', 'corrective_change', 'certname', 'environment'],
] as const

/** The order of a list of events. */
export const newestFirst = (one: ArchivedRow, other: ArchivedRow): number =>
  Number(other['producer_timestamp']) - Number(one['producer_timestamp']) ||
  Number(other['number']) - Number(one['number'])

/** Which events: of a resource, or of all that have this title. */
export interface EventsWanted {
  readonly type: string | null
  readonly title: string
  readonly shows: (row: ArchivedRow) => boolean
  /** The newest rows, which have all columns; the others have what is counted. */
  readonly whole: number
  /** Of a file with more, none are given. */
  readonly most: number
}

/** Bytes of months' files that are in memory at a time. */
const MOST_BYTES_AT_ONCE = 32_000_000

/** The events of a resource in files of `events`. */
export const readEventsOfFiles = (
  bucket: HistoryBucket | undefined,
  files: readonly ReportsFile[],
  { type, title, shows, whole, most }: EventsWanted,
  bounds: ReadingBounds,
): Promise<RowsOfFiles> =>
  readRowsOfFiles(
    bucket,
    files.map(({ isDay, day, part }) => ({
      path: isDay ? filePath('events', day, part) : monthPath('events', day, part),
      bytes: null,
      isOptional: isDay,
    })),
    {
      ...{ shows, most },
      columns: COUNTED,
      further: {
        columns: [...EVENT_COLUMNS, 'report', 'configuration_version'],
        most: whole,
        order: newestFirst,
      },
      by: { resource_title: title, ...(type !== null && { resource_type: type }) },
    },
    { ...bounds, atOnce: Math.max(1, Math.floor(MOST_BYTES_AT_ONCE / largestOf(files))) },
  )

/** A day's `bytes` count the files of all tables; its file of events is small. */
const largestOf = (files: readonly ReportsFile[]): number =>
  Math.max(1, ...files.map(({ isDay, bytes }) => (isDay ? 0 : bytes)))
