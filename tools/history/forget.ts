/** Takes a node out of the history, as law may demand: writes the files that name it again, without its rows. */

import { dayOfTime, pathOf, type HistoryPlace } from '../../worker/history/bucket.ts'
import { chunksOf } from '../../worker/history/copy-table.ts'
import { countsOf, packed } from '../../worker/history/merge-reports.ts'
import { MonthFile } from '../../worker/history/month-file.ts'
import { openBytes, tablesPair } from '../../worker/history/open-file.ts'
import {
  leavesOf,
  type HistoryValue,
  type NumberMap,
} from '../../worker/history/parquet-columns.ts'
import { parquetGroups } from './read-parquet.ts'
import type { ReadRow } from './api-report.ts'
import {
  HISTORY_TABLE_NAMES,
  HISTORY_TABLES,
  type HistoryTable,
} from '../../worker/schema/history-tables.ts'
import { typed } from '../../worker/local/commands.mjs'
import { placesOf, type HistoryStore } from './store.ts'

/** Prints each file that names the node and how many rows it loses. @param really whether to write */
export async function forgetNode(
  store: HistoryStore,
  certname: string,
  really: boolean,
): Promise<void> {
  let files = 0
  // The reports of a part last: until then a run that was interrupted is repeated.
  const order = HISTORY_TABLE_NAMES.toReversed()
  const places = placesOf(store, await store.list()).toSorted(
    (one, other) =>
      one.day - other.day ||
      one.part - other.part ||
      order.indexOf(one.table) - order.indexOf(other.table),
  )
  for (const place of places) {
    const path = pathOf(place)
    const bytes = await store.read(path)
    if (bytes === null) continue
    const { rows, forgotten, file } = await without(place, path, bytes, certname)
    if (forgotten === 0) continue
    files++
    console.log(`${path}: ${forgotten} of ${rows} rows`)
    if (!really) continue
    if (file === null) await store.remove(path)
    else await store.replace(path, file)
  }
  if (files === 0) console.log(`No file names ${certname}.`)
  else if (!really) console.log(`Nothing was changed. --yes takes ${certname} out of these files.`)
  else
    console.log(
      `The database still has the earlier numbers of these files, and may name ${certname}, as do its backups, until: ${typed('check-database', '--repair')}`,
    )
}

/** A file without the rows of a node: null where it has no others. Row groups that don't name the node are copied. */
async function without(
  { table, span, day: first }: HistoryPlace,
  path: string,
  bytes: Uint8Array,
  certname: string,
): Promise<{
  readonly rows: number
  readonly forgotten: number
  readonly file: Uint8Array | null
}> {
  const { tables } = openBytes(path, bytes)
  const file = await MonthFile.begin(table)
  const days: number[] = []
  const names: string[] = []
  let rows = 0
  for (const group of parquetGroups(bytes)) {
    const all = await group.rows()
    const kept = all.filter((row) => row['certname'] !== certname)
    rows += all.length
    for (const row of kept) {
      const day = dayOfTime(Number(row['producer_timestamp'])) - first
      days[day] = (days[day] ?? 0) + 1
    }
    if (kept.length === 0) continue
    names.push(String(kept[0]!['certname']), String(kept.at(-1)!['certname']))
    const isCopied = kept.length === all.length
    file.append(
      kept.length,
      isCopied ? await chunksOf(table, group.group, bytes) : await packedRows(table, kept),
    )
  }
  const isSorted = table === 'reports'
  const bounds = { first: isSorted ? names[0]! : '', last: isSorted ? names.at(-1)! : '' }
  const summary = span === 'month' ? { days: countsOf(days), ...bounds } : null
  // Its other tables lose the same reports.
  const pairs = tables === null ? [] : [tablesPair(tables)]
  return {
    rows,
    forgotten: rows - file.rows,
    file: file.rows === 0 ? null : file.finish(path, summary, pairs),
  }
}

async function packedRows(table: HistoryTable, rows: readonly ReadRow[]) {
  const library = await import('../../worker/history/parquet-library.ts')
  return leavesOf(table).map((leaf) => {
    const { name, kind } = HISTORY_TABLES[table][leaf.place]!
    const values = rows.map((row): HistoryValue => {
      const value = (row[name] ?? null) as HistoryValue
      return kind === 'numbers' && value !== null ? numberMap(value) : value
    })
    return packed(library, leaf, values)
  })
}

/** A map as readers give it: a list of entries, or an object. */
function numberMap(map: unknown): NumberMap {
  const entries = Array.isArray(map)
    ? (map as readonly { readonly key: string; readonly value: number }[])
    : Object.entries(map as Record<string, number>).map(([key, value]) => ({ key, value }))
  return { keys: entries.map(({ key }) => key), values: entries.map(({ value }) => value) }
}
