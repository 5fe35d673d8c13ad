/**
 * The current incident: its cause, joined with the code that it began with, the nodes that run that code, and the next
 * ones. Made of what the fleet's panels have read, and null without enough evidence.
 */

import { formatTimestamp, MINUTE, type Timestamp } from '../../lib/time.ts'
import { answering, namedReads, type BatchRead } from '../../store/batch-read.ts'
import { causeListRead, type CauseSummary } from '../causes/cause-list.ts'
import {
  breakagesOf,
  breakagesRead,
  codeThatBegan,
  failingBecauseOf,
} from '../deploys/breakages.ts'
import type { Breakage } from '../../outcomes/breakages.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import {
  cellsOfGroup,
  dueOf,
  mapRead,
  nextNodes,
  type FleetCell,
  type FleetMap,
} from '../nodes/node-map.ts'
import type { View } from '../view.ts'
import { incidentText, type IncidentFacts, type IncidentGroup } from './sentence.ts'
import { definePanel } from '../panel.ts'

/** Below these, a part of the sentence is left out. */
export const INCIDENT_THRESHOLDS = {
  groupNodes: { value: 5, about: 'nodes of a group, to name the group' },
  mostMinutes: {
    value: 240,
    about: 'minutes until the next node of the group runs, at most, to say them',
  },
  groupShare: {
    value: 0.8,
    about: 'share of the nodes failing by a cause that are of one group, to name the group',
  },
} as const

const { groupNodes, groupShare, mostMinutes } = INCIDENT_THRESHOLDS

export interface Incident extends IncidentFacts {
  /** The facts in one sentence of plain text, with times in UTC. */
  readonly sentence: string
}

/** What the panels of the fleet have read. */
interface Evidence {
  /** By the nodes that fail by them now, then the newest first. */
  readonly causes: readonly CauseSummary[]
  readonly breakages: readonly Breakage[]
  readonly map: FleetMap
}

/** The incident of now, read by itself: three statements in one round trip. */
export const incidentRead = (view: View): BatchRead<{ readonly incident: Incident | null }> =>
  answering(
    namedReads({
      causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: 1 }),
      breakages: breakagesRead(view),
      map: mapRead(view, { by: 'group', drawn: false }),
    }),
    ({ causes, ...others }) => ({
      incident: incidentOf(view, { causes: causes.items, ...others }),
    }),
  )

/** The incident of the cause by which most nodes fail now that is not acknowledged; null where none does. */
export function incidentOf(
  view: Pick<View, 'nodeGroup' | 'since' | 'now'>,
  { causes, ...others }: Evidence,
): Incident | null {
  const cause = causes.find(
    ({ failing, acknowledged }) => (failing ?? 0) > 0 && acknowledged?.holds !== true,
  )
  return cause === undefined ? null : incidentOfCause(view, cause, others)
}

/** The incident of one cause; null where no node fails by it now. */
export function incidentOfCause(
  view: Pick<View, 'nodeGroup' | 'since' | 'now'>,
  cause: Pick<CauseSummary, 'cause' | 'failing' | 'reason' | 'resource' | 'since'>,
  { breakages, map }: Omit<Evidence, 'causes'>,
): Incident | null {
  const { cause: name, failing } = cause
  if (name === null || failing === null || failing === 0) return null
  const began = codeThatBegan(breakages, cause)
  const broke = began === null ? [] : breakagesOf(failingBecauseOf(breakages, name), began)
  const facts = {
    cause: name,
    reason: cause.reason,
    resource: cause.resource,
    failing,
    nodes: map.nodes,
    since: cause.since,
    deploy:
      began === null
        ? null
        : {
            code_version: began.code_version,
            environment: began.environment,
            time: formatTimestamp(broke[0]!.deployed),
          },
    group: groupOf(view, map, broke, failing),
  }
  return { sentence: incidentText(facts, view.now), ...facts }
}

/** @param broke the nodes that broke with the incident's code by its cause, and fail by it now */
function groupOf(
  view: Pick<View, 'nodeGroup' | 'now'>,
  map: FleetMap,
  broke: readonly Breakage[],
  failing: number,
): IncidentGroup | null {
  const groups = Map.groupBy(broke, ({ certname }) => nodeGroupOf(view, certname))
  const [most] = [...groups].sort(([, one], [, other]) => other.length - one.length)
  if (most === undefined) return null
  const [group, ofGroup] = most
  const { newest, environment, code_version, deployed: since } = ofGroup[0]!
  const cells = cellsOfGroup(view, map, group).filter((cell) => cell.environment === environment)
  if (cells.length < groupNodes.value || ofGroup.length < groupShare.value * failing) return null
  const waiting = newest ? nextNodes(view, map, { group, environment, code_version, since }) : []
  return {
    name: group,
    ran: cells.filter(({ latest }) => latest !== null && latest >= since).length,
    failing: ofGroup.length,
    waiting: waiting.length,
    next_minutes: minutesUntilNext(waiting, view.now),
  }
}

/** A node that runs the failing code next. */
export interface NextNode {
  readonly certname: string
  /** By its usual interval; null where that can't be told. */
  readonly due: Timestamp | null
}

/** The nodes of the incident's group that have not run its code yet, the next one first; none without code and group. */
export function nextInLine(
  view: Pick<View, 'nodeGroup' | 'now'>,
  { deploy, group }: Incident,
  map: FleetMap,
): readonly NextNode[] {
  if (deploy === null || group === null || group.waiting === 0) return []
  const code = { ...deploy, group: group.name, since: Date.parse(deploy.time) }
  return nextNodes(view, map, code)
    .map((cell) => ({ certname: cell.certname, due: dueOf(cell) ?? Infinity }))
    .sort((one, other) => one.due - other.due || (one.certname < other.certname ? -1 : 1))
    .map(({ certname, due }) => ({
      certname,
      due: due === Infinity ? null : formatTimestamp(due),
    }))
}

/** Until the first of them is due; null where one can't be told, or should have run already, or all run much later. */
function minutesUntilNext(waiting: readonly FleetCell[], now: number): number | null {
  const due = waiting.flatMap((cell) => dueOf(cell) ?? [])
  if (due.length === 0 || due.length < waiting.length) return null
  const minutes = Math.ceil((due.reduce((one, other) => Math.min(one, other)) - now) / MINUTE)
  return minutes > 0 && minutes <= mostMinutes.value ? minutes : null
}

export const INCIDENT_PANEL = definePanel({
  path: '/incident',
  summary:
    'The current incident: the cause by which most nodes fail, the code it began with, and the nodes that run that code next.',
  takes: {},
  read: incidentRead,
})
