/** Work that one at a time may do: whoever takes the lease first; others find it taken until it is given back, or too old. */

import type { Database } from './database.ts'

/** Longer than any such work takes; after a crash nobody does it for so long. */
const LEASE_MS = 60_000

/** ?1 name, ?2 holder, ?3 until when, ?4 now. Taken again by its own holder, so that it may be sent twice. */
const TAKE = `INSERT INTO leases (name, holder, until) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE until <= ?4 OR holder = excluded.holder RETURNING 1`
const GIVE_BACK = 'DELETE FROM leases WHERE name = ?1 AND holder = ?2'

/**
 * Does the work unless somebody else is doing it.
 *
 * @returns what the work returns; null where somebody else is at it
 */
export async function alone<Result>(
  database: Database,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const holder = crypto.randomUUID()
  const now = Date.now()
  const params = [name, holder, now + LEASE_MS, now]
  const [taken] = await database.batch([{ sql: TAKE, params }])
  if (taken!.length === 0) return null
  try {
    return await work()
  } finally {
    await database.batch([{ sql: GIVE_BACK, params: [name, holder] }])
  }
}
