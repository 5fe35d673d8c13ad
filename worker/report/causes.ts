/** Determines why a run failed: the reasons in its failed events or, without any, in its error logs. */

import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/lossless.ts'
import { longestString } from '../schema/string-kinds.ts'
import { causeName, reasonOf } from './reason.ts'
import type { Report } from './report.ts'

export interface Cause {
  readonly name: string
  readonly reason: string
  /** Number of failed events with this cause; 0 for a cause from a log line. */
  readonly events: number
  /** Index of the first of these events, or of the log line. */
  readonly event: number | null
  readonly log: number | null
  /** The place that a log line names. */
  readonly file: string | null
  readonly line: number | null
}

const ERROR_LEVELS: readonly Json[] = ['err', 'alert', 'crit', 'emerg']

/** A line that a manifest asked for is no failure, at any level. */
const isNotice = (source: Json | undefined): boolean =>
  typeof source === 'string' && source.includes('/Notify[')

/** Index of the first line that reports an error; -1 without any. */
export const firstError = ({ logs }: Pick<Report, 'logs'>): number =>
  (logs ?? []).findIndex(
    (log) =>
      isRecord(log) && ERROR_LEVELS.includes(log['level'] ?? null) && !isNotice(log['source']),
  )

const PLACE = /\(file: ([^(),]+)(?:, line: (\d+))?|\bat (\/\S+?):(\d+)/

/** Most causes of a run; the events of further ones share one. */
const MOST_CAUSES = 100
const OTHER_REASON = `other failures of a run with more than ${MOST_CAUSES} causes`

/**
 * The causes of a failed run. A run that does not count as failed has none, even if one of its events failed. A failed
 * run always has a cause, even if nothing names one.
 *
 * @param failed whether the run counts as failed (schema/states.ts)
 */
export function causesOf(report: Report, failed: boolean): Cause[] {
  if (!failed) return []
  const causes = new Map<string, Cause>()
  for (const [event, { status, message }] of report.events.entries()) {
    if (status !== 'failure') continue
    const own = reasonOf(message, report.certname)
    const reason = causes.has(own) || causes.size < MOST_CAUSES ? own : OTHER_REASON
    const first = causes.get(reason) ?? { ...UNTOLD, reason, name: causeName(reason), event }
    causes.set(reason, { ...first, events: first.events + 1 })
  }
  return causes.size > 0 ? [...causes.values()] : [fromLog(report)]
}

const UNTOLD: Omit<Cause, 'name' | 'reason'> = {
  events: 0,
  event: null,
  log: null,
  file: null,
  line: null,
}

function fromLog(report: Report): Cause {
  const index = firstError(report)
  const log = index < 0 ? null : report.logs![index]!
  const message = isRecord(log) && typeof log['message'] === 'string' ? log['message'] : null
  const reason = reasonOf(message, report.certname)
  const told = { ...UNTOLD, reason, name: causeName(reason), log: index < 0 ? null : index }
  if (!isRecord(log)) return told
  if (typeof log['file'] === 'string') {
    return { ...told, file: shortPath(log['file']), line: wholeNumber(log['line']) }
  }
  const place = PLACE.exec(message ?? '')
  const line = place?.[2] ?? place?.[4]
  return {
    ...told,
    file: shortPath(place?.[1] ?? place?.[3] ?? null),
    line: line === undefined ? null : Number(line),
  }
}

/** A path that is longer than a dictionary takes is none. */
const shortPath = (file: string | null): string | null =>
  file !== null && file.length <= longestString('file') ? file : null

const wholeNumber = (value: Json | undefined): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null
