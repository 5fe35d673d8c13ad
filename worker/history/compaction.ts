/**
 * A compaction of days into months, as object storage knows it. `compactions/2026-03-000.json` lists the days' files before
 * the first file of the month is written, and the month's own files that are merged with them. From `compactions/2026-03-000.done`
 * on, which is put last, the new files hold what the listed ones do; before, they hold nothing. Both records are deleted after
 * the listed files. So a reader of these rules never misses a report or finds it twice, wherever a run ends.
 */

import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { dateOf, pathOf, type FileSpan, type HistoryBucket, type HistoryPlace } from './bucket.ts'

/** A file that is compacted: of a day, or of the month itself. */
export interface CompactedFile {
  readonly span: FileSpan
  readonly day: number
  readonly part: number
  readonly bytes: number
}

export interface Compaction {
  /** The first day of the month. */
  readonly month: number
  /** The number of the first file that it writes, in each table. */
  readonly from: number
  /** The month's own files first, then the files of days, in the order of days and parts. */
  readonly files: Readonly<Record<HistoryTable, readonly CompactedFile[]>>
}

const PREFIX = 'compactions/'
const PATH = /^compactions\/\d{4}-\d\d-\d{3,}\.(json|done)$/

/** Whether a path names a record of a compaction. */
export const isCompactionPath = (path: string): boolean => PATH.test(path)

const nameOf = ({ month, from }: Compaction): string =>
  `${PREFIX}${dateOf(month).slice(0, 7)}-${String(from).padStart(3, '0')}`
export const recordPath = (compaction: Compaction): string => `${nameOf(compaction)}.json`
export const donePath = (compaction: Compaction): string => `${nameOf(compaction)}.done`

/** A compaction that is under way, and whether its month is complete. */
export interface Pending {
  readonly compaction: Compaction
  readonly isDone: boolean
}

/** What reads the records: the paths below a prefix, and a file as text, null where it is there no more. */
export interface RecordReader {
  readonly list: (prefix: string) => Promise<readonly string[]>
  readonly readText: (path: string) => Promise<string | null>
}

export const recordReader = (bucket: HistoryBucket): RecordReader => ({
  async list(prefix) {
    const { objects } = await bucket.list({ prefix })
    return objects.map(({ key }) => key)
  },
  async readText(path) {
    const object = await bucket.get(path)
    return object === null ? null : new TextDecoder().decode(await object.arrayBuffer())
  },
})

/** The compactions under way. None most of the time, and hardly ever more than one. */
export const readPending = async (reader: RecordReader): Promise<readonly Pending[]> =>
  (await readRecords(reader)).pending

/** The compactions under way, and the records that one left which was killed when it was over: they say nothing. */
export async function readRecords({ list, readText }: RecordReader): Promise<{
  readonly pending: readonly Pending[]
  readonly left: readonly string[]
}> {
  const paths = await list(PREFIX)
  const pending: Pending[] = []
  for (const path of paths.filter((one) => one.endsWith('.json'))) {
    const record = await readText(path)
    if (record === null) continue
    const compaction = JSON.parse(record) as Compaction
    pending.push({ compaction, isDone: paths.includes(donePath(compaction)) })
  }
  const left = paths.filter(
    (path) => path.endsWith('.done') && !paths.includes(path.replace(/done$/, 'json')),
  )
  return { pending, left }
}

/** Whether a file is among those that a compaction takes. */
export const isTaken = ({ files }: Compaction, { table, span, day, part }: HistoryPlace): boolean =>
  files[table].some((one) => one.span === span && one.day === day && one.part === part)

/** Whether the file of a month is one that a compaction writes. */
const isWritten = ({ month, from }: Compaction, { span, day, part }: HistoryPlace): boolean =>
  span === 'month' && day === month && part >= from

/** The files that hold each row once: without those that an incomplete compaction wrote, and those that a complete one took. */
export const wholeFiles = <File extends HistoryPlace>(
  files: readonly File[],
  pending: readonly Pending[],
): File[] =>
  files.filter((file) =>
    pending.every(({ compaction, isDone }) =>
      isDone ? !isTaken(compaction, file) : !isWritten(compaction, file),
    ),
  )

/** The paths of the files that a compaction takes, `reports` first. */
export const takenPaths = ({ files }: Compaction): string[] =>
  HISTORY_TABLE_NAMES.flatMap((table) => files[table].map((file) => pathOf({ table, ...file })))
