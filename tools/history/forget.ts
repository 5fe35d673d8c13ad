/** Takes a node out of the history, as law may demand: writes the files that name it again, without its rows. */

import { filePath } from '../../worker/history/bucket.ts'
import { TableFile } from '../../worker/history/parquet.ts'
import type { HistoryRow, HistoryValue, NumberMap } from '../../worker/history/parquet-columns.ts'
import type { ReadRow } from './api-report.ts'
import {
  HISTORY_TABLE_NAMES,
  HISTORY_TABLES,
  type HistoryTable,
} from '../../worker/schema/history-tables.ts'
import { rowsIn } from './files.ts'
import { partsOf, type HistoryStore } from './store.ts'

/** Rows of a row group, as the service writes them. */
const ROWS_OF_GROUP = 5000

/** Prints each file that names the node and how many rows it loses. @param really whether to write */
export async function forgetNode(
  store: HistoryStore,
  certname: string,
  really: boolean,
): Promise<void> {
  let files = 0
  for (const part of await partsOf(store)) {
    // The reports last: until then a run that was interrupted is repeated.
    for (const table of HISTORY_TABLE_NAMES.toReversed()) {
      const path = filePath(table, part.day, part.part)
      const rows = await rowsIn(store, table, part)
      const kept = rows.filter((row) => row['certname'] !== certname)
      if (kept.length === rows.length) continue
      files++
      console.log(`${path}: ${rows.length - kept.length} of ${rows.length} rows`)
      if (!really) continue
      if (kept.length === 0) await store.remove(path)
      else await store.replace(path, await fileOf(table, kept))
    }
  }
  if (files === 0) console.log(`No file names ${certname}.`)
  else if (!really) console.log(`Nothing was changed. --yes takes ${certname} out of these files.`)
}

async function fileOf(table: HistoryTable, rows: readonly ReadRow[]): Promise<Uint8Array> {
  const file = await TableFile.begin(table)
  for (let from = 0; from < rows.length; from += ROWS_OF_GROUP)
    file.write(rows.slice(from, from + ROWS_OF_GROUP).map((row) => storedRow(table, row)))
  return file.finish()
}

const storedRow = (table: HistoryTable, row: ReadRow): HistoryRow =>
  HISTORY_TABLES[table].map(({ name, kind }): HistoryValue => {
    const value = (row[name] ?? null) as HistoryValue
    return kind === 'numbers' && value !== null ? numberMap(value) : value
  })

/** A map as readers give it: a list of entries, or an object. */
function numberMap(map: unknown): NumberMap {
  const entries = Array.isArray(map)
    ? (map as readonly { readonly key: string; readonly value: number }[])
    : Object.entries(map as Record<string, number>).map(([key, value]) => ({ key, value }))
  return { keys: entries.map(({ key }) => key), values: entries.map(({ value }) => value) }
}
