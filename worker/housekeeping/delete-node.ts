/** Deletes a node with its reports in bounded steps: its reports first, the latest and the node itself last. */

import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { NEXT_GENERATION } from '../store/generation.ts'
import { inBatches, MOST_REPORTS } from './batches.ts'
import { FORGET_STRETCHES } from '../store/hour-groups.ts'
import { deleteReports, type Guard } from './delete-reports.ts'
import { EXPIRED, type ExpiredReport } from './expired-report.ts'
import type { RequiredHistory } from './required-history.ts'

/** The result of a deletion. */
export interface NodeDeletion {
  /** Whether the node is deleted; if not, some of its reports remain for another call. */
  readonly complete: boolean
  readonly reports: number
  /** Whether there was such a node. */
  readonly found: boolean
}

/** A page of the node's reports, without the latest. ?1 node. */
const READ_REPORTS = `select ${selectText(EXPIRED)} from reports r
where r.node = ?1 and r.id is not (select latest from nodes where id = ?1) limit ${MOST_REPORTS}`

const NODE = {
  id: integer('n.id'),
  /** Number of events of the node's latest report. */
  key: nullable(integer('r.id')),
  events: nullable(integer('r.events')),
}
const READ_NODE = `select ${selectText(NODE)} from nodes n left join reports r on r.id = n.latest where n.certname = ?1`

/** Condition that the node may still be deleted: ?2 node, ?3 the time before which it must have become inactive, null for any. */
const IS_DUE = `exists (select 1 from nodes n where n.id = ?2 and (?3 is null or n.deactivated < ?3 or n.expired < ?3))`
const ALL_BUT_LATEST = `r.node = ?2 and r.id is not (select latest from nodes where id = ?2) and ${IS_DUE}`
/** Condition for the latest report, which must be the only one left. */
const ONLY_LATEST = `r.node = ?2 and ${IS_DUE} and not exists (select 1 from reports o where o.node = ?2 and o.id <> r.id)`

/** ?1 node, ?2 as ?3 above. */
const DELETE_NODE = `delete from nodes where id = ?1 and (?2 is null or deactivated < ?2 or expired < ?2)
and not exists (select 1 from reports where node = ?1)`

export interface DeleteNodeOptions {
  /** In ms; keeps a node that was not deactivated or expired before, also when the node becomes active during the deletion. */
  readonly inactiveBefore?: number | null
  /** The history, where reports stay that it does not hold, and so the node. */
  readonly required?: RequiredHistory | null
  /** Called between steps of a fraction of a second; if it returns false, the rest remains for another call. */
  readonly mayContinue?: () => boolean
}

/**
 * Deletes a node and its reports, with their events, logs and metrics. Idempotent: deleting an unknown node
 * succeeds. A report that arrives meanwhile is deleted too, or creates the node anew; no report ever
 * lacks its node, and no node refers to a latest report that does not exist.
 */
export async function deleteNode(
  database: Database,
  certname: string,
  { inactiveBefore = null, required = null, mayContinue = () => true }: DeleteNodeOptions = {},
): Promise<NodeDeletion> {
  const guarded = async (guard: Guard, reports: readonly ExpiredReport[]): Promise<Guard> =>
    required === null
      ? guard
      : required.guardOf(
          guard,
          reports.map(({ key }) => key),
        )
  let reports = 0
  let found = false
  for (let deleted = 1; ;) {
    const [[node]] = await database.batch([typed(NODE, { sql: READ_NODE, params: [certname] })])
    if (!node) return { complete: true, reports, found }
    found = true
    const becameActive = deleted === 0 && inactiveBefore !== null
    if (becameActive || !mayContinue()) return { complete: false, reports, found }

    const params = [node.id, inactiveBefore]
    const [older] = await database.batch([typed(EXPIRED, { sql: READ_REPORTS, params: [node.id] })])
    deleted = 0
    if (older.length > 0) {
      const guard: Guard = { sql: ALL_BUT_LATEST, params }
      await inBatches(older, {
        work: async (batch) => {
          deleted += await deleteReports(database, 'report', batch, await guarded(guard, batch), [
            FORGET_STRETCHES,
          ])
        },
        passOver: (_, __, error) => {
          throw error
        },
        mayContinue,
      })
    } else {
      const { key, events } = node
      const latest = key === null || events === null ? [] : [{ key, events }]
      const guard = await guarded({ sql: ONLY_LATEST, params }, latest)
      const last: Statement = { sql: DELETE_NODE, params }
      // A full database purges nodes, and has no room for more than their deletion; nothing lists inactive ones.
      const further = [last, FORGET_STRETCHES]
      if (inactiveBefore === null) further.push(NEXT_GENERATION)
      deleted = await deleteReports(database, 'report', latest, guard, further)
    }
    reports += deleted
  }
}
