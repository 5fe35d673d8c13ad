/** Leases keep a second run from doing the same work until the holder releases its lease, or the lease expires. */

import { MINUTE } from '../lib/time.ts'
import { text, typed } from '../sql/columns.ts'
import type { Database } from './database.ts'

/** For work that takes seconds. */
const LEASE_MS = MINUTE

/**
 * ?1 name, ?2 holder, ?3 expiry, ?4 now. The holder may take the lease again, so the statement may be sent twice. One that ends
 * much later than any was taken while the clock was ahead, and would never end.
 */
const TAKE = `insert into leases (name, holder, until) values (?1, ?2, ?3)
on conflict (name) do update set holder = excluded.holder, until = excluded.until
where until <= ?4 or until > ?3 + ?3 - ?4 or holder = excluded.holder returning name`
const GIVE_BACK = 'delete from leases where name = ?1 and holder = ?2'

/**
 * Does the work while holding the lease of that name.
 *
 * @param milliseconds longer than the work takes; after a crash, it is blocked for this long
 * @returns the result of the work; null where another run holds the lease
 */
export async function withLease<Result>(
  database: Database,
  name: string,
  work: () => Promise<Result>,
  milliseconds = LEASE_MS,
): Promise<Result | null> {
  const holder = crypto.randomUUID()
  const now = Date.now()
  const params = [name, holder, now + milliseconds, now]
  const [taken] = await database.batch([typed({ name: text('name') }, { sql: TAKE, params })])
  if (taken.length === 0) return null
  try {
    return await work()
  } finally {
    await database.batch([{ sql: GIVE_BACK, params: [name, holder] }])
  }
}
