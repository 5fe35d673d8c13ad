/** Deleting a node with all that is its own, in bounded steps: its reports oldest first, the latest and the node itself last. */

import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { inBatches, MOST_REPORTS, remove, type Doomed, type Guard } from './delete-reports.ts'

/** What has been deleted. */
export interface DeletedNode {
  /** Whether there is no such node any more; otherwise some of it is left for another call. */
  readonly gone: boolean
  readonly reports: number
}

/** Reads a page of its reports: all but the latest first. ?1 node. */
const READ_REPORTS = `SELECT r.id, r.events FROM reports r
WHERE r.node = ?1 AND r.id IS NOT (SELECT latest FROM nodes WHERE id = ?1) LIMIT ${MOST_REPORTS}`
const READ_NODE = `SELECT n.id AS c0, r.id AS c1, r.events AS c2 FROM nodes n LEFT JOIN reports r ON r.id = n.latest WHERE n.certname = ?1`

/** Still the node that was to go: ?2 node, ?3 the time before which it must have become inactive, null where any will do. */
const STILL = `EXISTS (SELECT 1 FROM nodes n WHERE n.id = ?2 AND (?3 IS NULL OR n.deactivated < ?3 OR n.expired < ?3))`
const OTHERS = `r.node = ?2 AND r.id IS NOT (SELECT latest FROM nodes WHERE id = ?2) AND ${STILL}`
/** The latest, once it is the only one. */
const ONLY = `r.node = ?2 AND ${STILL} AND NOT EXISTS (SELECT 1 FROM reports o WHERE o.node = ?2 AND o.id <> r.id)`

/** ?1 node, ?2 as ?3 above. */
const DELETE_NODE = `DELETE FROM nodes WHERE id = ?1 AND (?2 IS NULL OR deactivated < ?2 OR expired < ?2)
AND NOT EXISTS (SELECT 1 FROM reports WHERE node = ?1)`

/**
 * Deletes a node and its reports, with their events, logs and metrics. Idempotent: a node that nobody
 * knows is gone. A report that arrives meanwhile goes too, or makes the node anew; never is one left
 * without its node, or a node with a latest report that is not.
 *
 * @param inactiveBefore in ms; where given, a node that was not deactivated or expired before is left alone,
 *   also when it wakes halfway
 * @param mayGoOn asked between steps, each of them a fraction of a second; the rest is left for another call
 */
export async function deleteNode(
  database: Database,
  certname: string,
  {
    inactiveBefore = null,
    mayGoOn = () => true,
  }: { readonly inactiveBefore?: number | null; readonly mayGoOn?: () => boolean } = {},
): Promise<DeletedNode> {
  let reports = 0
  for (let removed = 1; ;) {
    const [nodes] = await database.batch([{ sql: READ_NODE, params: [certname] }])
    const [node, latest, latestEvents] = (nodes![0] ?? []) as (number | null)[]
    if (node == null) return { gone: true, reports }
    const woke = removed === 0 && inactiveBefore !== null
    if (woke || !mayGoOn()) return { gone: false, reports }

    const guard = (sql: string): Guard => ({ sql, params: [node, inactiveBefore] })
    const farewell: Statement = { sql: DELETE_NODE, params: [node, inactiveBefore] }
    const [rows] = await database.batch([{ sql: READ_REPORTS, params: [node] }])
    const [others] = inBatches(rows!.map(([key, events]) => ({ key, events }) as Doomed))
    if (others) {
      removed = await remove(database, 'report', others, guard(OTHERS))
    } else {
      const last = latest == null ? [] : [{ key: latest, events: latestEvents! }]
      removed = await remove(database, 'report', last, guard(ONLY), [farewell])
    }
    reports += removed
  }
}
