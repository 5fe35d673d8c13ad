/**
 * The incident: what burns now, joined with the code that it began with, the nodes that run that code, and what comes
 * next. Made of what the fleet's panels have read, and silent where they can't say.
 */

import { formatTimestamp } from '../../lib/time.ts'
import { namedReads, type BatchRead } from '../../store/batch-read.ts'
import { causeListRead, type CauseSummary } from '../causes/cause-list.ts'
import { brokenNodesRead, failingCodeOf, type BrokenNode } from '../deploys/failing-code.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import { mapRead, runsNext, type FailingCode, type NodeMap } from '../nodes/node-map.ts'
import type { View } from '../view.ts'
import { incidentText, type IncidentFacts, type IncidentGroup } from './sentence.ts'

/** Below these, a part of the sentence is left out. */
export const INCIDENT_THRESHOLDS = {
  beganShare: {
    value: 0.8,
    about: 'share of the nodes failing by a cause that broke with the same code, to name the code',
  },
  groupNodes: { value: 5, about: 'nodes of a group, to name the group' },
  groupShare: {
    value: 0.8,
    about: 'share of the nodes failing by a cause that are of one group, to name the group',
  },
} as const

const { beganShare, groupNodes, groupShare } = INCIDENT_THRESHOLDS

export interface Incident extends IncidentFacts {
  /** The facts in one sentence of plain text, with times in UTC. */
  readonly sentence: string
}

/** What the panels of the fleet have read. */
interface Evidence {
  /** By the nodes that fail by them now, then the newest first. */
  readonly causes: readonly CauseSummary[]
  readonly broken: readonly BrokenNode[]
  readonly map: NodeMap
}

/** The incident of now, read by itself: three statements in one round trip. */
export function incidentRead(view: View): BatchRead<{ readonly incident: Incident | null }> {
  const { statements, read } = namedReads({
    causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: 1 }),
    broken: brokenNodesRead(view),
    map: mapRead(view, { by: 'group' }),
  })
  return {
    statements,
    read(results) {
      const { causes, broken, map } = read(results)
      return { incident: incidentOf(view, { causes: causes.items, broken, map }) }
    },
  }
}

/** The incident of the cause by which most nodes fail now; null where none does. */
export function incidentOf(
  view: Pick<View, 'nodeGroup' | 'since' | 'now'>,
  { causes, broken, map }: Evidence,
): Incident | null {
  const cause = causes.find(({ failing }) => (failing ?? 0) > 0)
  if (cause === undefined || cause.cause === null) return null
  const { cause: name, failing } = cause
  const nodes = broken.filter(({ causes }) => causes.includes(name))
  const code = failingCodeOf(view, nodes, map)
  const withCode = nodes.filter(
    (node) => node.code_version === code?.code_version && node.environment === code.environment,
  )
  const began = code !== null && withCode.length >= beganShare.value * failing!
  const facts = {
    cause: name,
    reason: cause.reason,
    resource: cause.resource,
    failing: failing!,
    since: began ? formatTimestamp(code.since) : cause.new ? cause.first_seen : null,
    deploy: began ? { code_version: code.code_version, environment: code.environment } : null,
    group: began ? groupOf(view, map, code, withCode, failing!) : null,
  }
  return { sentence: incidentText(facts, view.now), ...facts }
}

function groupOf(
  view: Pick<View, 'nodeGroup'>,
  { groups }: NodeMap,
  code: FailingCode,
  broken: readonly BrokenNode[],
  failing: number,
): IncidentGroup | null {
  const isOfGroup = ({ certname }: { readonly certname: string }): boolean =>
    nodeGroupOf(view, certname) === code.group
  const cells = groups
    .flatMap(({ cells }) => cells)
    .filter((cell) => cell.environment === code.environment && isOfGroup(cell))
  const [ofGroup, ran] = [
    broken.filter(isOfGroup).length,
    cells.filter(({ time }) => time !== null && Date.parse(time) >= code.since).length,
  ]
  if (cells.length < groupNodes.value || ofGroup < groupShare.value * failing) return null
  return {
    name: code.group,
    ran,
    failing: ofGroup,
    waiting: cells.filter((cell) => runsNext(view, cell, code)).length,
  }
}
