/**
 * The statements that store why a run failed, and its code version.
 *
 * causes: each reason (report/reason.ts) once, with its name, which is a digest that is the same for every fleet,
 * and the earliest time of a report with it, over all history: a clock that is ahead is not believed.
 * report_causes: rows for failed reports only, clustered by cause and then by time. `events` is the number of
 * failed events of the cause, `event` the index of the first, `log` the index of the log line that names the cause;
 * resource, file and line are those of that event, or those that the log line names.
 * code_versions: when each text that names a version of the code was first reported in an environment. `name` is the version
 * (report/code-version.ts), as several texts may name one commit; null where the text itself is the version.
 */

import type { Cause } from '../report/causes.ts'
import { versionIn } from '../lib/code-version.ts'
import { reportedVersionOf } from '../report/code-version.ts'
import type { Report, ReportWithoutBody } from '../report/report.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { integerOf, weekNumber } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import {
  causeRow,
  insertCauses,
  isFirstEvent,
  markFirst,
  REPORT_CAUSE_COLUMNS,
  reportCause,
} from '../store/cause-rows.ts'
import { unlessStored } from '../store/identity.ts'
import { inLists } from '../store/lists.ts'
import { freeKey, keyParameters } from './report-key.ts'

/** ?1 time of the run, ?2 the causes, ?3 week. */
const INSERT_CAUSES = insertCauses('?2', integerOf('?1'), '?3')

/** ?1 identity, ?2 millisecond of the key, ?3 the causes. The events must be stored before. */
const INSERT_REPORT_CAUSES = `insert into ${REPORT_CAUSE_COLUMNS}
select ${reportCause('key.id')}
from (select ${freeKey('?2')} as id) key, json_each(?3) c left join events e on ${isFirstEvent('key.id')}
where ${unlessStored('?1')}`

/**
 * Runs before the insert of the report itself, and computes its key. The files of the causes must be stored before.
 *
 * @param receivedAt in ms
 */
export function causeStatements(
  report: Report,
  causes: readonly Cause[],
  receivedAt: number,
): Statement[] {
  if (causes.length === 0) return []
  const head = keyParameters(report)
  const week = weekNumber(receivedAt)
  const time = timeOfRun(report, receivedAt)
  return inLists(causes.map(causeRow)).flatMap((list) => [
    { sql: INSERT_CAUSES, params: [time, list, week] },
    { sql: INSERT_REPORT_CAUSES, params: [...head, list] },
  ])
}

/** When a run was, in ms: never later than it was received. */
const timeOfRun = ({ producerTimestamp }: ReportWithoutBody, receivedAt: number): number =>
  Math.min(producerTimestamp, receivedAt)

/** ?1 reported text, ?2 environment, ?3 time, ?4 week, ?5 version. */
const INSERT_VERSION = `insert into code_versions (environment, version, first, used, name)
select id, ?1, ${integerOf('?3')}, ?4, nullif(?5, ?1) from strings where kind = ${STRING_KINDS.environment} and value = ?2
${markFirst('environment, version', 'name')}`

/**
 * The name of a text in the isolate's memory, and when it was reported: an earlier report may be its first.
 *
 * @param receivedAt in ms
 */
export function versionStatement(
  report: ReportWithoutBody,
  receivedAt: number,
): { name: string; time: number; statement: Statement } | null {
  const text = reportedVersionOf(report)
  if (text === null) return null
  const { environment } = report
  const time = timeOfRun(report, receivedAt)
  const params = [text, environment, time, weekNumber(receivedAt), versionIn(text)]
  return {
    name: JSON.stringify([environment, text]),
    time,
    statement: { sql: INSERT_VERSION, params },
  }
}
