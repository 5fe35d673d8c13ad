/** Generates one run of an agent, as the `store report` command that its server submits. */

import type { EstateNode } from './estate.ts'
import { metricsOf, type Metric, type Tally } from './metrics.ts'
import type { Random } from './random.ts'
import { resourceOf, type Log, type ResourceOutcome, type Resource } from './resource.ts'
import { managedBy, type Managed } from './resources.ts'
import { preciseTimeText, timeText } from './time.ts'

/** `lost` is a failed run that got no catalog: it has error logs only. */
export type RunKind = 'unchanged' | 'changed' | 'failed' | 'noop' | 'lost'

/** The plan of a run; missing values are drawn. */
export interface RunPlan {
  readonly node: EstateNode
  readonly kind: RunKind
  /** When it begins, in ms since 1970. */
  readonly start: number
  /** The commit of its environment. */
  readonly commit: string
  /** Resources that change, fail, or would change in noop mode. */
  readonly causes?: readonly Managed[]
  readonly corrective?: boolean
  /** How many resources depend on a failed one. */
  readonly skipped?: number
}

export interface ReportPayload {
  readonly certname: string
  readonly status: string
  readonly producer_timestamp: string
  readonly logs: readonly Log[]
  readonly metrics: readonly Metric[]
  readonly resources: readonly Resource[]
  readonly [field: string]: unknown
}

/** A command, and the parameters of its URL. */
export interface StoreReportCommand {
  readonly command: 'store report'
  readonly version: 8
  readonly certname: string
  readonly producer_timestamp: string
  readonly payload: ReportPayload
}

const OUTCOMES = { changed: 'success', failed: 'failure', noop: 'noop' } as const

export function runCommand(random: Random, plan: RunPlan): StoreReportCommand {
  const { node, kind, start, commit } = plan
  const length = kind === 'lost' ? random.whole(900, 6000) : random.whole(4000, 48_000)
  const end = start + length
  const at = (part: number): string =>
    preciseTimeText(start + Math.floor(length * part), random.whole(0, 999_999), node.zone)
  const { resources, logs: changes, restarted } = resourcesOf(random, plan, at)
  const tally = tallyOf(resources, node, restarted)
  const version = node.deploysByCommit
    ? `${node.environment}-${commit.slice(0, 12)}`
    : String(Math.floor(start / 1000))
  const producerTimestamp = timeText(end + random.whole(150, 2500), node.zone)
  const payload: ReportPayload = {
    certname: node.certname,
    puppet_version: node.agentVersion,
    report_format: node.reportFormat,
    configuration_version: version,
    producer_timestamp: producerTimestamp,
    start_time: timeText(start, node.zone),
    end_time: timeText(end, node.zone),
    environment: node.environment,
    transaction_uuid: random.uuid(),
    catalog_uuid: kind === 'lost' ? null : random.uuid(),
    code_id: node.deploysByCommit ? commit : null,
    job_id: random.chance(0.05) ? String(random.whole(1, 300)) : null,
    cached_catalog_status: random.weighted([
      ['not_used', 96],
      ['explicitly_requested', 2],
      ['on_failure', 2],
    ]),
    status: kind === 'lost' ? 'failed' : kind === 'noop' ? 'unchanged' : kind,
    noop: kind === 'noop',
    noop_pending: tally.noop > 0,
    corrective_change: tally.corrective > 0,
    producer: node.producer,
    resources,
    logs:
      kind === 'lost'
        ? lostLogs(node, at)
        : [...openingLogs(node, version, at), ...changes, ...closingLogs(kind, length, at)],
    metrics: metricsOf(random, tally, kind === 'lost' ? null : length / 1000),
  }
  return {
    command: 'store report',
    version: 8,
    certname: node.certname,
    producer_timestamp: producerTimestamp,
    payload,
  }
}

