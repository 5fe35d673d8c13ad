/** The statements that read a page of reports for checking, and rows without a report. ?1 is the key before the page. */

import { HOUR } from '../schema/clocks.ts'
import { reportFields } from '../schema/report-fields.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { flag, integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { isHash } from '../sql/hash.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { TypedStatement } from '../sql/statement.ts'
import type { SqlRule } from './sql-rules.ts'

/** Reports of a page. */
export const REPORT_PAGE = 200
/** Things without a report that are named, of each table. */
const MOST_NAMED = 100

/** Key of the last report of the page; the last page reaches as far as keys do. */
const END = `coalesce((SELECT id FROM reports WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ${REPORT_PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`

const lacksString = (column: string, kind: StringKind): string =>
  `${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM strings WHERE id = ${column} AND kind = ${STRING_KINDS[kind]})`

/** Columns of a report that hold ids, and what says that the id points at nothing. */
const REFERENCES: readonly (readonly [name: string, missing: string])[] = [
  ['node', 'NOT EXISTS (SELECT 1 FROM nodes WHERE id = r.node)'],
  ...reportFields.flatMap(([, { name, stored }]) =>
    stored.form === 'reference' ? [[name, lacksString(`r.${name}`, stored.target)] as const] : [],
  ),
  [
    'metric_set',
    'r.metric_set IS NOT NULL AND NOT EXISTS (SELECT 1 FROM metric_sets WHERE id = r.metric_set)',
  ],
]

const MISSING = REFERENCES.map(([name, missing]) => `iif(${missing}, '${name} ', '')`).join(' || ')

/** Numbers of events of a report: all, and those of the statuses that counts know. */
const COUNTED = ['failure', 'success', 'noop', 'skipped']
const RECOUNTED = `(SELECT count(*) || ${COUNTED.map((status) => `' ' || total(w.value = '${status}')`).join(' || ')}
  FROM events e LEFT JOIN strings w ON w.id = e.status WHERE e.report = r.id)`

/** Reports of the page that have causes, found under each cause, as they are clustered. */
const CAUSES_OF_PAGE = `FROM causes c CROSS JOIN report_causes rc ON rc.cause = c.id AND rc.report > ?1 AND rc.report <= ${END}`

const hourOfKey = `CAST(floor((r.id >> 10) / ${HOUR}.0) AS INTEGER)`

const REPORT = {
  id: integer('r.id'),
  hash: text('lower(hex(r.hash))'),
  certname: nullable(text('n.certname')),
  agentVersion: nullable(text('v.value')),
  reportFormat: integer('r.report_format'),
  configurationVersion: text('r.configuration_version'),
  /** Times in ms. */
  startTime: integer('r.start_time'),
  endTime: integer('r.end_time'),
  receiveTime: integer('r.receive_time'),
  /** Beside the key, where the key can't hold it. */
  exactTimestamp: nullable(integer('r.producer_timestamp')),
  /** 32 hex digits, or `=` and a text that is no UUID. */
  transactionUuid: nullable(
    text(
      `CASE typeof(r.transaction_uuid) WHEN 'blob' THEN lower(hex(r.transaction_uuid)) WHEN 'text' THEN '=' || r.transaction_uuid END`,
    ),
  ),
  clockFlags: integer('r.clock_flags'),
  /** `events failures successes noops skips`, as stored and as counted. Retention deletes events and leaves these numbers. */
  counters: text(
    `r.events || ' ' || r.failures || ' ' || r.successes || ' ' || r.noops || ' ' || r.skips`,
  ),
  recounted: text(`replace(${RECOUNTED}, '.0', '')`),
  /** Names of columns that point at nothing, each followed by a blank. */
  missing: text(MISSING),
  hourKnown: flag(
    `EXISTS (SELECT 1 FROM open_hours WHERE hour = ${hourOfKey}) OR EXISTS (SELECT 1 FROM hour_counts WHERE hour = ${hourOfKey})`,
  ),
  metricNames: nullable(text('m.names')),
  hasMetricSet: flag('r.metric_set IS NOT NULL'),
  /** Hex; null where it is too long to be read with its row. */
  body: nullable(text(`iif(length(r.body) >= ${LONGEST_BODY}, NULL, hex(r.body))`)),
  status: nullable(text('s.value')),
  noop: nullable(flag('r.noop')),
  noopPending: nullable(flag('r.noop_pending')),
  correctiveChange: nullable(flag('r.corrective_change')),
  state: integer('r.state'),
  hasCauses: flag(`r.id IN (SELECT rc.report ${CAUSES_OF_PAGE})`),
  codeId: nullable(text('i.value')),
  /** When its version of the code was first applied in its environment; null where that is not stored. */
  versionFirst: nullable(
    integer(
      '(SELECT first FROM code_versions WHERE environment = r.environment AND version = coalesce(i.value, r.configuration_version))',
    ),
  ),
}
/** A report as a page of the check reads it. */
export type StoredReport = RowOf<typeof REPORT>

