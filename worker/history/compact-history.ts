/** Compacts months of the history by code that only housekeeping needs, and so loads first. */

import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import type { Compacted } from './compact-months.ts'
import type { History } from './history.ts'

/** @param now in ms */
export async function compactHistory(
  database: Database,
  history: History,
  settings: Settings,
  now: number,
): Promise<Compacted> {
  const { compactMonths } = await import('./compact-months.ts')
  return compactMonths(database, history, settings, now)
}
