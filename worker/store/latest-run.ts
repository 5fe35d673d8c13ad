/** What an arriving report changes of its node's row: latest report, last good one, last runs. */

import type { Report } from '../report/report.ts'
import type { Statement } from '../sql/statement.ts'
import { hashBytes } from './hash.ts'
import { producerTimestampOf } from './key.ts'
import { runsWith } from './runs.ts'

/** `column` of the report where that is the latest one now, as it was otherwise. */
const ifNewer = (column: string, ofReport = column): string =>
  `${column} = CASE WHEN stored.newer THEN stored.${ofReport} ELSE nodes.${column} END`

/**
 * Makes the report its node's latest where it is, puts it among the node's last runs, and wakes a
 * node that was deactivated or expired before it. Idempotent, so a duplicate needs no guard: PuppetDB
 * wakes the node for that one too. Nothing is written where nothing changes.
 * ?1 hash, ?2 certname, ?3 whether it is an agent's, ?4 producer timestamp.
 */
const UPDATE_NODE = `UPDATE nodes SET
  ${ifNewer('latest', 'id')}, ${ifNewer('state')}, ${ifNewer('environment')},
  good = stored.good, newest = stored.newest, runs = stored.runs,
  deactivated = CASE WHEN deactivated < ?4 THEN NULL ELSE deactivated END,
  expired = CASE WHEN expired < ?4 THEN NULL ELSE expired END
FROM (
  SELECT r.id, r.state, r.environment,
    ?3 = 1 AND (n.latest IS NULL OR coalesce(${producerTimestampOf('r')} > ${producerTimestampOf('l')}, 1)) AS newer,
    CASE WHEN ?3 = 1 AND r.state & 3 <> 3 THEN max(r.id, coalesce(n.good, r.id)) ELSE n.good END AS good,
    CASE WHEN ?3 = 1 THEN max(r.id, coalesce(n.newest, r.id)) ELSE n.newest END AS newest,
    CASE WHEN ?3 = 1 THEN ${runsWith('r', 'n')} ELSE n.runs END AS runs
  FROM reports r, nodes n LEFT JOIN reports l ON l.id = n.latest
  WHERE r.hash = ?1 AND n.certname = ?2
) stored
WHERE nodes.certname = ?2 AND (stored.newer OR stored.good IS NOT nodes.good OR stored.runs IS NOT nodes.runs
  OR nodes.deactivated < ?4 OR nodes.expired < ?4)`

export const nodeStatement = (report: Report): Statement => ({
  sql: UPDATE_NODE,
  params: [
    hashBytes(report.hash),
    report.certname,
    Number(report.type === 'agent'),
    report.producerTimestamp,
  ],
})
