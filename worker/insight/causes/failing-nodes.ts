/** Some of the nodes that fail by each cause now, by name: a list of causes names them without a page for each. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { isFailedCode } from '../../schema/states.ts'
import { json, select, text } from '../../sql/columns.ts'
import { keyMilliseconds, literal, lowerHexOf } from '../../sql/encoding.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'

export interface FailingNode {
  readonly certname: string
  /** Of its latest run, with the hash of its report. */
  readonly time: Timestamp
  readonly report: string
}

/** Names of causes → the first nodes that fail by them. */
export type FailingNodes = ReadonlyMap<string, readonly FailingNode[]>

const COLUMNS = {
  cause: text(sql`c.name`),
  nodes: json<readonly (readonly [certname: string, key: number, hash: string])[], SQL>(
    sql`f.nodes`,
  ),
}

/** @param most nodes of each cause */
export const failingNodesRead = (view: View, most: number): BatchRead<FailingNodes> =>
  batchRead(
    [
      select(
        COLUMNS,
        sql`from (select cause, json_group_array(json_array(certname, latest, hash) order by certname) as nodes
          from (select rc.cause, p.certname, p.latest, (select ${lowerHexOf(sql`r.hash`)} from reports r where r.id = p.latest) as hash,
              row_number() over (partition by rc.cause order by p.certname) as place
            from (select reports.certname, reports.latest from ${nodesOf(view)}
              where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}) p
            cross join report_causes rc indexed by report_causes_report on rc.report = p.latest)
          where place <= ${literal(most)} group by cause) f cross join causes c on c.id = f.cause`,
      ),
    ],
    ([rows]) =>
      new Map(
        rows.map(({ cause, nodes }) => [
          cause,
          nodes.map(([certname, key, report]) => ({
            certname,
            time: formatTimestamp(keyMilliseconds(key)),
            report,
          })),
        ]),
      ),
  )
