/** Marks silent nodes as expired, and deletes nodes that have been inactive for long. */

import { keyMillisecond } from '../schema/key.ts'
import { integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { firstKey, integerOf } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { deleteNode } from './delete-node.ts'

const NODES_AT_ONCE = 2000

/** Keys are in the order of producer timestamps, so comparing keys saves reading the latest report. ?1 time, ?2 key of that time. */
const SILENT = `deactivated is null and expired is null and coalesce(latest < ${integerOf('?2')}, 1)
and coalesce(catalog_timestamp < ?1, 1) and coalesce(facts_timestamp < ?1, 1)`
const PAGE = { last: nullable(integer('max(id)')), size: integer('count(*)') }
/** The last node of a page. ?1 node before the first. */
const READ_PAGE = `select ${selectText(PAGE)} from (select id from nodes where id > ?1 order by id limit ${NODES_AT_ONCE})`
/** ?3 now, ?4 node before the first, ?5 last node. */
const EXPIRE = `update nodes set expired = ?3 where id > ?4 and id <= ?5 and ${SILENT} returning id`
const COUNT = { nodes: integer('count(*)') }
const COUNT_SILENT = `select ${selectText(COUNT)} from nodes where ${SILENT}`

/** Nodes that have been inactive since before a time, through the index of inactive nodes. ?1 time. */
const INACTIVE = `(deactivated is not null or expired is not null) and (deactivated < ?1 or expired < ?1)`
const CERTNAME = { certname: text('certname') }
const READ_INACTIVE = `select ${selectText(CERTNAME)} from nodes where ${INACTIVE} limit ?2`
const REACH = {
  ...COUNT,
  reports: integer('coalesce(sum((select count(*) from reports r where r.node = nodes.id)), 0)'),
}
const COUNT_INACTIVE = `select ${selectText(REACH)}
from nodes where ${INACTIVE}`

const silentSince = (now: number, ttl: number) => [now - ttl, firstKey(keyMillisecond(now - ttl))]

/**
 * Marks nodes as expired that sent no report, catalog or facts in the last `ttl` ms. Deletes nothing; the
 * next data from such a node makes it active again.
 *
 * @returns how many nodes expired, and whether all pages were read
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

/** How many nodes would expire, and how many nodes with how many reports would be deleted. */
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
