/** Groups that fell silent, and whether "nothing fails" may be said while nodes are silent. */

import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { LIFE_THRESHOLDS } from '../../store/node-life.ts'
import { interpolatedQuantile } from '../quantile.ts'
import type { View } from '../view.ts'
import { nodeGroupOf } from './node-group.ts'

/** A group of which most nodes fell silent within one usual interval. */
export interface GroupSilence {
  readonly group: string
  /** Nodes that fell silent together, of all of the group. */
  readonly silent: number
  readonly nodes: number
  /** When the first and the last of them was heard of. */
  readonly from: Timestamp
  readonly since: Timestamp
  /** What all of them have in common, and some node that reports has not; null where there is none. */
  readonly environment: string | null
  readonly producer: string | null
}

export interface FleetSilence {
  /** Whether "nothing fails" may be said: no latest run failed, a run came in the span, and few nodes and no group are silent. */
  readonly calm: boolean
  readonly silent_groups: readonly GroupSilence[]
  /** Names of some silent nodes, those that were heard of last first. */
  readonly silent_names: readonly string[]
}

/** Names that a sentence has room for. */
const NAMED = 3

/** When a silent node was heard of last and its usual interval, in ms, and who sent its latest report. */
export type NodeSilence = readonly [heard: number, usual: number | null, producer: string | null]

interface SilentNode {
  readonly certname: string
  readonly environment: string | null
  readonly silence: NodeSilence | null
}

/**
 * @param nodes all nodes of the view that have reported
 * @param newest when the newest run was, in ms; null without any
 * @param producers of the latest reports of nodes that report
 */
export function fleetSilence(
  view: Pick<View, 'nodeGroup' | 'since' | 'silentAfter'>,
  nodes: readonly SilentNode[],
  {
    failed,
    newest,
    producers,
  }: {
    readonly failed: number
    readonly newest: number | null
    readonly producers: readonly string[]
  },
): FleetSilence {
  const silent = nodes
    .flatMap(({ silence, ...node }) => (silence === null ? [] : [{ ...node, silence }]))
    .sort(
      (one, other) => other.silence[0] - one.silence[0] || (one.certname < other.certname ? -1 : 1),
    )
  const silent_groups = silent.length === 0 ? [] : groupSilences(view, nodes, { silent, producers })
  return {
    calm:
      failed === 0 &&
      newest !== null &&
      newest >= view.since &&
      silent.length < LIFE_THRESHOLDS.silentShare.value * nodes.length &&
      silent_groups.length === 0,
    silent_groups,
    silent_names: silent.slice(0, NAMED).map(({ certname }) => certname),
  }
}

type Silent = Omit<SilentNode, 'silence'> & { readonly silence: NodeSilence }

function groupSilences(
  view: Pick<View, 'nodeGroup' | 'silentAfter'>,
  nodes: readonly SilentNode[],
  {
    silent,
    producers,
  }: { readonly silent: readonly Silent[]; readonly producers: readonly string[] },
): readonly GroupSilence[] {
  const { silentGroupNodes, silentGroupShare } = LIFE_THRESHOLDS
  const groups = [...Map.groupBy(silent, ({ certname }) => nodeGroupOf(view, certname))].filter(
    ([, those]) => those.length >= silentGroupShare.value * silentGroupNodes.value,
  )
  if (groups.length === 0) return []
  const sizes = new Map(groups.map(([group]) => [group, 0]))
  for (const { certname } of nodes) {
    const group = nodeGroupOf(view, certname)
    const size = sizes.get(group)
    if (size !== undefined) sizes.set(group, size + 1)
  }
  const reporting: Shared = {
    environments: new Set(nodes.flatMap((one) => (one.silence ? [] : one.environment))),
    producers: new Set(producers),
  }
  return groups
    .flatMap(([group, those]) => {
      const together = fellTogether(view, those)
      const size = sizes.get(group)!
      return size >= silentGroupNodes.value && together.length >= silentGroupShare.value * size
        ? [silenceOf(group, size, { together, reporting })]
        : []
    })
    .sort((one, other) => other.silent - one.silent || (one.group < other.group ? -1 : 1))
}

/** The most nodes that were heard of last within one usual interval, the last ones where there are several. @param silent latest first */
function fellTogether(
  { silentAfter }: Pick<View, 'silentAfter'>,
  silent: readonly Silent[],
): readonly Silent[] {
  const usual = silent.flatMap(({ silence: [, interval] }) => interval ?? [])
  const within = interpolatedQuantile(usual, 0.5) ?? silentAfter
  let most: readonly Silent[] = []
  for (let first = 0, behind = 0; first < silent.length; first++) {
    const [heard] = silent[first]!.silence
    while (behind < silent.length && silent[behind]!.silence[0] >= heard - within) behind++
    if (behind - first > most.length) most = silent.slice(first, behind)
  }
  return most
}

/** What nodes that report have. */
interface Shared {
  readonly environments: ReadonlySet<string | null>
  readonly producers: ReadonlySet<string | null>
}

const silenceOf = (
  group: string,
  nodes: number,
  {
    together: silent,
    reporting,
  }: { readonly together: readonly Silent[]; readonly reporting: Shared },
): GroupSilence => ({
  group,
  silent: silent.length,
  nodes,
  from: formatTimestamp(silent.at(-1)!.silence[0]),
  since: formatTimestamp(silent[0]!.silence[0]),
  environment: common(
    silent.map(({ environment }) => environment),
    reporting.environments,
  ),
  producer: common(
    silent.map(({ silence: [, , producer] }) => producer),
    reporting.producers,
  ),
})

/** The value of all, where it tells them from some node that reports. */
const common = (
  values: readonly (string | null)[],
  reporting: ReadonlySet<string | null>,
): string | null =>
  values.every((value) => value === values[0]) && [...reporting].some((one) => one !== values[0])
    ? values[0]!
    : null
