/** How the answers of two services differ, row by row. */

import type { Json } from '../../lib/json.ts'
import { jsonText } from '../../lib/lossless.ts'
import { rowKey, type Row } from './questions.ts'

export interface Difference {
  /** The row, by its key. */
  readonly where: string
  /** The column; null where one side lacks the row. */
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
  const rowsHere = new Map(here.map((row) => [rowKey(row, key), row]))
  const differences: Difference[] = []
  for (const row of puppetdb) {
    const where = rowKey(row, key)
    const other = rowsHere.get(where)
    rowsHere.delete(where)
    if (other === undefined)
      differences.push({ where, column: null, puppetdb: row, here: undefined })
    else differences.push(...columnsThatDiffer(where, row, other, ignored))
  }
  for (const [where, row] of rowsHere) {
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
    .filter((column) => textOf(puppetdb[column]) !== textOf(here[column]))
    .map((column) => ({ where, column, puppetdb: puppetdb[column], here: here[column] }))
}

/** A list of rows means the same in any order: events, logs and metrics are promised in none. */
function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  if (!Array.isArray(value)) return jsonText(value)
  return value
    .map((item: Json) => canonical(item))
    .sort()
    .join('\n')
}

const canonical = (item: Json): string =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
    ? Object.entries(item)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, held]) => `${name}=${jsonText(held)}`)
        .join('\t')
    : jsonText(item)
