/** Plan of counts → SQL: events counted by subject, or subjects counted. */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { CountName, CountsPlan, Predicate, Summary } from '../plan/plan.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { events, nodes, reports, resources, strings } from '../schema/tables.ts'
import { distinctEvents } from './distinct.ts'
import { literal } from './encoding.ts'
import type { Matches, PatternMatches } from './matches.ts'
import { predicate } from './predicate.ts'
import { orderClause, type Position } from './position.ts'
import type { CompiledSelect } from './select.ts'
import { fromClause, tablesOf } from './source.ts'
import { ENTITIES } from '../schema/entities.ts'
import { fieldOf, type Field } from '../schema/entity.ts'

const REPORTS = ENTITIES.get('reports')!

/** Fields of events that belong to their report, and the names that reports have for them. */
const REPORT_FIELDS: Readonly<Record<string, string>> = {
  certname: 'certname',
  report: 'hash',
  configuration_version: 'configuration_version',
  environment: 'environment',
  run_start_time: 'start_time',
  run_end_time: 'end_time',
  report_receive_time: 'receive_time',
  'latest_report?': 'latest_report?',
}

const SUMS: Readonly<Record<CountName, SQL>> = {
  failures: sql`sum(${reports.failures})`,
  skips: sql`sum(${reports.skips})`,
  successes: sql`sum(${reports.successes})`,
  noops: sql`sum(${reports.noops})`,
}

/** One row per node: k0, its certname, and the four numbers. Null where the query depends on single events. */
function sumsByNode(plan: CountsPlan, matches: Matches): SQL | null {
  if (plan.countBy !== 'resource' || plan.distinct) return null
  const matched = new Map(matches)
  const where = ofReports(plan.where, matched)
  if (where === null) return null
  const numbers = Object.entries(SUMS).map(([name, sum]) => sql`${sum} as ${sql.identifier(name)}`)
  return sql`select (select target.certname from ${nodes} as target where target.id = ${reports.node}) as k0, ${sql.join(numbers, sql`, `)}
    from ${reports} where ${predicate(REPORTS, where, matched)} and ${reports.events} > 0 group by ${reports.node}`
}

/** The same condition on reports; null where reports cannot express it. */
function ofReports(where: Predicate, matched: Map<Predicate, PatternMatches>): Predicate | null {
  switch (where.kind) {
    case 'and':
    case 'or': {
      const terms = where.terms.map((term) => ofReports(term, matched))
      return terms.includes(null) ? null : { ...where, terms: terms as Predicate[] }
    }
    case 'not': {
      const term = ofReports(where.term, matched)
      return term && { ...where, term }
    }
    case 'always':
      return where
    case 'within': {
      const fields = where.fields.map(reportField)
      return fields.includes(null) ? null : { ...where, fields: fields as Field[] }
    }
    default: {
      const field = reportField(where.field)
      if (field === null) return null
      const onReport = { ...where, field }
      const found = matched.get(where)
      if (found) matched.set(onReport, found)
      return onReport
    }
  }
}

const reportField = ({ name }: Field): Field | null =>
  Object.hasOwn(REPORT_FIELDS, name) ? (fieldOf(REPORTS, REPORT_FIELDS[name]!) ?? null) : null

/** The count of each status of events. Events of other statuses are not counted, but still make a subject. */
const STATUSES: Readonly<Record<CountName, string>> = {
  failures: 'failure',
  skips: 'skipped',
  successes: 'success',
  noops: 'noop',
}
export const COUNT_NAMES = Object.keys(STATUSES) as CountName[]

/** The subjects of each summary: what they are grouped by, and the columns that show them. */
const SUMMARIES: Readonly<
  Record<Summary, { by: readonly SQLiteColumn[]; keys: readonly SQL[]; subject: SQL }>
> = {
  certname: {
    by: [reports.node],
    keys: [
      sql`(select target.certname from ${nodes} as target where target.id = ${sql.identifier('g0')})`,
    ],
    subject: sql`json_object('title', k0)`,
  },
  resource: {
    by: [resources.type, resources.title],
    keys: [sql`g0`, sql`g1`],
    subject: sql`json_object('type', k0, 'title', k1)`,
  },
  containing_class: {
    by: [resources.class],
    keys: [sql`g0`],
    subject: sql`json_object('title', k0)`,
  },
}

/** One compiled select for each summary of the plan. */
export const compileCounts = (plan: CountsPlan, matches: Matches): CompiledSelect[] =>
  plan.summaries.map((summary) => compileSummary(plan, summary, matches))

