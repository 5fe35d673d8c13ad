/** The metrics of a run, which its agent reports at the end. */

import type { Random } from './random.ts'

export interface Metric {
  readonly category: string
  readonly name: string
  readonly value: number
}

/** The results of a run. */
export interface Tally {
  readonly success: number
  readonly failure: number
  readonly noop: number
  readonly skipped: number
  readonly corrective: number
  readonly outOfSync: number
  readonly restarted: number
  readonly total: number
}

/** Seconds per resource type, and the other durations that an agent measures. */
const BRIEF = [
  'anchor',
  'augeas',
  'cron',
  'exec',
  'file',
  'file_line',
  'filebucket',
  'firewall',
  'group',
  'mount',
  'notify',
  'resources',
  'schedule',
  'service',
  'ssh_authorized_key',
  'sysctl',
  'user',
  'vcsrepo',
  'concat_file',
  'concat_fragment',
  'node_retrieval',
  'package',
]
const LONG = [
  'catalog_application',
  'config_retrieval',
  'convert_catalog',
  'fact_generation',
  'plugin_sync',
  'startup_time',
  'transaction_evaluation',
]

const metric = (category: string, name: string, value: number): Metric => ({
  category,
  name,
  value,
})

/** Seconds as a sum of clock readings: nine decimals, and sometimes a rounding error. */
const seconds = (random: Random, longest: number): number =>
  Math.round(random.fraction() ** 3 * longest * 1e9) / 1e9 +
  Math.round(random.fraction() * 2e4) / 1e9

/** @param duration of the whole run, in seconds; null for a run that got no catalog */
export function metricsOf(random: Random, tally: Tally, duration: number | null): Metric[] {
  if (duration === null)
    return [metric('time', 'total', seconds(random, 3)), ...eventMetrics(tally)]
  const times = [
    ...BRIEF.map((name) => metric('time', name, seconds(random, 0.3))),
    ...LONG.map((name) => metric('time', name, seconds(random, duration / 3))),
  ]
  const total = times.reduce((sum, { value }) => sum + value, 0)
  return [
    metric('resources', 'changed', tally.outOfSync - tally.failure - tally.noop),
    metric('resources', 'corrective_change', tally.corrective),
    metric('resources', 'failed', tally.failure),
    metric('resources', 'failed_to_restart', 0),
    metric('resources', 'out_of_sync', tally.outOfSync),
    metric('resources', 'restarted', tally.restarted),
    metric('resources', 'scheduled', 0),
    metric('resources', 'skipped', tally.skipped),
    metric('resources', 'total', tally.total),
    ...times,
    metric('time', 'total', total),
    metric('changes', 'total', tally.success),
    ...eventMetrics(tally),
  ]
}

const eventMetrics = ({ success, failure, noop }: Tally): Metric[] => [
  metric('events', 'failure', failure),
  ...(noop > 0 ? [metric('events', 'noop', noop)] : []),
  metric('events', 'success', success),
  metric('events', 'total', success + failure + noop),
]
