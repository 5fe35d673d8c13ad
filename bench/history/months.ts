/** Compacts a year of history, as housekeeping does, and measures how it answers the years of a node. */

import { setTimeout as sleep } from 'node:timers/promises'
import { app } from '../../worker/app.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { compactMonths } from '../../worker/history/compact-months.ts'
import { DAY } from '../../worker/lib/time.ts'
import { HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { OPEN } from '../binding.ts'

/** As long as the hour between two runs of housekeeping. */
const LONGEST_MS = 3_600_000

/** What a compaction came to. */
export interface Compaction {
  readonly months: number
  readonly files: number
  readonly seconds: number
}

/** @param now in ms @throws Error where a month can't be compacted */
export async function compactYear(
  DB: D1Database,
  bucket: HistoryBucket,
  now: number,
): Promise<Compaction> {
  const begun = performance.now()
  const { failure, months, files } = await compactMonths(
    Database.primary(DB),
    { bucket, tables: HISTORY_TABLE_NAMES, required: true },
    readSettings({ ...OPEN, DB }),
    now,
    LONGEST_MS,
  )
  if (failure !== null) throw new Error(failure)
  return { months, files, seconds: (performance.now() - begun) / 1000 }
}

/** The years of a node or a resource, as the panel of the page answers them. */
interface Years {
  readonly runs?: number
  readonly changes?: number | readonly object[]
  readonly looked: {
    readonly from: string | null
    readonly files: number
    readonly reads: number
    readonly unreadable: readonly string[]
  }
}

/** A year: how long its answer took, CPU of this process, runs of a node or changes of a resource, and requests to object storage. */
export interface MeasuredYear {
  readonly milliseconds: number
  readonly cpuMilliseconds: number
  readonly rows: number
  readonly reads: number
  readonly bytes: number
}

/**
 * Asks for the years of a node or a resource, where each read takes so much longer.
 *
 * @param path below `/insight/v1`
 * @throws Error where a file can't be read
 */
export async function measuredYear(
  DB: D1Database,
  bucket: HistoryBucket,
  path: string,
  latencyMs: number,
): Promise<MeasuredYear> {
  let [reads, bytes] = [0, 0]
  const slow: HistoryBucket = {
    ...bucket,
    async get(key, options) {
      reads++
      bytes += options?.range?.length ?? 0
      const [object] = await Promise.all([bucket.get(key, options), sleep(latencyMs)])
      return object
    },
  }
  const request = new Request(`http://bench.example/insight/v1${path}`)
  const [begun, cpu] = [performance.now(), process.cpuUsage()]
  const response = await app.fetch(request, { ...OPEN, DB, HISTORY: slow })
  const { runs, changes, looked } = await response.json<Years>()
  const milliseconds = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  if (response.status !== 200 || looked.unreadable.length > 0)
    throw new Error(`${path}: ${response.status}, unreadable ${looked.unreadable.join(', ')}`)
  const rows = Number(runs ?? changes)
  return { milliseconds, cpuMilliseconds: (user + system) / 1000, rows, reads, bytes }
}

/** When all months of a year are compacted. @param end number of the day after it */
export const compactedBy = (end: number): number => (end + 60) * DAY