function compileSummary(plan: CountsPlan, summary: Summary, matches: Matches): CompiledSelect {
  const { keys, subject } = SUMMARIES[summary]
  const having = plan.having
    ? sql`${sql.identifier(plan.having.count)} ${sql.raw(plan.having.operator)} ${plan.having.value}`
    : sql`1`
  const position = plan.aggregate ? [] : [...plan.order.map(orderOf), ...keys.map(keyOf)]
  const from = sql`(${subjectsCounted(plan, summary, matches)}) as counted`
  const outputs = plan.aggregate ? aggregateOutputs(summary) : rowOutputs(summary, subject)
  return {
    columns: outputs.map(({ name, as, sql }) => ({ name, sql, decoding: { as } })),
    position,
    extras: [],
    topN: null,
    limit: plan.aggregate ? null : plan.limit,
    offset: plan.aggregate ? 0 : plan.offset,
    from,
    where: having,
    groupBy: sql``,
    orderBy: orderClause(position),
    total: { count: sql`count(*)`, from: sql`from ${from} where ${having}` },
  }
}

interface NamedOutput {
  readonly name: string
  readonly as: 'number' | 'text' | 'json'
  readonly sql: SQL
}

const rowOutputs = (summary: Summary, subject: SQL): NamedOutput[] => [
  ...COUNT_NAMES.map((name): NamedOutput => ({
    name,
    as: 'number',
    sql: sql`${sql.identifier(name)}`,
  })),
  { name: 'subject_type', as: 'text', sql: sql`${summary}` },
  { name: 'subject', as: 'json', sql: subject },
]

const aggregateOutputs = (summary: Summary): NamedOutput[] => [
  { name: 'summarize_by', as: 'text', sql: sql`${summary}` },
  ...COUNT_NAMES.map((name): NamedOutput => ({
    name,
    as: 'number',
    sql: sql`count(*) filter (where ${sql.identifier(name)} > 0)`,
  })),
  { name: 'total', as: 'number', sql: sql`count(*)` },
]

const keyOf = (_: SQL, index: number): Position => ({
  name: `key.${index}`,
  value: sql.raw(`k${index}`),
  direction: 'asc',
  nulls: 'last',
})

const orderOf = ({ key, direction }: CountsPlan['order'][number]): Position => ({
  name: `order.${typeof key === 'string' ? key : key.index}`,
  value: typeof key === 'string' ? sql`${sql.identifier(key)}` : sql.raw(`k${key.index}`),
  direction,
  nulls: 'last',
})

/** One row a subject: its keys and its four numbers. */
function subjectsCounted(plan: CountsPlan, summary: Summary, matches: Matches): SQL {
  const summed = summary === 'certname' ? sumsByNode(plan, matches) : null
  if (summed) return summed
  const { by, keys } = SUMMARIES[summary]
  const groups = by.map((_, index) => sql.raw(`g${index}`))
  const numbers = COUNT_NAMES.map(
    (name) =>
      sql`count(*) filter (where status = (select target.id from ${strings} as target where target.kind = ${literal(STRING_KINDS.eventStatus)} and target.value = ${sql.raw(`'${STATUSES[name]}'`)})) as ${sql.identifier(name)}`,
  )
  const keyColumns = keys.map((key, index) => sql`${key} as ${sql.raw(`k${index}`)}`)
  return sql`select ${sql.join([...keyColumns, ...numbers], sql`, `)} from (${selectedEvents(plan, by, matches)}) group by ${sql.join(groups, sql`, `)}`
}

/** The events that are counted; by certname, at most one of each status for a node and subject. */
function selectedEvents(plan: CountsPlan, by: readonly SQLiteColumn[], matches: Matches): SQL {
  const once = plan.countBy === 'certname'
  const selected = [
    sql`${events.status} as status`,
    ...by.map((column, index) => sql`${column} as ${sql.raw(`g${index}`)}`),
    ...(once ? [sql`${reports.node} as counted_node`] : []),
  ]
  const read = new Set<SQLiteTable>([
    ...tablesOf(plan.where),
    ...by.map((column) => column.table),
    ...(once ? [reports] : []),
  ])
  const conditionOf = (one: Predicate): SQL => predicate(plan.entity, one, matches)
  const source = plan.distinct && distinctEvents(plan.distinct, conditionOf(plan.distinct.among))
  const from = fromClause(plan.entity, read, source)
  return sql`select ${sql.raw(once ? 'distinct ' : '')}${sql.join(selected, sql`, `)} from ${from} where ${conditionOf(plan.where)}`
}
