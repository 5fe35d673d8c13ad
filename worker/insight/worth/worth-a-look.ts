/** What is worth a look although nothing fails by it: a line a kind, each with its evidence, always in the same order. */

import type { Timestamp } from '../../lib/time.ts'
import { DAY } from '../../lib/time.ts'
import { hourNumber } from '../../sql/encoding.ts'
import { answering, inOneStatement, namedReads, type BatchRead } from '../../store/batch-read.ts'
import { causeListRead, type CauseList } from '../causes/cause-list.ts'
import { nodeMapRead, type FoundNodes } from '../nodes/node-map.ts'
import { definePanel } from '../panel.ts'
import type { View } from '../view.ts'
import {
  clocksOff,
  noisyNodes,
  oldAgents,
  slowGroups,
  type ClockOff,
  type NoisyNode,
  type OldAgents,
  type SlowGroup,
} from './nodes.ts'
import { WORTH_DAYS, WORTH_THRESHOLDS } from './rules.ts'
import { comesAndGoesRead, type ComesAndGoes, type LongPending } from './runs.ts'

export interface RepeatedDrift {
  readonly kind: 'drift'
  readonly resource: string
  readonly nodes: number
  /** Runs that corrected it, in the last seven days. */
  readonly times: number
  readonly first_seen: Timestamp | null
}

/** What was found of a kind: the worst, and how many others there are. */
export type WorthLine = (
  | RepeatedDrift
  | LongPending
  | SlowGroup
  | ComesAndGoes
  | NoisyNode
  | ClockOff
  | OldAgents
) & { readonly more: number }

export interface WorthALook {
  readonly items: readonly WorthLine[]
}

interface WorthOfRuns {
  readonly drift: CauseList
  readonly flapping: readonly ComesAndGoes[]
}

/** What is found by runs. One statement, whatever the span of the view: it is of the last days. */
export function worthOfRunsRead(view: View): BatchRead<WorthOfRuns> {
  const days = { ...view, since: view.now - WORTH_DAYS * DAY, until: view.now + 1 }
  return inOneStatement(
    namedReads({
      drift: causeListRead(
        days,
        { kind: 'corrective', by: 'resource', onlyNew: false, limit: 100 },
        hourNumber(days.until),
      ),
      flapping: comesAndGoesRead(view),
    }),
  )
}

/** All that is worth a look. */
export const worthALookOf = (
  view: Pick<View, 'nodeGroup'>,
  { drift, flapping }: WorthOfRuns,
  { compared: nodes, pending }: Pick<FoundNodes, 'compared' | 'pending'>,
): WorthALook => ({
  items: [
    repeatedDrift(drift),
    pending === null ? [] : [pending],
    slowGroups(view, nodes),
    flapping,
    noisyNodes(view, nodes),
    clocksOff(nodes),
    oldAgents(nodes),
  ].flatMap((found) => (found.length === 0 ? [] : [{ ...found[0]!, more: found.length - 1 }])),
})

export const worthALookRead = (view: View): BatchRead<WorthALook> =>
  answering(
    namedReads({
      runs: worthOfRunsRead(view),
      nodes: nodeMapRead(view, { by: 'group', drawn: false, compared: true }),
    }),
    ({ runs, nodes }) => worthALookOf(view, runs, nodes),
  )

/** Where runs are three times as many as nodes, some node had it three times. */
const repeatedDrift = ({ items }: CauseList): RepeatedDrift[] =>
  items
    .filter(
      ({ reports, nodes }) => nodes > 0 && reports >= WORTH_THRESHOLDS.driftTimes.value * nodes,
    )
    .map(({ reason, nodes, reports, first_seen }): RepeatedDrift => ({
      kind: 'drift',
      resource: reason,
      nodes,
      times: reports,
      first_seen,
    }))
    .toSorted((one, other) => other.times - one.times)

export const WORTH_PANEL = definePanel({
  path: '/worth-a-look',
  summary:
    'Worth a look though nothing fails by it: repeated drift, changes pending for a day, groups that became slow, failures that come and go, noisy nodes, clocks that are off, old agents.',
  takes: {},
  read: worthALookRead,
})
