/** Nodes that have fallen silent: first they expire, much later they go. */

import { keyMillisecond, SLOTS } from '../schema/key.ts'
import type { Database } from '../store/database.ts'
import { deleteNode } from './delete-node.ts'

const NODES_AT_ONCE = 2000

/** Keys are in the order of producer timestamps, so the latest report needs not be read. ?1 time, ?2 key of that time. */
const SILENT = `deactivated IS NULL AND expired IS NULL AND coalesce(latest < CAST(?2 AS INTEGER), 1)
AND coalesce(catalog_timestamp < ?1, 1) AND coalesce(facts_timestamp < ?1, 1)`
/** The last node of a page. ?1 node before the first. */
const PAGE_END = `SELECT max(id) AS c0, count(*) AS c1 FROM (SELECT id FROM nodes WHERE id > ?1 ORDER BY id LIMIT ${NODES_AT_ONCE})`
/** ?3 now, ?4 node before the first, ?5 last node. */
const EXPIRE = `UPDATE nodes SET expired = ?3 WHERE id > ?4 AND id <= ?5 AND ${SILENT} RETURNING 1`
const COUNT_SILENT = `SELECT count(*) AS c0 FROM nodes WHERE ${SILENT}`

/** Inactive for so long that they are to go, through the index of inactive nodes. ?1 time. */
const INACTIVE = `(deactivated IS NOT NULL OR expired IS NOT NULL) AND (deactivated < ?1 OR expired < ?1)`
const READ_INACTIVE = `SELECT certname AS c0 FROM nodes WHERE ${INACTIVE} LIMIT ?2`
const COUNT_INACTIVE = `SELECT count(*) AS c0, coalesce(sum((SELECT count(*) FROM reports r WHERE r.node = nodes.id)), 0) AS c1
FROM nodes WHERE ${INACTIVE}`

const silentSince = (now: number, ttl: number) => [now - ttl, keyMillisecond(now - ttl) * SLOTS]

/**
 * Marks nodes as expired of which neither report, catalog nor facts of the last `ttl` ms are known;
 * nothing of them is lost by it, and what they send next wakes them.
 *
 * @returns how many, and whether all pages were looked at
 */
export async function expireNodes(
  database: Database,
  now: number,
  ttl: number,
  mayGoOn: () => boolean,
): Promise<{ nodes: number; complete: boolean }> {
  let nodes = 0
  for (let after = 0; ;) {
    if (!mayGoOn()) return { nodes, complete: false }
    const [page] = await database.batch([{ sql: PAGE_END, params: [after] }])
    const [last, size] = page![0] as [number | null, number]
    if (last === null) return { nodes, complete: true }
    const params = [...silentSince(now, ttl), now, after, last]
    const [expired] = await database.batch([{ sql: EXPIRE, params }])
    nodes += expired!.length
    if (size < NODES_AT_ONCE) return { nodes, complete: true }
    after = last
  }
}

/**
 * Deletes nodes that have been deactivated or expired for `ttl` ms, with all that is theirs; one that wakes meanwhile stays.
 *
 * @param most how many nodes at most
 * @returns how many nodes and reports are gone, and whether none is left that should
 */
export async function purgeNodes(
  database: Database,
  now: number,
  ttl: number,
  mayGoOn: () => boolean,
  most = Infinity,
): Promise<{ nodes: number; reports: number; complete: boolean }> {
  const inactiveBefore = now - ttl
  let [nodes, reports] = [0, 0]
  for (;;) {
    const limit = Math.min(most - nodes, NODES_AT_ONCE)
    if (limit <= 0) return { nodes, reports, complete: false }
    const params = [inactiveBefore, limit]
    const [rows] = await database.batch([{ sql: READ_INACTIVE, params }])
    for (const [certname] of rows!) {
      if (!mayGoOn()) return { nodes, reports, complete: false }
      const deleted = await deleteNode(database, certname as string, { inactiveBefore, mayGoOn })
      nodes += Number(deleted.gone)
      reports += deleted.reports
    }
    if (rows!.length < limit) return { nodes, reports, complete: true }
  }
}

/** How many nodes would expire, and how many would go with how many reports. */
export async function previewNodes(
  database: Database,
  now: number,
  { expire, purge }: { readonly expire: number; readonly purge: number },
): Promise<{ expiring: number; going: number; reports: number }> {
  const [silent, inactive] = await database.batch([
    { sql: COUNT_SILENT, params: silentSince(now, expire) },
    { sql: COUNT_INACTIVE, params: [now - purge] },
  ])
  const [going, reports] = inactive![0] as [number, number]
  return { expiring: silent![0]![0] as number, going, reports }
}
