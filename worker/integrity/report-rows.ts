/** Reads pages of reports for the check, and rows that lack their report. ?1 is the key before the page. */

import { eventFields } from '../schema/event-fields.ts'
import { reportFields } from '../schema/report-fields.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import {
  flag,
  integer,
  nullable,
  selectText,
  text,
  typed,
  uuid,
  type RowOf,
} from '../sql/columns.ts'
import { hexOf, hourOfKey, integerOf, lowerHexOf } from '../sql/encoding.ts'
import { isHash } from '../sql/hash.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { isGrouped } from '../store/regrouping.ts'
import type { SqlRule } from './checked-page.ts'

/** Reports of a page. */
export const REPORT_PAGE = 200
/** Rows without a report that are reported, of each table. */
const MOST_NAMED = 100

/** Key of the last report of the page; the last page has no upper bound. */
const END = `coalesce((select id from reports where id > ?1 order by id limit 1 offset ${REPORT_PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`

const lacksString = (column: string, kind: StringKind): string =>
  `${column} is not null and not exists (select 1 from strings where id = ${column} and kind = ${STRING_KINDS[kind]})`

/** Columns of a report that contain ids, each with the condition that the id is missing. */
const REFERENCES: readonly (readonly [name: string, missing: string])[] = [
  ['node', 'not exists (select 1 from nodes where id = r.node)'],
  ...reportFields.flatMap(([, { name, stored }]) =>
    stored.form === 'reference' ? [[name, lacksString(`r.${name}`, stored.target)] as const] : [],
  ),
  [
    'metric_set',
    'r.metric_set is not null and not exists (select 1 from metric_sets where id = r.metric_set)',
  ],
  [
    'slowest',
    `exists (select 1 from json_each(r.slowest) slow where not exists (select 1 from resources where id = ${integerOf('slow.key')}))`,
  ],
]

const MISSING = REFERENCES.map(([name, missing]) => `iif(${missing}, '${name} ', '')`).join(' || ')

/** Numbers of events of a report: all, and by each status that is counted. */
const COUNTED = ['failure', 'success', 'noop', 'skipped']
const RECOUNTED = `(select count(*) || ${COUNTED.map((status) => `' ' || total(w.value = '${status}')`).join(' || ')}
  from events e left join strings w on w.id = e.status where e.report = r.id)`

const HOUR = hourOfKey('r.id')

const REPORT = {
  id: integer('r.id'),
  hash: text(lowerHexOf('r.hash')),
  certname: nullable(text('n.certname')),
  agentVersion: nullable(text('v.value')),
  reportFormat: integer('r.report_format'),
  configurationVersion: text('r.configuration_version'),
  /** Times in ms. */
  startTime: integer('r.start_time'),
  endTime: integer('r.end_time'),
  receiveTime: integer('r.receive_time'),
  /** The exact time beside the key, where the key can't hold it. */
  exactTimestamp: nullable(integer('r.producer_timestamp')),
  transactionUuid: nullable(uuid('r.transaction_uuid')),
  clockFlags: integer('r.clock_flags'),
  /** `events failures successes noops skips`, as stored and as counted. Retention deletes events and keeps these numbers. */
  counters: text(
    `r.events || ' ' || r.failures || ' ' || r.successes || ' ' || r.noops || ' ' || r.skips`,
  ),
  recounted: text(`replace(${RECOUNTED}, '.0', '')`),
  /** Names of columns whose references are missing, each followed by a blank. */
  missing: text(MISSING),
  hour: integer(HOUR),
  hourKnown: flag(
    `exists (select 1 from open_hours where hour = ${HOUR}) or exists (select 1 from hour_counts where hour = ${HOUR})`,
  ),
  metricNames: nullable(text('m.names')),
  hasMetricSet: flag('r.metric_set is not null'),
  /** Hex; null where the body is too long to be read with its row. */
  body: nullable(text(`iif(length(r.body) >= ${LONGEST_BODY}, null, ${hexOf('r.body')})`)),
  status: nullable(text('s.value')),
  noop: nullable(flag('r.noop')),
  noopPending: nullable(flag('r.noop_pending')),
  correctiveChange: nullable(flag('r.corrective_change')),
  state: integer('r.state'),
  /** False where state and causes may still follow older rules. */
  grouped: flag(isGrouped('r.id')),
  /** Whether it has logs or metrics no more, though the report before it, which retention shortens first, has them. */
  lostBody: flag(`r.body is null and r.metric_set is not null and exists (
    select 1 from (select max(b.id) as id from reports b where b.id < r.id) p cross join reports o on o.id = p.id
    where o.body is not null and o.metric_set is not null and not exists (select 1 from nodes l where l.latest = o.id and l.id = o.node)
    and not exists (select 1 from protected_reports k where k.report = o.id))`),
  hasCauses: flag('exists (select 1 from report_causes where report = r.id)'),
  codeId: nullable(text('i.value')),
  /** When its code version was first applied in its environment; null where that is not stored. */
  versionFirst: nullable(
    integer(
      '(select first from code_versions where environment = r.environment and version = coalesce(i.value, r.configuration_version))',
    ),
  ),
}
/** A report as the check reads it. */
export type CheckedReportRow = RowOf<typeof REPORT>

const READ = `select ${selectText(REPORT)}
from reports r left join nodes n on n.id = r.node left join strings v on v.id = r.agent_version left join metric_sets m on m.id = r.metric_set
  left join strings s on s.id = r.status left join strings i on i.id = r.code_id
where r.id > ?1 order by r.id limit ${REPORT_PAGE}`

export const reportsAfter = (key: number): TypedStatement<CheckedReportRow> =>
  typed(REPORT, { sql: READ, params: [key] })

const EVENT_LACKS_STRING = eventFields
  .flatMap(([, { name, stored }]) =>
    stored.form === 'reference' ? [`(${lacksString(`e.${name}`, stored.target)})`] : [],
  )
  .join(' or ')

export const OF_PAGE = (column: string): string => `${column} > ?1 and ${column} <= ${END}`
const orphans = (table: string): string =>
  `select distinct '${table} of report ' || report as violation from ${table}
  where ${OF_PAGE('report')} and not exists (select 1 from reports where id = report) limit ${MOST_NAMED}`

/** Rows that must not exist among the keys of a page. */
export const RULES_OF_PAGE: readonly SqlRule[] = [
  {
    invariant: 'a report is stored once',
    sql: `select 'report ' || ${lowerHexOf('r.hash')} || ' (' || r.id || ')' as violation from reports r where ${OF_PAGE('r.id')}
      and exists (select 1 from reports o where ${isHash('o.hash', 'r.hash')} and o.id < r.id) limit ${MOST_NAMED}`,
  },
  ...['events', 'body_parts', 'long_values', 'report_causes'].map((table) => ({
    invariant: `rows of ${table} belong to a report`,
    sql: orphans(table),
  })),
  {
    invariant: 'what an event points at exists',
    sql: `select 'event ' || e.n || ' of report ' || e.report as violation from events e where ${OF_PAGE('e.report')} and (
      ${EVENT_LACKS_STRING} or not exists (select 1 from resources where id = e.resource)) limit ${MOST_NAMED}`,
  },
  {
    invariant: 'an event that is marked as long has its long values, and no other has any',
    sql: `select 'event ' || e.n || ' of report ' || e.report as violation from events e where ${OF_PAGE('e.report')}
      and (e.long is 1) <> exists (select 1 from long_values v where v.report = e.report and v.n = e.n) limit ${MOST_NAMED}`,
  },
]
