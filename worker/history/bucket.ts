/** The object storage of the history: the methods of an R2 bucket that it needs, and the paths of files. */

import { DAY } from '../lib/time.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { dayStart } from '../sql/encoding.ts'

/** An R2 bucket, or a folder behind the same methods. */
export interface HistoryBucket {
  /** @returns null where the condition does not hold */
  readonly put: (
    key: string,
    bytes: Uint8Array,
    options?: { readonly onlyIf?: { readonly etagDoesNotMatch: string } },
  ) => Promise<object | null>
  readonly get: (
    key: string,
    options?: { readonly range?: { readonly offset: number; readonly length: number } },
  ) => Promise<HistoryObject | null>
  readonly list: (options: {
    readonly prefix: string
    readonly cursor?: string
  }) => Promise<HistoryListing>
  readonly delete: (keys: string[]) => Promise<void>
}

export interface HistoryObject {
  /** Of the whole object, also where a range was read. */
  readonly size: number
  readonly body: ReadableStream
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** What gives the bytes of files. */
export interface HistoryReader {
  readonly get: (
    ...parameters: Parameters<HistoryBucket['get']>
  ) => Promise<Pick<HistoryObject, 'arrayBuffer'> | null>
}

interface HistoryListing {
  readonly objects: readonly { readonly key: string; readonly size: number }[]
  readonly truncated: boolean
  readonly cursor?: string
}

/** The time that a file holds: one UTC day, or a month that was compacted from days. */
export type FileSpan = 'day' | 'month'

/** A file of the history. */
export interface HistoryFile {
  readonly table: HistoryTable
  readonly span: FileSpan
  /** Number of the day since 1970; of a month, of its first day. */
  readonly day: number
  readonly part: number
  readonly bytes: number
}
/** A file of the history by its place. */
export type HistoryPlace = Omit<HistoryFile, 'bytes'>

/** `2026-03-02` */
export const dateOf = (day: number): string => new Date(dayStart(day)).toISOString().slice(0, 10)

/** The day of a time in ms. */
export const dayOfTime = (milliseconds: number): number => Math.floor(milliseconds / DAY)

/** The first day of a day's month. */
export const monthOf = (day: number): number => Date.parse(`${dateOf(day).slice(0, 7)}-01`) / DAY

/** The first day of the next month. @param month its first day */
export const monthAfter = (month: number): number => monthOf(month + 31)

/** `reports/date=2026-03-02/` */
export const dayPrefix = (table: HistoryTable, day: number): string =>
  `${table}/date=${dateOf(day)}/`

/** `reports/month=2026-03/` @param month its first day */
export const monthPrefix = (table: HistoryTable, month: number): string =>
  `${table}/month=${dateOf(month).slice(0, 7)}/`

const partName = (part: number): string => `${String(part).padStart(3, '0')}.parquet`

/** `reports/date=2026-03-02/000.parquet` */
export const filePath = (table: HistoryTable, day: number, part: number): string =>
  `${dayPrefix(table, day)}${partName(part)}`

/** `reports/month=2026-03/000.parquet` @param month its first day */
export const monthPath = (table: HistoryTable, month: number, part: number): string =>
  `${monthPrefix(table, month)}${partName(part)}`

/** The path of a file of a day or a month. */
export const pathOf = ({ table, span, day, part }: HistoryPlace): string =>
  span === 'day' ? filePath(table, day, part) : monthPath(table, day, part)

const PATH = new RegExp(
  `^(${HISTORY_TABLE_NAMES.join('|')})/(?:date=(\\d{4}-\\d\\d-\\d\\d)|month=(\\d{4}-\\d\\d))/(\\d{3,})\\.parquet$`,
)

/** What a path names; null where it is no file of the history. */
export function readPath(path: string): HistoryPlace | null {
  const [, table, date, month, part] = PATH.exec(path) ?? []
  const day = Date.parse(date ?? `${month}-01`) / DAY
  if (table === undefined || Number.isNaN(day)) return null
  const span = date === undefined ? 'month' : 'day'
  return { table: table as HistoryTable, span, day, part: Number(part) }
}

/** Other files of the bucket are passed over. */
const filesOf = ({ objects }: HistoryListing): HistoryFile[] =>
  objects.flatMap(({ key, size }) => {
    const path = readPath(key)
    return path === null ? [] : [{ ...path, bytes: size }]
  })

/** The files whose path begins with the prefix. */
export async function listFiles(bucket: HistoryBucket, prefix: string): Promise<HistoryFile[]> {
  const files: HistoryFile[] = []
  for (let cursor: string | undefined; ;) {
    const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) })
    files.push(...filesOf(page))
    if (!page.truncated) return files
    cursor = page.cursor
  }
}

/** The first of these files, in one request. */
export const firstFiles = async (bucket: HistoryBucket, prefix: string): Promise<HistoryFile[]> =>
  filesOf(await bucket.list({ prefix }))

/** Files that one request deletes. Source: Cloudflare's documentation of R2. */
const MOST_DELETED_FILES = 1000

export async function deleteFiles(bucket: HistoryBucket, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += MOST_DELETED_FILES)
    await bucket.delete(paths.slice(from, from + MOST_DELETED_FILES))
}
