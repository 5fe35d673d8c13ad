/** What Fleet reads, in one round trip: its page and its wall say the same of it. */

import { failuresRead, type CauseList } from '../../insight/causes/cause-list.ts'
import type { FailingNodes } from '../../insight/causes/failing-nodes.ts'
import { breakagesRead, type Breakage } from '../../insight/deploys/breakages.ts'
import { failingCodeOf } from '../../insight/deploys/failing-code.ts'
import type { KnownEnvironments } from '../../insight/fleet.ts'
import { incidentOf, type Incident } from '../../insight/incident/incident.ts'
import {
  MAP_GROUPINGS,
  nodeMapRead,
  type FailingCode,
  type FoundNodes,
} from '../../insight/nodes/node-map.ts'
import { sinceRead, type SinceThen } from '../../insight/since.ts'
import { timelineRead, type Timeline } from '../../insight/timeline.ts'
import type { View } from '../../insight/view.ts'
import { worthALookOf, worthOfRunsRead, type WorthALook } from '../../insight/worth/worth-a-look.ts'
import { inOneStatement, namedReads, NO_READ } from '../../store/batch-read.ts'
import type { Span } from '../span.ts'
import { chosen } from '../states.ts'
import {
  answerOf,
  everywhereRead,
  isScoped,
  panels,
  partOf,
  resolveView,
  type Panel,
  type Visit,
} from '../visit.ts'
import { bucketOf, charted } from './fleet-runs.ts'

export interface FoundFleet {
  readonly view: View
  readonly span: Span
  readonly map: Panel<FoundNodes>
  readonly timeline: Panel<Timeline>
  readonly causes: Panel<CauseList>
  readonly failing: FailingNodes
  readonly breakages: readonly Breakage[]
  readonly worth: Panel<WorthALook>
  readonly since: SinceThen | null
  /** Of all environments, where the others show some nodes only. */
  readonly everywhere: KnownEnvironments | null
  /** What burns; null where nothing does, or a part of its evidence could not be read. */
  readonly incident: Incident | null
  /** What fails and is still to come to other nodes. */
  readonly code: FailingCode | null
}

const CAUSES = 20
/** Nodes that a row of a cause names. */
export const NAMED_NODES = 5

export async function findFleet(visit: Visit): Promise<FoundFleet> {
  const { view, span } = await resolveView(visit)
  const { lastLook, url } = visit
  const { map, runs, failures, breakages, ...others } = await panels(visit, {
    map: nodeMapRead(view, {
      by: chosen(url.searchParams, 'map', MAP_GROUPINGS, 'group'),
      compared: true,
    }),
    runs: inOneStatement(
      namedReads({
        timeline: timelineRead(charted(view), { bucket: bucketOf(span), certname: null }),
        everywhere: isScoped(visit) ? everywhereRead(view) : NO_READ,
      }),
    ),
    failures: failuresRead(view, { limit: CAUSES, nodes: NAMED_NODES }),
    breakages: breakagesRead(view),
    worth: worthOfRunsRead(view),
    since: lastLook === null ? NO_READ : sinceRead(view, lastLook),
  })
  const causes = partOf(failures, ({ causes }) => causes)
  const broke = answerOf(breakages) ?? []
  const drawn = answerOf(map)?.map ?? null
  return {
    view,
    span,
    map,
    causes,
    breakages: broke,
    timeline: partOf(runs, ({ timeline }) => timeline),
    everywhere: answerOf(runs)?.everywhere ?? null,
    failing: answerOf(failures)?.failing ?? new Map(),
    worth:
      'answer' in map
        ? partOf(others.worth, (worth) => worthALookOf(view, worth, map.answer))
        : map,
    since: answerOf(others.since),
    incident:
      'answer' in causes && 'answer' in breakages && drawn !== null
        ? incidentOf(view, { causes: causes.answer.items, breakages: broke, map: drawn })
        : null,
    code: drawn === null ? null : failingCodeOf(view, broke, drawn),
  }
}
