/** What is done without being asked, once an hour: hours that are over are counted, what is too old goes. */

import type { Settings } from '../schema/settings.ts'
import { closeHours } from './close-hours.ts'
import type { Database } from '../store/database.ts'
import { alone } from '../store/lease.ts'
import { runRetention, type Retained } from './retention.ts'

export interface HouseKept {
  readonly hoursClosed: number
  readonly retention: readonly Retained[]
}

/** The name of the lease: whoever cleans up by hand takes it too. */
export const HOUSEKEEPING = 'housekeeping'

/**
 * @param now in ms
 * @returns null where somebody else is at it
 */
export const keepHouse = (
  database: Database,
  settings: Settings,
  now: number,
): Promise<HouseKept | null> =>
  alone(database, HOUSEKEEPING, async () => ({
    // Before retention, which thereby learns of late reports in hours that it had passed.
    hoursClosed: await closeHours(database, now),
    retention: await runRetention(database, settings, now),
  }))
