/** The statements that read a page of reports for checking, and what lies about without a report. ?1 is the key before the page. */

import { HOUR } from '../schema/clocks.ts'
import { reportFields } from '../schema/report-fields.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { isHash } from '../sql/hash.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import { columnsOf } from './columns.ts'
import type { StoredReport } from './report-rules.ts'

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

const COLUMNS: Readonly<Record<keyof StoredReport, string>> = {
  id: 'r.id',
  hash: 'lower(hex(r.hash))',
  certname: 'n.certname',
  agentVersion: 'v.value',
  reportFormat: 'r.report_format',
  configurationVersion: 'r.configuration_version',
  startTime: 'r.start_time',
  endTime: 'r.end_time',
  receiveTime: 'r.receive_time',
  exactTimestamp: 'r.producer_timestamp',
  transactionUuid: `CASE typeof(r.transaction_uuid) WHEN 'blob' THEN lower(hex(r.transaction_uuid)) WHEN 'text' THEN '=' || r.transaction_uuid END`,
  clockFlags: 'r.clock_flags',
  counters: `r.events || ' ' || r.failures || ' ' || r.successes || ' ' || r.noops || ' ' || r.skips`,
  recounted: `replace(${RECOUNTED}, '.0', '')`,
  missing: MISSING,
  hourKnown: `EXISTS (SELECT 1 FROM open_hours WHERE hour = ${hourOfKey}) OR EXISTS (SELECT 1 FROM hour_counts WHERE hour = ${hourOfKey})`,
  metricNames: 'm.names',
  hasMetricSet: 'r.metric_set IS NOT NULL',
  body: `iif(length(r.body) >= ${LONGEST_BODY}, NULL, hex(r.body))`,
  status: 's.value',
  noop: 'r.noop',
  noopPending: 'r.noop_pending',
  correctiveChange: 'r.corrective_change',
  state: 'r.state',
  hasCauses: `r.id IN (SELECT rc.report ${CAUSES_OF_PAGE})`,
  codeId: 'i.value',
  versionFirst:
    '(SELECT first FROM code_versions WHERE environment = r.environment AND version = coalesce(i.value, r.configuration_version))',
}

const [SELECTED, asReport] = columnsOf<StoredReport>(COLUMNS)
export { asReport }

export const READ_REPORTS = `SELECT ${SELECTED}
FROM reports r LEFT JOIN nodes n ON n.id = r.node LEFT JOIN strings v ON v.id = r.agent_version LEFT JOIN metric_sets m ON m.id = r.metric_set
  LEFT JOIN strings s ON s.id = r.status LEFT JOIN strings i ON i.id = r.code_id
WHERE r.id > ?1 ORDER BY r.id LIMIT ${REPORT_PAGE}`

const OF_PAGE = (column: string): string => `${column} > ?1 AND ${column} <= ${END}`
const orphans = (table: string): string =>
  `SELECT DISTINCT '${table} of report ' || report AS c0 FROM ${table}
  WHERE ${OF_PAGE('report')} AND NOT EXISTS (SELECT 1 FROM reports WHERE id = report) LIMIT ${MOST_NAMED}`

/** What must not be among the keys of a page, each found as a text. */
export const STRAYS: readonly { readonly invariant: string; readonly sql: string }[] = [
  {
    invariant: 'a report is stored once',
    sql: `SELECT 'report ' || lower(hex(r.hash)) || ' (' || r.id || ')' AS c0 FROM reports r WHERE ${OF_PAGE('r.id')}
      AND EXISTS (SELECT 1 FROM reports o WHERE ${isHash('o.hash', 'r.hash')} AND o.id < r.id) LIMIT ${MOST_NAMED}`,
  },
  ...['events', 'body_parts', 'long_values'].map((table) => ({
    invariant: `rows of ${table} belong to a report`,
    sql: orphans(table),
  })),
  {
    invariant: 'rows of report_causes belong to a report',
    sql: `SELECT DISTINCT 'report_causes of report ' || rc.report AS c0 ${CAUSES_OF_PAGE}
    WHERE NOT EXISTS (SELECT 1 FROM reports WHERE id = rc.report) LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'what an event points at exists',
    sql: `SELECT 'event ' || e.n || ' of report ' || e.report AS c0 FROM events e WHERE ${OF_PAGE('e.report')} AND (
      ${lacksString('e.status', 'eventStatus')} OR ${lacksString('e.file', 'file')} OR ${lacksString('e.property', 'property')}
      OR ${lacksString('e.name', 'eventName')} OR NOT EXISTS (SELECT 1 FROM resources WHERE id = e.resource)) LIMIT ${MOST_NAMED}`,
  },
  {
    invariant: 'an event that is marked as long has its long values, and no other has any',
    sql: `SELECT 'event ' || e.n || ' of report ' || e.report AS c0 FROM events e WHERE ${OF_PAGE('e.report')}
      AND (e.long IS 1) <> EXISTS (SELECT 1 FROM long_values v WHERE v.report = e.report AND v.n = e.n) LIMIT ${MOST_NAMED}`,
  },
]
