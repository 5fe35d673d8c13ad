/** Silent nodes: retention marks them as expired, and deletes them much later. */

import { keyMillisecond, SLOTS } from '../schema/key.ts'
import { integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import type { Database } from '../store/database.ts'
import { deleteNode } from './delete-node.ts'

const NODES_AT_ONCE = 2000

/** Keys are in the order of producer timestamps, so the latest report needs not be read. ?1 time, ?2 key of that time. */
const SILENT = `deactivated IS NULL AND expired IS NULL AND coalesce(latest < CAST(?2 AS INTEGER), 1)
AND coalesce(catalog_timestamp < ?1, 1) AND coalesce(facts_timestamp < ?1, 1)`
const PAGE = { last: nullable(integer('max(id)')), size: integer('count(*)') }
/** The last node of a page. ?1 node before the first. */
const READ_PAGE = `SELECT ${selectText(PAGE)} FROM (SELECT id FROM nodes WHERE id > ?1 ORDER BY id LIMIT ${NODES_AT_ONCE})`
/** ?3 now, ?4 node before the first, ?5 last node. */
const EXPIRE = `UPDATE nodes SET expired = ?3 WHERE id > ?4 AND id <= ?5 AND ${SILENT} RETURNING id`
const COUNT = { nodes: integer('count(*)') }
const COUNT_SILENT = `SELECT ${selectText(COUNT)} FROM nodes WHERE ${SILENT}`

/** Nodes that have been inactive since before a time, through the index of inactive nodes. ?1 time. */
const INACTIVE = `(deactivated IS NOT NULL OR expired IS NOT NULL) AND (deactivated < ?1 OR expired < ?1)`
const CERTNAME = { certname: text('certname') }
const READ_INACTIVE = `SELECT ${selectText(CERTNAME)} FROM nodes WHERE ${INACTIVE} LIMIT ?2`
const REACH = {
  ...COUNT,
  reports: integer('coalesce(sum((SELECT count(*) FROM reports r WHERE r.node = nodes.id)), 0)'),
}
const COUNT_INACTIVE = `SELECT ${selectText(REACH)}
FROM nodes WHERE ${INACTIVE}`

const silentSince = (now: number, ttl: number) => [now - ttl, keyMillisecond(now - ttl) * SLOTS]

/**
 * Marks nodes as expired that sent no report, catalog or facts in the last `ttl` ms. Nothing of them is
 * deleted, and what they send next makes them active again.
 *
 * @returns how many, and whether all pages were looked at
 */
export async function expireNodes(
  database: Database,
  now: number,
  ttl: number,
  mayContinue: () => boolean,
): Promise<{ nodes: number; complete: boolean }> {
  let nodes = 0
  for (let after = 0; ;) {
    if (!mayContinue()) return { nodes, complete: false }
    const [pages] = await database.batch([typed(PAGE, { sql: READ_PAGE, params: [after] })])
    const { last, size } = pages[0]!
    if (last === null) return { nodes, complete: true }
    const params = [...silentSince(now, ttl), now, after, last]
    const [expired] = await database.batch([typed({ id: integer('id') }, { sql: EXPIRE, params })])
    nodes += expired.length
    if (size < NODES_AT_ONCE) return { nodes, complete: true }
    after = last
  }
}

/**
 * Deletes nodes that have been deactivated or expired for `ttl` ms, with their reports; a node that becomes active meanwhile stays.
 *
 * @param most how many nodes at most
 * @returns how many nodes and reports were deleted, and whether none is left to delete
 */
export async function purgeNodes(
  database: Database,
  now: number,
  ttl: number,
  mayContinue: () => boolean,
  most = Infinity,
): Promise<{ nodes: number; reports: number; complete: boolean }> {
  const inactiveBefore = now - ttl
  let [nodes, reports] = [0, 0]
  for (;;) {
    const limit = Math.min(most - nodes, NODES_AT_ONCE)
    if (limit <= 0) return { nodes, reports, complete: false }
    const params = [inactiveBefore, limit]
    const [inactive] = await database.batch([typed(CERTNAME, { sql: READ_INACTIVE, params })])
    for (const { certname } of inactive) {
      if (!mayContinue()) return { nodes, reports, complete: false }
      const deleted = await deleteNode(database, certname, { inactiveBefore, mayContinue })
      nodes += Number(deleted.complete)
      reports += deleted.reports
    }
    if (inactive.length < limit) return { nodes, reports, complete: true }
  }
}

/** How many nodes would expire, and how many would be deleted with how many reports. */
export async function previewNodes(
  database: Database,
  now: number,
  { expire, purge }: { readonly expire: number; readonly purge: number },
): Promise<{ expiring: number; deleted: RowOf<typeof REACH> }> {
  const [silent, inactive] = await database.batch([
    typed(COUNT, { sql: COUNT_SILENT, params: silentSince(now, expire) }),
    typed(REACH, { sql: COUNT_INACTIVE, params: [now - purge] }),
  ])
  return { expiring: silent[0]!.nodes, deleted: inactive[0]! }
}
