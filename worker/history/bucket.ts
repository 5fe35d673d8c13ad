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

interface HistoryListing {
  readonly objects: readonly { readonly key: string; readonly size: number }[]
  readonly truncated: boolean
  readonly cursor?: string
}

/** A file of the history. */
export interface HistoryFile {
  readonly table: HistoryTable
  /** Number of the day since 1970. */
  readonly day: number
  readonly part: number
  readonly bytes: number
}

/** `2026-03-02` */
export const dateOf = (day: number): string => new Date(dayStart(day)).toISOString().slice(0, 10)

/** `reports/date=2026-03-02/` */
export const dayPrefix = (table: HistoryTable, day: number): string =>
  `${table}/date=${dateOf(day)}/`

/** `reports/date=2026-03-02/000.parquet` */
export const filePath = (table: HistoryTable, day: number, part: number): string =>
  `${dayPrefix(table, day)}${String(part).padStart(3, '0')}.parquet`

const PATH = new RegExp(
  `^(${HISTORY_TABLE_NAMES.join('|')})/date=(\\d{4}-\\d\\d-\\d\\d)/(\\d{3,})\\.parquet$`,
)

/** What a path names; null where it is no file of the history. */
export function readPath(path: string): Omit<HistoryFile, 'bytes'> | null {
  const [, table, date = '', part] = PATH.exec(path) ?? []
  const day = Date.parse(date) / DAY
  if (table === undefined || Number.isNaN(day)) return null
  return { table: table as HistoryTable, day, part: Number(part) }
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

/** The first of these files, in one request: those of the oldest days. */
export const firstFiles = async (bucket: HistoryBucket, prefix: string): Promise<HistoryFile[]> =>
  filesOf(await bucket.list({ prefix }))
