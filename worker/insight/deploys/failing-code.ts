/** Finds the code that fails on a group of nodes now and is still to come to others of the group. */

import { nodeGroupOf } from '../nodes/node-group.ts'
import { cellsOfGroup, type FailingCode, type FleetMap } from '../nodes/node-map.ts'
import type { View } from '../view.ts'
import type { Breakage } from '../../outcomes/breakages.ts'
import { DEPLOY_RULES } from './rules.ts'

/**
 * The newest code of an environment, by which most nodes of a group broke. Null where fewer nodes broke than a verdict
 * needs, or where half of the group's nodes run it well: then nothing says how the next one does.
 */
export function failingCodeOf(
  view: Pick<View, 'nodeGroup'>,
  breakages: readonly Breakage[],
  map: FleetMap,
): FailingCode | null {
  const counted = Map.groupBy(
    breakages.filter(({ newest, outcome }) => newest && outcome === 'broken'),
    ({ certname, environment }) => JSON.stringify([nodeGroupOf(view, certname), environment]),
  )
  const [most] = [...counted.values()].sort((one, other) => other.length - one.length)
  if (most === undefined || most.length < DEPLOY_RULES.unsafeNodes) return null
  const { certname, environment, code_version, deployed: since } = most[0]!
  const group = nodeGroupOf(view, certname)
  const ran = cellsOfGroup(view, map, group).filter(
    (cell) => cell.environment === environment && cell.latest !== null && cell.latest >= since,
  )
  return most.length < DEPLOY_RULES.failingShare * ran.length
    ? null
    : { group, environment, code_version, since }
}
