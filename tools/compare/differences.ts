/** Finds the differences between the answers of two services, row by row. */

import type { Json } from '../../worker/lib/json.ts'
import { canonicalText, ExactNumber, isList, isRecord } from '../../worker/lib/lossless.ts'
import { rowKey, type Row } from './questions.ts'

export interface Difference {
  /** The row, by its key. */
  readonly where: string
  /** The column; null if one side lacks the row. */
  readonly column: string | null
  readonly puppetdb: Json | undefined
  readonly here: Json | undefined
}

/** @param key columns of a row's key @param ignored columns that may differ */
export function differencesOf(
  puppetdb: readonly Row[],
  here: readonly Row[],
  key: readonly string[],
  ignored: ReadonlySet<string> = new Set(),
): Difference[] {
  // Equal rows are matched one to one.
  const rowsHere = new Map<string, Row[]>()
  for (const row of here) {
    const where = rowKey(row, key)
    const rows = rowsHere.get(where)
    if (rows === undefined) rowsHere.set(where, [row])
    else rows.push(row)
  }
  const differences: Difference[] = []
  for (const row of puppetdb) {
    const where = rowKey(row, key)
    const other = rowsHere.get(where)?.shift()
    if (other === undefined)
      differences.push({ where, column: null, puppetdb: row, here: undefined })
    else differences.push(...columnsThatDiffer(where, row, other, ignored))
  }
  for (const [where, rows] of rowsHere) {
    for (const row of rows)
      differences.push({ where, column: null, puppetdb: undefined, here: row })
  }
  return differences
}

function columnsThatDiffer(
  where: string,
  puppetdb: Row,
  here: Row,
  ignored: ReadonlySet<string>,
): Difference[] {
  const columns = [...new Set([...Object.keys(puppetdb), ...Object.keys(here)])]
  return columns
    .filter((column) => !ignored.has(column))
    .map((column) => ({ where, column, ...withoutCommon(puppetdb[column], here[column]) }))
    .filter((difference) => textOf(difference.puppetdb) !== textOf(difference.here))
}

/** The items that only one of two lists has. Events, logs and metrics have no guaranteed order. */
function withoutCommon(
  one: Json | undefined,
  other: Json | undefined,
): Pick<Difference, 'puppetdb' | 'here'> {
  if (one === undefined || other === undefined || !isList(one) || !isList(other)) {
    return { puppetdb: one, here: other }
  }
  return { puppetdb: itemsWithout(one, other), here: itemsWithout(other, one) }
}

/** The items that are not among the others; equal items are matched one to one. */
function itemsWithout(items: readonly Json[], others: readonly Json[]): readonly Json[] {
  const counts = new Map<string, number>()
  for (const other of others) {
    const text = textOf(other)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return items.filter((item) => {
    const text = textOf(item)
    const left = counts.get(text) ?? 0
    counts.set(text, left - 1)
    return left <= 0
  })
}

const textOf = (value: Json | undefined): string =>
  value === undefined ? '' : canonicalText(plainNumbers(value))

/** Numbers by value: `1.0E21` equals `1000000000000000000000`, which are parsed into different types. */
function plainNumbers(value: Json): Json {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : String(BigInt(value))
  if (value instanceof ExactNumber) return value.literal
  if (isList(value)) return value.map(plainNumbers)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plainNumbers(held)]))
}
