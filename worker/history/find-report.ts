/** Looks for one report in the history by its hash, newest days first behind the age at which reports are deleted. */

import { log } from '../lib/log.ts'
import type { ReportsFile } from '../store/history-places.ts'
import { filePath, monthPath, type HistoryBucket } from './bucket.ts'
import { DamagedPart, remedyOfFile } from './open-file.ts'
import { holdsHash } from './part-hashes.ts'
import { readRowsOfFiles } from './read-rows.ts'

/** Each is a file of `reports`, a megabyte at most of a day, six of a month. A report that somebody still has a link to was deleted lately. */
export const MOST_PARTS_SEARCHED = 30
/** Requests that a Worker has open at a time. */
const AT_ONCE = 6
const LONGEST_SEARCH_MS = 2000

/** Where a report is, or how many parts were searched for it. */
export interface ReportSearch {
  readonly found: ReportsFile | null
  readonly searched: number
  /** Paths of the parts that could not be searched. */
  readonly unreadable: readonly string[]
}

/** @param parts in the order in which to search them */
export async function findReport(
  bucket: HistoryBucket,
  parts: readonly ReportsFile[],
  hash: string,
): Promise<ReportSearch> {
  const until = Date.now() + LONGEST_SEARCH_MS
  const unreadable: string[] = []
  const holds = async (path: string): Promise<boolean> => {
    try {
      return await holdsHash(bucket, path, hash)
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error
      log('error', { history: `${error.message}. ${remedyOfFile(error)}` })
      unreadable.push(path)
      return false
    }
  }
  let searched = 0
  while (searched < parts.length && Date.now() < until) {
    const some = parts.slice(searched, searched + AT_ONCE)
    const held = await Promise.all(some.map((file) => holds(reportsPath(file))))
    searched += some.length
    const found = some.find((_, index) => held[index])
    if (found !== undefined) return { found, searched, unreadable }
  }
  return { found: null, searched, unreadable }
}

/** The path of a file of `reports`. */
export const reportsPath = ({ day, isDay, part }: ReportsFile): string =>
  isDay ? filePath('reports', day, part) : monthPath('reports', day, part)

/** By what a report is found in the history, beside its hash. */
export interface ReportHint {
  readonly certname: string
  /** The producer timestamp, in ms. */
  readonly time: number
}

/** @returns null where the file has no such report, or can't be read */
export async function readReportHint(
  bucket: HistoryBucket,
  file: ReportsFile,
  hash: string,
): Promise<ReportHint | null> {
  const { files } = await readRowsOfFiles(
    bucket,
    [{ path: reportsPath(file), bytes: null }],
    {
      columns: ['certname', 'producer_timestamp'],
      by: { hash },
    },
    { reads: 1, milliseconds: Infinity },
  )
  const row = files[0]?.rows[0]
  return row === undefined
    ? null
    : { certname: String(row['certname']), time: Number(row['producer_timestamp']) }
}
