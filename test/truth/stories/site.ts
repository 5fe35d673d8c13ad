/** A site as a plan: nodes, releases and faults. What its agents send follows from it. */

import { event, report, resource, type Payload } from '../../worker/reports.ts'
import { HOUR } from '../evaluator/fleet.ts'

import type { Arrival } from '../evaluator/run.ts'
import { FAILURES, type Failure, type FailureName } from './failures.ts'

/** Every story ends then. */
export const NOW = Date.parse('2026-03-02T12:00:00.000Z')
export const DAY = 24 * HOUR

/** Times in ms. */
export interface NodePlan {
  readonly certname: string
  readonly environment: string
  /** The environment that it has from a time on. */
  readonly moved?: { readonly to: string; readonly at: number }
  /** Its first run, and the time between two. */
  readonly from: number
  readonly interval: number
  /** No run from here on. */
  readonly until?: number
  /** How far its clock is ahead. */
  readonly clock?: number
  readonly noop?: boolean
  /** Name of its compiler. */
  readonly compiler?: string
  /** When it was deactivated. */
  readonly deactivated?: number
}

/** Code that reaches nodes of an environment from a time on. */
export interface Release {
  readonly environment: string
  readonly version: string
  readonly time: number
  /** The nodes that it reaches; all by default. */
  readonly reaches?: (node: NodePlan) => boolean
}

export interface Fault {
  readonly failure: FailureName
  /** Whether it fails the run of a node at that time; `version` is what the compiler would compile. */
  readonly hits: (node: NodePlan, time: number, version: string | null) => boolean
  /** Whether agents fall back to their cached catalog. */
  readonly cached?: boolean
}

export interface SitePlan {
  readonly title: string
  readonly nodes: readonly NodePlan[]
  readonly releases: readonly Release[]
  readonly faults: readonly Fault[]
  /** Resources whose drift is corrected. */
  readonly drift?: readonly {
    readonly resource: string
    readonly hits: (node: NodePlan, time: number) => boolean
  }[]
  /** Resources that nodes in noop mode would change. */
  readonly pending?: SitePlan['drift']
  /** The text in which a compiler names a version. */
  readonly named?: (version: string, compiler: string, environment: string) => Partial<Payload>
  /** Runs before this were imported then. */
  readonly imported?: number
  /** Reports that were made between these times arrived at the end. */
  readonly outage?: readonly [from: number, until: number]
  /** Causes that somebody acknowledged just now. */
  readonly acknowledged?: readonly FailureName[]
}

const asCodeId = (version: string): Partial<Payload> => ({ code_id: version })

const iso = (time: number): string => new Date(time).toISOString()
const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/** What the agents of a site sent until now, in order of the nodes and their runs. */
export function arrivalsOf(plan: SitePlan): readonly Arrival[] {
  let count = 0
  return plan.nodes.flatMap((planned) => {
    const arrivals: Arrival[] = []
    let applied: string | null = null
    for (
      let time = planned.from;
      time < Math.min(planned.until ?? NOW, NOW);
      time += planned.interval
    ) {
      const { moved } = planned
      const isMoved = moved !== undefined && time >= moved.at
      const node = isMoved ? { ...planned, environment: moved.to } : planned
      const [release] = plan.releases
        .filter(
          ({ environment, time: from, reaches }) =>
            environment === node.environment && from <= time && reaches?.(node) !== false,
        )
        .toSorted((one, other) => other.time - one.time)
      const version = release?.version ?? null
      const fault = plan.faults.find(({ hits }) => hits(node, time, version))
      const run = { node, time, version, applied, fault, number: ++count }
      arrivals.push({ payload: payloadOf(plan, run), received: receivedAt(plan, time) })
      if (fault === undefined || FAILURES[fault.failure].kind === 'resource') applied = version
    }
    return arrivals
  })
}

const receivedAt = ({ imported, outage }: SitePlan, time: number): number => {
  if (imported !== undefined && time < imported) return imported + 1500
  if (outage !== undefined && time >= outage[0] && time < outage[1]) return outage[1] + 1500
  return time + 1500
}

interface PlannedRun {
  readonly node: NodePlan
  readonly time: number
  /** What the compiler would compile, and what the node applied last. */
  readonly version: string | null
  readonly applied: string | null
  readonly fault: Fault | undefined
  readonly number: number
}

function payloadOf(plan: SitePlan, run: PlannedRun): Payload {
  const { node, time, version, applied, fault, number } = run
  const { named = asCodeId } = plan
  const { compiler = 'puppet-a', environment } = node
  const local = time + (node.clock ?? 0)
  const seconds = 10 + (number % 50)
  const drift = (plan.drift ?? []).filter(({ hits }) => hits(node, time))
  const withVersion = (text: string | null) =>
    text === null ? {} : named(text, compiler, environment)
  const base = report({
    certname: node.certname,
    environment,
    producer: `${compiler}.example.com`,
    start_time: iso(local - seconds * 1000),
    end_time: iso(local),
    producer_timestamp: iso(local),
    transaction_uuid: uuidOf(number),
    catalog_uuid: uuidOf(number),
    configuration_version: String(Math.floor(local / 1000)),
    noop: node.noop === true,
    ...withVersion(version),
  })
  const pending = (plan.pending ?? []).filter(({ hits }) => node.noop === true && hits(node, time))
  if (fault === undefined && pending.length > 0)
    return { ...base, status: 'unchanged', noop_pending: true, resources: pending.map(wouldChange) }
  if (fault === undefined)
    return drift.length === 0 || node.noop === true
      ? base
      : { ...base, status: 'changed', corrective_change: true, resources: drift.map(corrected) }
  const failure: Failure = FAILURES[fault.failure]
  if (failure.kind === 'resource') {
    const [resource_type, resource_title] = failure.resource!
    const failed = event({ status: 'failure', message: failure.message, timestamp: iso(local) })
    return {
      ...base,
      status: 'failed',
      resources: [
        resource({ resource_type, resource_title, timestamp: iso(local), events: [failed] }),
      ],
    }
  }
  const isCached = fault.cached === true && applied !== null
  const lines = isCached ? [] : ['Not using cache on failed catalog']
  return {
    ...base,
    code_id: null,
    configuration_version: '',
    ...(isCached ? withVersion(applied) : {}),
    catalog_uuid: isCached ? base['catalog_uuid'] : null,
    cached_catalog_status: isCached ? 'on_failure' : 'not_used',
    status: isCached ? 'unchanged' : 'failed',
    logs: [
      line('err', failure.message, local),
      ...lines.map((text) => line('warning', text, local)),
      ...(isCached ? [] : [line('err', 'Could not retrieve catalog; skipping run', local)]),
    ],
  }
}

const line = (level: string, message: string, time: number) => ({
  level,
  message,
  source: 'Puppet',
  tags: [level],
  time: iso(time),
  file: null,
  line: null,
})

interface Touched {
  readonly resource: string
}

const typeAndTitle = (name: string): Payload => {
  const [, resource_type, resource_title] = /^(\w+)\[(.*)\]$/.exec(name)!
  return { resource_type, resource_title }
}
const corrected = ({ resource: name }: Touched): Payload =>
  resource({
    ...typeAndTitle(name),
    corrective_change: true,
    events: [event({ corrective_change: true })],
  })
const wouldChange = ({ resource: name }: Touched): Payload =>
  resource({ ...typeAndTitle(name), events: [event({ status: 'noop' })] })
