/** Leases: a run that holds one keeps others from the same work until it gives the lease back, or the lease expires. */

import { MINUTE } from '../lib/time.ts'
import { text, typed } from '../sql/columns.ts'
import type { Database } from './database.ts'

/** Longer than any such work takes; after a crash nobody does the work for so long. */
const LEASE_MS = MINUTE

/** ?1 name, ?2 holder, ?3 until when, ?4 now. The holder may take it again, so that the statement may be sent twice. */
const TAKE = `insert into leases (name, holder, until) values (?1, ?2, ?3)
on conflict (name) do update set holder = excluded.holder, until = excluded.until
where until <= ?4 or holder = excluded.holder returning name`
const GIVE_BACK = 'delete from leases where name = ?1 and holder = ?2'

/**
 * Does the work under the lease of that name.
 *
 * @returns what the work returns; null where another run holds the lease
 */
export async function withLease<Result>(
  database: Database,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const holder = crypto.randomUUID()
  const now = Date.now()
  const params = [name, holder, now + LEASE_MS, now]
  const [taken] = await database.batch([typed({ name: text('name') }, { sql: TAKE, params })])
  if (taken.length === 0) return null
  try {
    return await work()
  } finally {
    await database.batch([{ sql: GIVE_BACK, params: [name, holder] }])
  }
}
