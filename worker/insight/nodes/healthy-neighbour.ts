/** A node like one that fails, whose latest run of the same code went well. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode, isNotFailedCode } from '../../schema/states.ts'
import { json, nullable } from '../../sql/columns.ts'
import { literal, lowerHexOf } from '../../sql/encoding.ts'
import { versionOf } from '../deploys/code-versions.ts'
import { ACTIVE, andVisibleNode } from '../fragments.ts'
import type { View } from '../view.ts'
import { nodeGroupOf } from './node-group.ts'

/** Of the same group, environment and code version, and its latest run did not fail. */
export interface HealthyNeighbour {
  readonly certname: string
  /** Hash of its latest report. */
  readonly report: string
}

type Candidate = readonly [certname: string, report: string]

/** So many nodes are looked at in front of and behind a name. */
const NEAREST = 50

/** The candidates of a node `p` with its latest report `r`, as a column; null unless it failed. */
export const neighbourColumn = (view: View) => {
  const near = (isBefore: boolean): SQL =>
    sql`select * from (select n.certname, n.latest from nodes n
      where n.certname ${sql.raw(isBefore ? '<' : '>')} p.certname and ${ACTIVE}${andVisibleNode(view)}
      order by n.certname${sql.raw(isBefore ? ' desc' : '')} limit ${literal(NEAREST)})`
  return nullable(
    json<readonly Candidate[], SQL>(
      sql`iif(${sql.raw(isFailedCode('r.state'))}, (select json_group_array(json_array(n.certname, ${lowerHexOf(sql`b.hash`)}))
        from (${near(true)} union all ${near(false)}) n cross join reports b on b.id = n.latest
        where ${sql.raw(isNotFailedCode('b.state'))} and b.environment = r.environment and ${versionOf(sql`b`)} = ${versionOf(sql`r`)}), null)`,
    ),
  )
}

/** The candidate of the node's group that is nearest by name: the one whose name begins as its name for longest. */
export function nearestOf(
  view: Pick<View, 'nodeGroup'>,
  certname: string,
  candidates: readonly Candidate[] | null,
): HealthyNeighbour | null {
  const group = nodeGroupOf(view, certname)
  const [nearest] = (candidates ?? [])
    .filter(([other]) => nodeGroupOf(view, other) === group)
    .sort(
      ([one], [other]) =>
        sharedBy(certname, other) - sharedBy(certname, one) || (one < other ? -1 : 1),
    )
  return nearest === undefined ? null : { certname: nearest[0], report: nearest[1] }
}

/** The number of characters that two names begin with. */
function sharedBy(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}
