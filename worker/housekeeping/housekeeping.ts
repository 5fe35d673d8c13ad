/** Housekeeping, which a trigger runs once an hour: closes hours that are over, then applies retention. */

import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { withLease } from '../store/lease.ts'
import { closeHours } from './close-hours.ts'
import { runRetention, type RetentionResult } from './retention.ts'

export interface HousekeepingResult {
  readonly hoursClosed: number
  readonly retention: readonly RetentionResult[]
}

/** The trigger in `wrangler.toml` that starts housekeeping. */
export const HOUSEKEEPING_CRON = '13 * * * *'

/** The lease for every cleanup, including one that a client requests. */
export const HOUSEKEEPING_LEASE = 'housekeeping'

/**
 * @param now in ms
 * @returns null where another run holds the lease
 */
export const runHousekeeping = (
  database: Database,
  settings: Settings,
  now: number,
): Promise<HousekeepingResult | null> =>
  withLease(database, HOUSEKEEPING_LEASE, async () => ({
    // Before retention, because closing an hour moves retention back to the late reports in it.
    hoursClosed: await closeHours(database, now),
    retention: await runRetention(database, settings, now),
  }))
