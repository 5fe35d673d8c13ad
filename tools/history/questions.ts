/** Questions about years that have a name: `npm run history -- ask NAME`. $names are parameters, which options give. */

import { PHASES } from '../../worker/insight/trends/run-times.ts'

/** An option that a question may need, with what it means. */
export const PARAMETERS = {
  certname: 'a node',
  type: 'a type of resource, as File',
  title: 'a title of a resource, as /etc/motd',
  text: 'a part of a message',
  since: 'the first day, as 2026-03-01',
  until: 'the last day',
} as const
export type QuestionParameter = keyof typeof PARAMETERS

export interface Question {
  readonly name: string
  readonly about: string
  readonly sql: string
}

/** Metrics of the category `time` that are no resource type, for SQL. */
const PHASES_LIST = [...PHASES].map((phase) => `'${phase}'`).join(', ')

/** Every question takes a span of days; without one it is about all days. */
const IN_SPAN = `date between $since::date and $until::date`

export const QUESTIONS: readonly Question[] = [
  {
    name: 'totals',
    about: 'reports, nodes and events of each month',
    sql: `select date_trunc('month', date) as month, count(*) as reports, count(distinct certname) as nodes, sum(event_count) as events
from reports where ${IN_SPAN} group by all order by month`,
  },
  {
    name: 'nodes',
    about: 'first and last run of each node, and how many failed',
    sql: `select certname, min(producer_timestamp) as first, max(producer_timestamp) as last, count(*) as runs,
  count(*) filter (status = 'failed') as failed
from reports where ${IN_SPAN} group by all order by last`,
  },
  {
    name: 'node',
    about: "a node's runs",
    sql: `select producer_timestamp, environment, status, state, corrective_change, configuration_version, hash
from reports where certname = $certname and ${IN_SPAN} order by producer_timestamp`,
  },
  {
    name: 'node-events',
    about: "a node's events",
    sql: `select timestamp, resource_type, resource_title, property, status, message, report
from events where certname = $certname and ${IN_SPAN} order by timestamp`,
  },
  {
    name: 'changes',
    about: 'who changed a resource',
    sql: `select timestamp, certname, status, property, old_value, new_value, message, file, line
from events where resource_type = $type and resource_title = $title and ${IN_SPAN} order by timestamp`,
  },
  {
    name: 'failures',
    about: 'failed events by month and class',
    sql: `select date_trunc('month', date) as month, containing_class, count(*) as failures, count(distinct certname) as nodes
from events where status = 'failure' and ${IN_SPAN} group by all order by month, failures desc`,
  },
  {
    name: 'failure-rate',
    about: 'failed runs by week and environment',
    sql: `select date_trunc('week', date) as week, environment, count(*) as runs,
  round(100 * count(*) filter (status = 'failed') / count(*), 1) as percent_failed
from reports where ${IN_SPAN} group by all order by week, environment`,
  },
  {
    name: 'failure',
    about: 'first and last sight of a failure, by a part of its message',
    sql: `select message, min(timestamp) as first, max(timestamp) as last, count(*) as events, count(distinct certname) as nodes
from events where status = 'failure' and contains(message, $text) and ${IN_SPAN} group by all order by first`,
  },
  {
    name: 'causes',
    about: 'first and last run with each cause (of files since 0.3)',
    sql: `select cause, min(producer_timestamp) as first, max(producer_timestamp) as last, count(*) as runs, count(distinct certname) as nodes
from (select unnest(causes) as cause, producer_timestamp, certname from reports where ${IN_SPAN}) group by all order by runs desc`,
  },
  {
    name: 'drift',
    about: 'resources that are corrected again and again',
    sql: `select resource_type, resource_title, count(*) as corrections, count(distinct certname) as nodes
from events where corrective_change and ${IN_SPAN} group by all order by corrections desc limit 50`,
  },
  {
    name: 'durations',
    about: 'how long runs take, by week',
    sql: `select date_trunc('week', date) as week, count(*) as runs, round(avg(epoch(end_time - start_time)), 1) as mean_seconds,
  round(quantile_cont(epoch(end_time - start_time), 0.95), 1) as p95_seconds
from reports where ${IN_SPAN} group by all order by week`,
  },
  {
    name: 'slow-types',
    about: 'types of resources that take the most time',
    sql: `select m.key[6:] as type, round(avg(m.value), 3) as mean_seconds, max(m.value) as longest_seconds, count(*) as runs
from (select unnest(map_entries(metrics)) as m from metrics where ${IN_SPAN})
where m.key like 'time.%' and m.key[6:] not in (${PHASES_LIST}) group by all order by mean_seconds desc limit 50`,
  },
  {
    name: 'logs',
    about: 'log lines with a text',
    sql: `select coalesce(time::timestamp, producer_timestamp::timestamp) as time, certname, level, source, message, report
from logs where contains(message, $text) and ${IN_SPAN} order by time`,
  },
]

/** The parameters that a question can't do without. */
export const neededBy = ({ sql }: Question): QuestionParameter[] =>
  (Object.keys(PARAMETERS) as QuestionParameter[]).filter(
    (name) => sql.includes(`$${name}`) && !(name in WITHOUT_SPAN),
  )

/** Days before and after all that can be stored. */
const WITHOUT_SPAN = { since: '0001-01-01', until: '9999-12-31' }

/** The values that a question is asked with. */
export function valuesFor(
  question: Question,
  given: Readonly<Partial<Record<QuestionParameter, string>>>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = { ...WITHOUT_SPAN }
  for (const name of [...neededBy(question), 'since', 'until'] as const)
    if (given[name] !== undefined) values[name] = given[name]
  return values
}
