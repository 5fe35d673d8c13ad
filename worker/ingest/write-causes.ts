/** The statements that store why a run failed, and that its code version is known. */

import { causesOf, type Cause } from '../report/causes.ts'
import { codeVersionOf } from '../report/code-version.ts'
import type { Report } from '../report/report.ts'
import { keyMillisecond } from '../schema/key.ts'
import { STRING_KINDS } from '../schema/tables.ts'
import { hashBytes } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import { unlessStored } from '../store/hash.ts'
import { freeKey } from '../store/key.ts'
import { inLists } from '../store/lists.ts'

/** ?1 producer timestamp, ?2 the causes. A report that came late may be the first of its cause. */
const INSERT_CAUSES = `INSERT INTO causes (name, reason, first)
SELECT value ->> 0, value ->> 1, CAST(?1 AS INTEGER) FROM json_each(?2) WHERE true
ON CONFLICT (name) DO UPDATE SET first = excluded.first WHERE excluded.first < causes.first`

/** ?1 hash, ?2 millisecond of the key, ?3 the causes. The events are stored before. */
const INSERT_REPORT_CAUSES = `INSERT INTO report_causes (cause, report, events, event, log, resource, file, line)
SELECT (SELECT id FROM causes WHERE name = c.value ->> 0), key.id, c.value ->> 2, c.value ->> 3, c.value ->> 4, e.resource,
  coalesce(e.file, (SELECT id FROM strings WHERE kind = ${STRING_KINDS.file} AND value = c.value ->> 5)),
  coalesce(e.line, c.value ->> 6)
FROM (SELECT ${freeKey('?2')} AS id) key, json_each(?3) c LEFT JOIN events e ON e.report = key.id AND e.n = c.value ->> 3
WHERE ${unlessStored('?1')}`

const INSERT_FILES = `INSERT OR IGNORE INTO strings (kind, value)
SELECT DISTINCT ${STRING_KINDS.file}, value ->> 5 FROM json_each(?1) WHERE value ->> 5 IS NOT NULL`

const rowOf = ({ name, reason, events, event, log, file, line }: Cause): unknown[] => [
  name,
  reason,
  events,
  event,
  log,
  file,
  line,
]

/** To stand before the report itself, whose key they foresee. @param failed whether the run counts as failed */
export function causeStatements(report: Report, failed: boolean): Statement[] {
  const causes = causesOf(report, failed)
  if (causes.length === 0) return []
  const head = [hashBytes(report.hash), keyMillisecond(report.producerTimestamp)]
  return inLists(causes.map(rowOf)).flatMap((list) => [
    ...(causes.some(({ file }) => file !== null) ? [{ sql: INSERT_FILES, params: [list] }] : []),
    { sql: INSERT_CAUSES, params: [report.producerTimestamp, list] },
    { sql: INSERT_REPORT_CAUSES, params: [...head, list] },
  ])
}

/** ?1 version, ?2 environment, ?3 producer timestamp. */
const INSERT_VERSION = `INSERT INTO code_versions (environment, version, first)
SELECT id, ?1, CAST(?3 AS INTEGER) FROM strings WHERE kind = ${STRING_KINDS.environment} AND value = ?2
ON CONFLICT (environment, version) DO UPDATE SET first = excluded.first WHERE excluded.first < code_versions.first`

/** What an isolate remembers a version by: a report of another hour is asked again whether it was the first. */
export function versionStatement(report: Report): { name: string; statement: Statement } | null {
  const version = codeVersionOf(report)
  if (version === null) return null
  const { environment, producerTimestamp } = report
  return {
    name: JSON.stringify([environment, version, Math.floor(producerTimestamp / 3_600_000)]),
    statement: { sql: INSERT_VERSION, params: [version, environment, producerTimestamp] },
  }
}
