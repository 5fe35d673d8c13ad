/** Restores the values of events that are too long for a row. */

import { longValuesStatement } from '../sql/expand.ts'
import type { PageRow } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database } from './database.ts'

/**
 * The rows with their long values whole. Few events have a long value; a page with one costs one more round trip.
 */
export async function withLongValues(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly PageRow[],
): Promise<readonly PageRow[]> {
  if (!compiled.extras.includes('long')) return rows
  const isLong = (row: PageRow): boolean => row['extra.long'] === 1
  const keys = [...new Set(rows.filter(isLong).map((row) => row['key.report']))]
  if (keys.length === 0) return rows

  const [pieces] = await database.batch([longValuesStatement(keys)])
  const whole = new Map<string, string>()
  for (const { report, n, field, data } of pieces) {
    const name = `${report} ${n} ${field}`
    whole.set(name, (whole.get(name) ?? '') + data)
  }
  return rows.map((row) => (isLong(row) ? withWhole(row, compiled, whole) : row))
}

/** @param whole long values by `report n field` */
function withWhole(
  row: PageRow,
  { columns }: CompiledSelect,
  whole: ReadonlyMap<string, string>,
): PageRow {
  const found = columns.flatMap(({ name }) => {
    const value = whole.get(`${row['key.report']} ${row['key.n']} ${name}`)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...row, ...Object.fromEntries(found) }
}
