/** Writes days of the history straight into the bucket, as the archive does, and compacts them. */

import { env } from 'cloudflare:workers'
import { wholeReport } from '../../bench/history/whole-report.ts'
import { fleetCommands, type FleetOptions } from '../../tools/fleet/fleet.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'
import { dayOfTime, readPath, type HistoryBucket } from '../../worker/history/bucket.ts'
import { compactMonths, type Compacted } from '../../worker/history/compact-months.ts'
import { readPending, recordReader, wholeFiles } from '../../worker/history/compaction.ts'
import { PartWriter } from '../../worker/history/part-writer.ts'
import type { WholeReport } from '../../worker/history/read-reports.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../../worker/schema/history-tables.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { methods } from './history-faults.ts'
import { rowsByFile } from './history-files.ts'

/** The files of the part that holds a fleet's reports, by their path. @param changed what the reports are made into */
export async function filesOfPart(
  fleet: FleetOptions & { readonly start: number },
  part: number,
  changed: (report: WholeReport) => WholeReport = (report) => report,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  const writer = await PartWriter.begin(['events', 'logs', 'metrics'])
  const reports = [...fleetCommands(fleet)].map((command) => changed(wholeReport(command)))
  await writer.add(
    reports.toSorted((one, other) =>
      String(one.values['certname']) < String(other.values['certname']) ? -1 : 1,
    ),
  )
  const put: HistoryBucket['put'] = (path, bytes) => Promise.resolve(files.set(path, bytes.slice()))
  await writer.put({ ...methods, put }, dayOfTime(fleet.start), part)
  return files
}

/** The rows of a table in the files that count while a month is compacted. */
export async function wholeRows(table: HistoryTable): Promise<ReadRow[]> {
  const files = await rowsByFile(table)
  const pending = await readPending(recordReader(methods))
  const places = [...files.keys()].map((path) => ({ path, ...readPath(path)! }))
  return wholeFiles(places, pending).flatMap(({ path }) => files.get(path)!)
}

/** On the slowest machine. */
const LONG_ENOUGH_MS = 3_600_000

/** @param now in ms */
export const compactAt = (
  now: number,
  bindings: { readonly DB: D1Database; readonly HISTORY: HistoryBucket },
  settings: object = {},
): Promise<Compacted> =>
  compactMonths(
    Database.primary(bindings.DB),
    { bucket: bindings.HISTORY, tables: HISTORY_TABLE_NAMES, required: true },
    readSettings({ ...env, ...settings }),
    now,
    LONG_ENOUGH_MS,
  )

/** A bucket that counts its reads. */
export function countingBucket(): { readonly bucket: HistoryBucket; readonly reads: () => number } {
  let reads = 0
  const get: HistoryBucket['get'] = (...args) => {
    reads++
    return methods.get(...args)
  }
  return { bucket: { ...methods, get }, reads: () => reads }
}