const READ = `SELECT ${selectText(REPORT)}
FROM reports r LEFT JOIN nodes n ON n.id = r.node LEFT JOIN strings v ON v.id = r.agent_version LEFT JOIN metric_sets m ON m.id = r.metric_set
  LEFT JOIN strings s ON s.id = r.status LEFT JOIN strings i ON i.id = r.code_id
WHERE r.id > ?1 ORDER BY r.id LIMIT ${REPORT_PAGE}`

export const reportsAfter = (key: number): TypedStatement<StoredReport> =>
  typed(REPORT, { sql: READ, params: [key] })

const OF_PAGE = (column: string): string => `${column} > ?1 AND ${column} <= ${END}`
const orphans = (table: string): string =>
  `SELECT DISTINCT '${table} of report ' || report AS violation FROM ${table}
  WHERE ${OF_PAGE('report')} AND NOT EXISTS (SELECT 1 FROM reports WHERE id = report) LIMIT ${MOST_NAMED}`

/** What must not be among the keys of a page. */
export const RULES_OF_PAGE: readonly SqlRule[] = [
  {
    invariant: 'a report is stored once',
    sql: `SELECT 'report ' || lower(hex(r.hash)) || ' (' || r.id || ')' AS violation FROM reports r WHERE ${OF_PAGE('r.id')}
      AND EXISTS (SELECT 1 FROM reports o WHERE ${isHash('o.hash', 'r.hash')} AND o.id < r.id) LIMIT ${MOST_NAMED}`,
  },
  ...['events', 'body_parts', 'long_values'].map((table) => ({
    invariant: `rows of ${table} belong to a report`,
    sql: orphans(table),
  })),
  {
    invariant: 'rows of report_causes belong to a report',
    sql: `SELECT DISTINCT 'report_causes of report ' || rc.report AS violation ${CAUSES_OF_PAGE}
    WHERE NOT EXISTS (SELECT 1 FROM reports WHERE id = rc.report) LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'what an event points at exists',
    sql: `SELECT 'event ' || e.n || ' of report ' || e.report AS violation FROM events e WHERE ${OF_PAGE('e.report')} AND (
      ${lacksString('e.status', 'eventStatus')} OR ${lacksString('e.file', 'file')} OR ${lacksString('e.property', 'property')}
      OR ${lacksString('e.name', 'eventName')} OR NOT EXISTS (SELECT 1 FROM resources WHERE id = e.resource)) LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'an event that is marked as long has its long values, and no other has any',
    sql: `SELECT 'event ' || e.n || ' of report ' || e.report AS violation FROM events e WHERE ${OF_PAGE('e.report')}
      AND (e.long IS 1) <> EXISTS (SELECT 1 FROM long_values v WHERE v.report = e.report AND v.n = e.n) LIMIT ${MOST_NAMED}`,
  },
]
