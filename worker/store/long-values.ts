/** Reads the long values of events, which a page of rows lacks. */

import { piecesStatement, valuesStatement, type EventKey } from '../sql/expand.ts'
import type { PageRow } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database } from './database.ts'

/** Characters of long values that are read at a time; a single row may have more. */
const MOST_CHARACTERS = 1_000_000

/** Splits rows into runs whose long values have at most MOST_CHARACTERS together; a single row may have more. */
function runsBySize(rows: readonly PageRow[]): PageRow[][] {
  const runs: PageRow[][] = []
  let held = Infinity
  for (const row of rows) {
    const size = row['extra.size']
    if (held + size > MOST_CHARACTERS) {
      runs.push([])
      held = 0
    }
    runs.at(-1)!.push(row)
    held += size
  }
  return runs
}

/**
 * The rows with their long values whole, some at a time. Few events have a long value; a page with one costs one more round
 * trip, and one with many costs one for each megabyte.
 */
export async function* wholeRows(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly PageRow[],
): AsyncGenerator<readonly PageRow[]> {
  if (!compiled.extras.includes('long') || rows.every((row) => row['extra.size'] === 0)) {
    yield rows
    return
  }
  for (const run of runsBySize(rows)) yield await withLongValues(database, compiled, run)
}

type Values = Readonly<Record<string, string | null>>

async function withLongValues(
  database: Database,
  { columns }: CompiledSelect,
  rows: readonly PageRow[],
): Promise<readonly PageRow[]> {
  const long = rows.filter((row) => row['extra.size'] > 0)
  if (long.length === 0) return rows
  const keysOf = (some: readonly PageRow[]) =>
    some.map((row): EventKey => [row['key.report'], row['key.n']])
  const apart = long.filter((row) => row['extra.long'] === 1)
  const [inRows, pieces] = await database.batch([
    valuesStatement(keysOf(long)),
    piecesStatement(keysOf(apart)),
  ])
  const values = new Map<string, Record<string, string | null>>()
  for (const { report, n, ...inRow } of inRows) values.set(`${report} ${n}`, inRow)
  const begun = new Set<string>()
  for (const { report, n, field, data } of pieces) {
    const ofEvent = values.get(`${report} ${n}`)!
    // The row holds the beginning of a value that is in pieces.
    const name = `${report} ${n} ${field}`
    ofEvent[field] = begun.has(name) ? `${ofEvent[field]}${data}` : data
    begun.add(name)
  }
  const names = columns.map(({ name }) => name)
  return rows.map((row) => {
    const whole: Values | undefined = values.get(`${row['key.report']} ${row['key.n']}`)
    if (whole === undefined) return row
    const found = names.flatMap((name) => (name in whole ? [[name, whole[name]] as const] : []))
    return { ...row, ...Object.fromEntries(found) }
  })
}
