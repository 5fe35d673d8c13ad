/** Stores when the stretches began that last at the end of the last closed hour: a cause at a time may read as much as a large page. */

import { failingAtEnd, stretchBeginnings } from '../outcomes/stretch.ts'
import type { Runs } from '../outcomes/view.ts'
import { fillStretches, RESERVE_STRETCHES } from '../store/hour-groups.ts'
import type { Database } from '../store/database.ts'

/** Rows that a batch reads, unless a single cause needs more: reports wait for it where SQLite runs on the thread that stores them. */
const ROWS_AT_ONCE = 20_000

/**
 * Stores nothing where a node comes or goes meanwhile: the next run of housekeeping tries again.
 *
 * @param rowsAtOnce rows that a batch reads, unless a single cause needs more
 */
export async function storeStretches(
  database: Database,
  runs: Runs,
  rowsAtOnce = ROWS_AT_ONCE,
): Promise<void> {
  const [, [end]] = await database.batch([RESERVE_STRETCHES, failingAtEnd()])
  if (end === undefined) return
  const { hour, inactive, failing } = end
  const since: Record<number, number | null> = {}
  for (let done = 0, causes = 1; done < failing.length;) {
    const part = failing.slice(done, done + causes)
    const before = database.usage.rowsRead
    const [beginnings] = await database.batch([stretchBeginnings(runs, part)])
    if (beginnings.some((one) => one.inactive !== inactive)) return
    for (const one of beginnings) since[one.cause] = one.since
    done += part.length
    const rowsOfOne = (database.usage.rowsRead - before) / part.length
    causes = Math.max(1, Math.floor(rowsAtOnce / rowsOfOne))
  }
  await database.batch(fillStretches(hour, inactive, since))
}
