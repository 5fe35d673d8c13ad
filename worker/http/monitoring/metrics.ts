/** `GET /metrics`: the fleet and the store in Prometheus' text format 0.0.4. One round trip for fleets of any size. */

import {
  LAST_RUN_AGES,
  readFigures,
  type EnvironmentNodes,
  type Figures,
} from '../../store/figures.ts'
import type { LossKind } from '../../store/refusals.ts'
import type { Call } from '../context.ts'
import { lagOf } from '../../history/lag.ts'
import { respond } from '../respond.ts'
import { hostFigures, type HostFigures } from './host-figures.ts'
import { API_VERSION } from './status.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number | null]

interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: (figures: ServiceFigures) => readonly Sample[]
}

interface ServiceFigures extends Figures, HostFigures {
  /** MAX_DATABASE_BYTES. */
  readonly mostDatabaseBytes: number
  /** Whether a history is written. */
  readonly hasHistory: boolean
  /** In ms. */
  readonly historyLag: number
}

const one =
  (read: (figures: ServiceFigures) => number | null) =>
  (figures: ServiceFigures): Sample[] => [[{}, read(figures)]]
const byAcknowledgement = ({ all, quiet }: Figures['failingCauses']): Sample[] => [
  [{ acknowledged: 'true' }, quiet],
  [{ acknowledged: 'false' }, all - quiet],
]
const lossesOf =
  (kind: LossKind) =>
  ({ losses }: Figures): number =>
    losses.find(([name]) => name === kind)?.[1] ?? 0
const inSeconds = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : milliseconds / 1000

/** A site may have an environment for each branch of its code, and Prometheus keeps each series for weeks. */
const MOST_ENVIRONMENTS = 50
/** No environment can have this name, nor the empty one of nodes that have never sent a report. */
const OTHER_ENVIRONMENTS = '(others)'

/** The environments with the most nodes, and the rest as one. */
function boundedEnvironments(all: readonly EnvironmentNodes[]) {
  const rest = all.slice(MOST_ENVIRONMENTS)
  const shown = all.slice(0, MOST_ENVIRONMENTS)
  const others = rest.reduce(
    (sum, { nodes, failed }) => ({ nodes: sum.nodes + nodes, failed: sum.failed + failed }),
    { nodes: 0, failed: 0 },
  )
  return [
    ...shown.map(({ environment, ...counts }) => ({ environment: environment ?? '', ...counts })),
    ...(rest.length === 0 ? [] : [{ environment: OTHER_ENVIRONMENTS, ...others }]),
  ]
}

