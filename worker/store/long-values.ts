/** Puts values of events that are longer than a row may be back into their rows. */

import { longValuesStatement } from '../sql/expand.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database, Row } from './database.ts'

/**
 * The rows with their long values whole. Rows of events end in their key, [report, n], and say beside
 * their columns whether a value of theirs is long; rarely one does, and then it costs a round trip.
 */
export async function withLongValues(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const flag = compiled.extras.indexOf('long')
  if (flag < 0) return rows
  const isLong = (row: Row): boolean => row[compiled.columns.length + flag] === 1
  const keys = [...new Set(rows.filter(isLong).map((row) => row.at(-2) as number))]
  if (keys.length === 0) return rows

  const [pieces] = await database.batch([longValuesStatement(keys)])
  const whole = new Map<string, string>()
  for (const [report, n, field, data] of pieces!) {
    const name = `${report} ${n} ${field}`
    whole.set(name, (whole.get(name) ?? '') + String(data))
  }
  return rows.map((row) =>
    isLong(row)
      ? row.map((value, index) => {
          const name = compiled.columns[index]?.name
          return whole.get(`${row.at(-2)} ${row.at(-1)} ${name}`) ?? value
        })
      : row,
  )
}
