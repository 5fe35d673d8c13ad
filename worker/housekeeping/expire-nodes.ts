/** Marks silent nodes as expired, and deletes nodes that have been inactive for long. */

import { keyMillisecond } from '../schema/key.ts'
import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { firstKey, integerOf } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { isShortOf } from '../store/failures.ts'
import { NEXT_GENERATION } from '../store/generation.ts'
import { IS_ARCHIVED, readArchivedKey } from '../store/history.ts'
import { deleteNode } from './delete-node.ts'
import type { RequiredHistory } from './required-history.ts'

const NODES_AT_ONCE = 2000

/** Keys are in the order of producer timestamps, so comparing keys saves reading the latest report. ?1 time, ?2 key of that time. */
const SILENT = `deactivated is null and expired is null and coalesce(latest < ${integerOf('?2')}, 1)
and coalesce(catalog_producer_timestamp < ?1, 1) and coalesce(facts_producer_timestamp < ?1, 1)`
/** Reads every node, which is a fraction of a second for a million, and writes a bounded number. ?3 now. */
const EXPIRE = `update nodes set expired = ?3
where id in (select id from nodes where ${SILENT} limit ${NODES_AT_ONCE}) returning id`
const COUNT = { nodes: integer('count(*)') }
const COUNT_SILENT = `select ${selectText(COUNT)} from nodes where ${SILENT}`

/** Nodes that have been inactive since before a time, through the index of inactive nodes. ?1 time. */
const INACTIVE = `(deactivated is not null or expired is not null) and (deactivated < ?1 or expired < ?1)`
const INACTIVE_NODE = { id: integer('id'), certname: text('certname') }
/** Whether the history may lack a report of the node, which a key says to have none of before it. */
const mayBeLacked = (key: '?2' | '?4'): string =>
  `exists (select 1 from reports r indexed by reports_node where r.node = nodes.id and r.id >= ${integerOf(key)} and not (${IS_ARCHIVED}))`
/** ?2 how many, ?3 the node before the first, ?4 the key below which the history holds every report; null where it need not. */
const READ_INACTIVE = `select ${selectText(INACTIVE_NODE)} from nodes where ${INACTIVE} and id > ?3
and (?4 is null or not ${mayBeLacked('?4')}) order by id limit ?2`
/** ?2 the key below which the history holds every report. */
const READ_WAITING = `select ${selectText(INACTIVE_NODE)} from nodes where ${INACTIVE} and ${mayBeLacked('?2')} limit 1`
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
 * @returns how many nodes expired, and whether none is left that should
 */
export async function expireNodes(
  database: Database,
  now: number,
  ttl: number,
  mayContinue: () => boolean,
): Promise<{ nodes: number; complete: boolean }> {
  const params = [...silentSince(now, ttl), now]
  let nodes = 0
  for (;;) {
    if (!mayContinue()) return { nodes, complete: false }
    const [expired] = await database.batch([
      typed({ id: integer('id') }, { sql: EXPIRE, params }),
      NEXT_GENERATION,
    ])
    nodes += expired.length
    if (expired.length < NODES_AT_ONCE) return { nodes, complete: true }
  }
}

export interface PurgeOptions {
  /** How many nodes at most. */
  readonly most?: number
  /** The history, where a node waits until it holds all its reports. */
  readonly required?: RequiredHistory | null
}

/**
 * Deletes nodes that have been deactivated or expired for `ttl` ms, with their reports; a node that becomes active meanwhile stays.
 *
 * @returns how many nodes and reports were deleted, the nodes that D1 can't delete, and whether no other is left; some
 *   may be left because the history lacks reports of them
 */
export async function purgeNodes(
  database: Database,
  now: number,
  ttl: number,
  mayContinue: () => boolean,
  { most = Infinity, required = null }: PurgeOptions = {},
): Promise<{
  nodes: number
  reports: number
  passedOver: readonly string[]
  complete: boolean
  waitsForHistory?: true
}> {
  const inactiveBefore = now - ttl
  const archived = required === null ? null : await readArchivedKey(database)
  let [nodes, reports, after] = [0, 0, 0]
  const passedOver: string[] = []
  const result = (complete: boolean) => ({ nodes, reports, passedOver, complete })
  for (;;) {
    const limit = Math.min(most - nodes, NODES_AT_ONCE)
    if (limit <= 0) return result(false)
    const params = [inactiveBefore, limit, after, archived]
    const [inactive] = await database.batch([typed(INACTIVE_NODE, { sql: READ_INACTIVE, params })])
    for (const { id, certname } of inactive) {
      if (!mayContinue()) return result(false)
      try {
        const deleted = await deleteNode(database, certname, {
          inactiveBefore,
          required,
          mayContinue,
        })
        nodes += Number(deleted.complete)
        reports += deleted.reports
      } catch (error) {
        if (!isShortOf(error, 'too much work')) throw error
        passedOver.push(certname)
      }
      after = id
    }
    if (inactive.length < limit) break
  }
  if (archived === null) return result(true)
  const [waiting] = await database.batch([
    typed(INACTIVE_NODE, { sql: READ_WAITING, params: [inactiveBefore, archived] }),
  ])
  return waiting.length === 0 ? result(true) : { ...result(false), waitsForHistory: true }
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