/** Deactivated and expired nodes count in the first only. Labels have a bounded number of values, so that series don't multiply. */
export const METRICS: readonly Metric[] = [
  {
    name: 'puppet_nodes',
    type: 'gauge',
    help: 'Nodes that are known, by whether they are active.',
    samples: (figures) => [
      [{ activity: 'active' }, figures.activeNodes],
      [{ activity: 'deactivated' }, figures.deactivatedNodes],
      [{ activity: 'expired' }, figures.expiredNodes],
    ],
  },
  {
    name: 'puppet_nodes_by_last_run',
    type: 'gauge',
    help: 'Active nodes by the state of their last run; of a noop run, the state it would have had.',
    samples: ({ runs }) =>
      runs.map(([state, noop, nodes]): Sample => [{ state, noop: String(noop) }, nodes]),
  },
  {
    name: 'puppet_environment_nodes',
    type: 'gauge',
    help: 'Active nodes by the environment of their last run, and by whether that run failed; the 50 with the most nodes.',
    samples: ({ environments }) =>
      boundedEnvironments(environments).flatMap(({ environment, nodes, failed }): Sample[] => [
        [{ environment, last_run: 'failed' }, failed],
        [{ environment, last_run: 'good' }, nodes - failed],
      ]),
  },
  {
    name: 'puppet_failing_causes',
    type: 'gauge',
    help: 'Causes by which the last runs of active nodes failed, by whether they are acknowledged.',
    samples: ({ failingCauses }) => byAcknowledgement(failingCauses),
  },
  {
    name: 'puppet_failing_nodes',
    type: 'gauge',
    help: 'Active nodes whose last run failed by a cause, by whether each of its causes is acknowledged.',
    samples: ({ failingNodes }) => byAcknowledgement(failingNodes),
  },
  {
    name: 'puppet_nodes_with_recent_run',
    type: 'gauge',
    help: 'Active nodes whose last run ended within this many seconds.',
    samples: ({ within }) =>
      LAST_RUN_AGES.map((age, index): Sample => [{ within_seconds: String(age) }, within[index]!]),
  },
  {
    name: 'puppet_nodes_without_run',
    type: 'gauge',
    help: 'Active nodes that have no report.',
    samples: one(
      ({ activeNodes, runs }) => activeNodes - runs.reduce((sum, run) => sum + run[2], 0),
    ),
  },
  {
    name: 'puppet_silent_nodes',
    type: 'gauge',
    help: 'Active nodes without a run for two hours, and for twice their usual interval.',
    samples: one(({ silentNodes }) => silentNodes),
  },
  {
    name: 'puppet_last_run_age_max_seconds',
    type: 'gauge',
    help: 'Time since the end of the last run of the node that has been silent longest.',
    samples: one(({ oldestRunSeconds }) => oldestRunSeconds),
  },
  {
    name: 'puppet_last_run_duration_mean_seconds',
    type: 'gauge',
    help: 'Mean duration of the last runs of active nodes.',
    samples: one(({ meanDurationSeconds }) => meanDurationSeconds),
  },
  {
    name: 'puppet_last_run_duration_max_seconds',
    type: 'gauge',
    help: 'Longest duration of the last runs of active nodes.',
    samples: one(({ longestDurationSeconds }) => longestDurationSeconds),
  },
  {
    name: 'report_service_reports',
    type: 'gauge',
    help: 'Reports that are stored.',
    samples: one(({ reports }) => reports),
  },
  {
    name: 'report_service_oldest_report_timestamp_seconds',
    type: 'gauge',
    help: 'Producer timestamp of the oldest report.',
    samples: one(({ oldestReport }) => inSeconds(oldestReport)),
  },
  {
    name: 'report_service_newest_report_timestamp_seconds',
    type: 'gauge',
    help: 'Producer timestamp of the newest report, or its receipt where that was earlier.',
    samples: one(({ newestReport }) => inSeconds(newestReport)),
  },
  {
    name: 'report_service_database_size_bytes',
    type: 'gauge',
    help: 'Size of the database.',
    samples: one(({ databaseBytes }) => databaseBytes),
  },
  {
    name: 'report_service_database_size_limit_bytes',
    type: 'gauge',
    help: 'Size at which the database takes no more reports; the oldest are deleted before.',
    samples: one(({ mostDatabaseBytes }) => (mostDatabaseBytes === 0 ? null : mostDatabaseBytes)),
  },
  {
    name: 'report_service_open_hours',
    type: 'gauge',
    help: "Hours that housekeeping has yet to count; a large number means that it doesn't run.",
    samples: one(({ openHours }) => openHours),
  },
  {
    name: 'report_service_retention_position_timestamp_seconds',
    type: 'gauge',
    help: 'How far each rule of retention has come.',
    samples: ({ retentionProgress }) =>
      retentionProgress.map(([rule, until]): Sample => [{ rule }, inSeconds(until)]),
  },
  {
    name: 'report_service_history_days_waiting',
    type: 'gauge',
    help: 'Days with reports that the history does not hold yet; today and yesterday are among them.',
    samples: one(({ hasHistory, unarchivedDays }) => (hasHistory ? unarchivedDays : null)),
  },
  {
    name: 'report_service_history_lag_seconds',
    type: 'gauge',
    help: 'How long ago the first day that the history lacks was due; 0 if none is.',
    samples: one(({ hasHistory, historyLag }) => (hasHistory ? historyLag / 1000 : null)),
  },
  {
    name: 'report_service_history_bytes',
    type: 'gauge',
    help: 'Size of the files of the history, as they were written.',
    samples: one(({ hasHistory, historyBytes }) => (hasHistory ? historyBytes : null)),
  },
  {
    name: 'report_service_history_first_day_timestamp_seconds',
    type: 'gauge',
    help: 'Start of the first day in the history.',
    samples: one(({ hasHistory, historyFirstDay }) =>
      hasHistory ? inSeconds(historyFirstDay) : null,
    ),
  },
  {
    name: 'report_service_disk_free_bytes',
    type: 'gauge',
    help: 'Free space on the disk of database and history. npm start only.',
    samples: one(({ freeBytes }) => freeBytes),
  },
  {
    name: 'report_service_last_backup_timestamp_seconds',
    type: 'gauge',
    help: 'When npm run backup made the last good backup. npm start only.',
    samples: one(({ lastBackup }) => inSeconds(lastBackup)),
  },
  {
    name: 'report_service_log_loss_timestamp_seconds',
    type: 'gauge',
    help: 'When a start found reports lost with the log of the database, until its file is removed. npm start only.',
    samples: one(({ lostLog }) => inSeconds(lostLog?.found ?? null)),
  },
  {
    name: 'report_service_ignored_commands_total',
    type: 'counter',
    help: 'Commands that were answered without being kept.',
    samples: ({ ignoredCommands }) =>
      ignoredCommands.map(([command, count]): Sample => [{ command }, count]),
  },
  {
    name: 'report_service_refused_commands_total',
    type: 'counter',
    help: 'Commands that were answered with an error, for whatever reason.',
    samples: one(lossesOf('refused commands')),
  },
  {
    name: 'report_service_events_left_out_total',
    type: 'counter',
    help: 'Events and resources of stored reports that could not be read.',
    samples: one(lossesOf('events left out')),
  },
  {
    name: 'report_service_info',
    type: 'gauge',
    help: 'The PuppetDB release whose API this is.',
    samples: () => [[{ api_version: API_VERSION }, 1]],
  },
]

export async function metrics(call: Call): Promise<Response> {
  const { databases, settings, history } = call.var
  const now = Date.now()
  const read = await readFigures(databases.nearest(), now)
  const figures = {
    ...read,
    ...hostFigures(),
    hasHistory: history !== null,
    historyLag: lagOf(read.unarchivedDay, now),
    mostDatabaseBytes: settings.MAX_DATABASE_BYTES,
  }
  return respond(METRICS.map((metric) => printed(metric, figures)).join(''), {
    'content-type': TYPE,
    'cache-control': 'no-store',
  })
}

/** An unknown value gives no sample, and a metric without samples no lines. */
function printed({ name, type, help, samples }: Metric, figures: ServiceFigures): string {
  const lines = samples(figures)
    .filter(([, value]) => value !== null)
    .map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`)
  return lines.length === 0
    ? ''
    : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
