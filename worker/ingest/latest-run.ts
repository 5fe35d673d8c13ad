/** What an arriving report changes of its node's row: latest report, last good one, last runs. */

import type { Report } from '../report/report.ts'
import { hashBytes } from '../sql/encoding.ts'
import { isHash } from '../sql/hash.ts'
import type { Statement } from '../sql/statement.ts'
import { producerTimestampOf } from '../store/key.ts'
import { runsWith } from '../store/runs.ts'

/** `column` of the report where that is the latest one now, as it was otherwise. */
const ifNewer = (column: string, ofReport = column): string =>
  `${column} = CASE WHEN stored.newer THEN stored.${ofReport} ELSE nodes.${column} END`

/**
 * Makes the report its node's latest where it is, puts it among the node's last runs, and wakes a
 * node that was deactivated or expired before it. Idempotent, so a duplicate needs no guard: PuppetDB
 * wakes the node for that one too. Nothing is written where nothing changes.
 * Whether it is an agent's is asked of the report that is stored: one
 * that differs from it in its type alone is a duplicate too.
 * ?1 hash, ?2 certname, ?3 producer timestamp.
 *
 * @param more columns that are set beside
 */
const updateNode = (more: string): string => `UPDATE nodes SET
  ${ifNewer('latest', 'id')}, ${ifNewer('state')}, ${ifNewer('environment')},${more}
  good = stored.good, newest = stored.newest, runs = stored.runs,
  deactivated = CASE WHEN deactivated < ?3 THEN NULL ELSE deactivated END,
  expired = CASE WHEN expired < ?3 THEN NULL ELSE expired END
FROM (
  SELECT r.id, r.state, r.environment,
    r.type = 0 AND (n.latest IS NULL OR coalesce(${producerTimestampOf('r')} > ${producerTimestampOf('l')}, 1)) AS newer,
    CASE WHEN r.type = 0 AND r.state & 3 <> 3 THEN max(r.id, coalesce(n.good, r.id)) ELSE n.good END AS good,
    CASE WHEN r.type = 0 THEN max(r.id, coalesce(n.newest, r.id)) ELSE n.newest END AS newest,
    CASE WHEN r.type = 0 THEN ${runsWith('r', 'n')} ELSE n.runs END AS runs
  FROM reports r, nodes n LEFT JOIN reports l ON l.id = n.latest
  WHERE ${isHash('r.hash', '?1')} AND n.certname = ?2
) stored
WHERE nodes.certname = ?2 AND (stored.newer OR stored.good IS NOT nodes.good OR stored.runs IS NOT nodes.runs
  OR nodes.deactivated < ?3 OR nodes.expired < ?3)`

const UPDATE_NODE = updateNode('')
const UPDATE_NODE_AND_CATALOG = updateNode(` ${ifNewer('catalog_environment', 'environment')},`)

/** @param ofCatalog whether the environment of the latest report is that of the node's catalog as well (CATALOG_ENVIRONMENT) */
export const nodeStatement = (report: Report, ofCatalog: boolean): Statement => ({
  sql: ofCatalog ? UPDATE_NODE_AND_CATALOG : UPDATE_NODE,
  params: [hashBytes(report.hash), report.certname, report.producerTimestamp],
})
