/** The files of a folder of history, and their rows. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filePath, readPath, type HistoryFile } from '../../history/bucket.ts'
import { readParquet } from '../../history/read-parquet.ts'
import type { ReadRow } from '../../history/api-report.ts'
import { HistoryError } from './history-error.ts'

export type PartOfDay = Pick<HistoryFile, 'day' | 'part'>

/** The parts of a folder, in the order of days. @throws HistoryError if there are none */
export async function partsIn(folder: string): Promise<PartOfDay[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const parts = names
    .flatMap((name) => readPath(name) ?? [])
    .filter(({ table }) => table === 'reports')
    .toSorted((one, other) => one.day - other.day || one.part - other.part)
  if (parts.length === 0) throw new HistoryError(`${folder} holds no history.`)
  return parts
}

/** The rows of one file of a part; none where the part has no such file. */
export async function rowsIn(
  folder: string,
  table: HistoryFile['table'],
  { day, part }: PartOfDay,
): Promise<ReadRow[]> {
  const file = await readFile(join(folder, filePath(table, day, part))).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
  return file === null ? [] : readParquet(file)
}