/** The affected resources in the order of the run, each with its logs. */
function resourcesOf(random: Random, plan: RunPlan, at: (part: number) => string) {
  const { node, kind } = plan
  if (kind === 'unchanged' || kind === 'lost') return { resources: [], logs: [], restarted: 0 }
  const main = OUTCOMES[kind]
  const causes =
    plan.causes ?? drawn(random, node, kind === 'failed' ? random.whole(1, 2) : random.whole(1, 5))
  const others = kind === 'failed' && !plan.causes ? drawn(random, node, random.whole(0, 3)) : []
  const left = managedBy(node.role).filter((one) => !causes.includes(one) && !others.includes(one))
  const skipped = kind === 'failed' ? left.slice(0, plan.skipped ?? random.whole(0, 5)) : []
  const steps: [Managed, ResourceOutcome][] = [
    ...others
      .filter((one) => !causes.includes(one))
      .map((one): [Managed, ResourceOutcome] => [one, 'success']),
    ...causes.map((one): [Managed, ResourceOutcome] => [one, main]),
    ...skipped.map((one): [Managed, ResourceOutcome] => [one, 'skipped']),
  ]
  let restarted = 0
  const done = steps.map(([managed, outcome], index) => {
    const refreshed = outcome === 'success' && managed.type === 'Service'
    if (refreshed) restarted++
    const corrective = (plan.corrective ?? false) && causes.includes(managed)
    const time = at(0.35 + (0.6 * (index + random.fraction())) / steps.length)
    return resourceOf(random, node, { managed, outcome, corrective, refreshed, time })
  })
  return {
    resources: done.map(({ resource }) => resource),
    logs: done.flatMap(({ logs }) => logs),
    restarted,
  }
}

/** Some of the node's resources, without repetition. */
function drawn(random: Random, node: EstateNode, count: number): Managed[] {
  const all = managedBy(node.role)
  return [...new Set(Array.from({ length: count }, () => random.pick(all)))]
}

function tallyOf(resources: readonly Resource[], node: EstateNode, restarted: number): Tally {
  const events = resources.flatMap((resource) => resource.events)
  const count = (status: string): number => events.filter((event) => event.status === status).length
  return {
    success: count('success'),
    failure: count('failure'),
    noop: count('noop'),
    skipped: resources.filter(({ skipped }) => skipped).length,
    corrective: resources.filter(({ corrective_change: corrective }) => corrective).length,
    outOfSync: resources.filter(({ events: some }) => some.length > 0).length,
    restarted,
    total: node.resources,
  }
}

const plainLog = (level: string, message: string, time: string): Log => ({
  file: null,
  line: null,
  level,
  message,
  source: 'Puppet',
  tags: [level],
  time,
})

const openingLogs = (node: EstateNode, version: string, at: (part: number) => string): Log[] =>
  node.verbose
    ? [
        plainLog('info', `Using environment '${node.environment}'`, at(0.01)),
        plainLog('info', 'Retrieving pluginfacts', at(0.02)),
        plainLog('info', 'Retrieving plugin', at(0.04)),
        plainLog('info', 'Loading facts', at(0.08)),
        plainLog('info', `Caching catalog for ${node.certname}`, at(0.28)),
        plainLog('info', `Applying configuration version '${version}'`, at(0.3)),
      ]
    : []

const closingLogs = (kind: RunKind, length: number, at: (part: number) => string): Log[] => [
  ...(kind === 'noop'
    ? [
        {
          ...plainLog('notice', "Would have triggered 'refresh' from 1 event", at(0.97)),
          source: 'Stage[main]',
        },
      ]
    : []),
  plainLog('notice', `Applied catalog in ${((length * 0.65) / 1000).toFixed(2)} seconds`, at(0.99)),
]

/** Logs of a run without a catalog: only these lines say why it failed. */
function lostLogs(node: EstateNode, at: (part: number) => string): Log[] {
  const place = `/etc/puppetlabs/code/environments/${node.environment}/modules/profile/manifests/base.pp`
  return [
    plainLog(
      'err',
      `Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Function Call, Could not find class ::profile::telemetry for ${node.certname} (file: ${place}, line: 12, column: 3) on node ${node.certname}`,
      at(0.9),
    ),
    plainLog('warning', 'Not using cache on failed catalog', at(0.92)),
    plainLog('err', 'Could not retrieve catalog; skipping run', at(0.94)),
  ]
}
