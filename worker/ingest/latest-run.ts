/** Updates a node's row for an arriving report: latest report, last good report, last runs and the usual time between them. */

import type { Report } from '../report/report.ts'
import { hashBytes, hexOf, producerTimestampOf } from '../sql/encoding.ts'
import { isHash } from '../sql/hash.ts'
import type { Statement } from '../sql/statement.ts'
import { isNotFailedCode } from '../schema/states.ts'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import { runsWith, usualIntervalOf } from '../store/runs.ts'

/** Sets `column` from the report if that is now the latest one; otherwise keeps it. */
const ifNewer = (column: string, ofReport = column): string =>
  `${column} = case when stored.newer then stored.${ofReport} else nodes.${column} end`

/**
 * Makes the report its node's latest if it is newer, adds it to the node's last runs, and reactivates a node
 * that was deactivated or expired before it. Idempotent, so a duplicate needs no guard; PuppetDB reactivates
 * the node for a duplicate too. Writes nothing where nothing changes. Reads the report's type from the stored
 * report, because a report that differs in its type alone is a duplicate too.
 * ?1 hash, ?2 certname, ?3 producer timestamp.
 */
const UPDATE_NODE = `update nodes set
  ${ifNewer('latest', 'id')}, ${COPIED_FROM_LATEST.map((column) => ifNewer(column)).join(', ')},
  good = stored.good, newest = stored.newest, runs = stored.runs,
  usual = iif(stored.runs is nodes.runs, nodes.usual, ${usualIntervalOf(hexOf('stored.runs'))}),
  deactivated = case when deactivated < ?3 then null else deactivated end,
  expired = case when expired < ?3 then null else expired end
from (
  select r.id, ${COPIED_FROM_LATEST.map((column) => `r.${column}`).join(', ')},
    r.type = 0 and (n.latest is null or coalesce(${producerTimestampOf('r')} > ${producerTimestampOf('l')}, 1)) as newer,
    case when r.type = 0 and ${isNotFailedCode('r.state')} then max(r.id, coalesce(n.good, r.id)) else n.good end as good,
    case when r.type = 0 then max(r.id, coalesce(n.newest, r.id)) else n.newest end as newest,
    case when r.type = 0 then ${runsWith('r', 'n')} else n.runs end as runs
  from reports r, nodes n left join reports l on l.id = n.latest
  where ${isHash('r.hash', '?1')} and n.certname = ?2
) stored
where nodes.certname = ?2 and (stored.newer or stored.good is not nodes.good or stored.runs is not nodes.runs
  or nodes.deactivated < ?3 or nodes.expired < ?3)`

export const nodeStatement = (report: Report): Statement => ({
  sql: UPDATE_NODE,
  params: [hashBytes(report.hash), report.certname, report.producerTimestamp],
})
