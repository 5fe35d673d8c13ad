/** Determines why a run failed: the reasons in its failed events or, without any, in its error logs. */

import { longestString } from '../schema/string-kinds.ts'
import { errorLines, isCompileError, reasonLine } from './failure/log-lines.ts'
import { causeName, reasonOf } from './reason.ts'
import type { Report, ReportEvent } from './report.ts'

export interface Cause {
  readonly name: string
  /** The label: a sentence of the first message with this cause. */
  readonly reason: string
  /** Number of failed events with this cause; 0 for a cause from a log line. */
  readonly events: number
  /** Index of the first of these events, or of the log line. */
  readonly event: number | null
  readonly log: number | null
  /** The place that a log line names. */
  readonly file: string | null
  readonly line: number | null
  /** Whether the server refused to compile a catalog. */
  readonly catalog: boolean
}

/** A failed event with its index in the report. */
export type FailedEvent = Pick<ReportEvent, 'message' | 'resourceType' | 'resourceTitle'> & {
  readonly number: number
}

/** The parts of a failed run that its causes follow from. */
export interface FailedRun extends Pick<Report, 'certname' | 'logs'> {
  readonly failures: readonly FailedEvent[]
}

export const failedRunOf = ({ certname, logs, events }: Report): FailedRun => ({
  certname,
  logs,
  failures: events.flatMap(({ status, message, resourceType, resourceTitle }, number) =>
    status === 'failure' ? [{ number, message, resourceType, resourceTitle }] : [],
  ),
})

const PLACE = /\(file: ([^(),]+)(?:, line: (\d+))?|\bat (\/\S+?):(\d+)/

/** Most causes of a run; the events of further ones share one. */
const MOST_CAUSES = 100
const OTHER = `other failures of a run with more than ${MOST_CAUSES} causes`

/** The causes of a run that counts as failed (schema/states.ts): at least one, even if nothing names one. */
export function causesOf(run: FailedRun): Cause[] {
  const causes = new Map<string, Cause>()
  for (const { event, label, key } of reasonsOf(run)) {
    const first = causes.get(key) ?? { ...NOWHERE, reason: label, name: causeName(key), event }
    causes.set(key, { ...first, events: first.events + 1 })
  }
  return causes.size > 0 ? [...causes.values()] : [fromLog(run)]
}

/** The name of the cause of each failed event, by the index of the event. */
export function causesByEvent(run: Omit<FailedRun, 'logs'>): ReadonlyMap<number, string> {
  const names = new Map<string, string>()
  const byEvent = new Map<number, string>()
  for (const { event, key } of reasonsOf(run)) {
    const name = names.get(key) ?? causeName(key)
    names.set(key, name)
    byEvent.set(event, name)
  }
  return byEvent
}

/** The reason of each failed event; beyond a number of causes, the rest share one. */
function* reasonsOf({
  certname,
  failures,
}: Omit<FailedRun, 'logs'>): Generator<{ event: number; label: string; key: string }> {
  const keys = new Set<string>()
  for (const { number: event, message, resourceType, resourceTitle } of failures) {
    const own = reasonOf(message, { certname, resource: `${resourceType}[${resourceTitle}]` })
    const fits = keys.has(own.key) || keys.size < MOST_CAUSES
    const { label, key } = fits ? own : { label: OTHER, key: OTHER }
    keys.add(key)
    yield { event, label, key }
  }
}

const NOWHERE: Omit<Cause, 'name' | 'reason'> = {
  events: 0,
  event: null,
  log: null,
  file: null,
  line: null,
  catalog: false,
}

function fromLog(run: FailedRun): Cause {
  const found = reasonLine(errorLines(run))
  const message = found?.message ?? null
  const { label, key } = reasonOf(message, {
    certname: run.certname,
    resource: found?.resource ?? null,
  })
  const named = { ...NOWHERE, reason: label, name: causeName(key), log: found?.index ?? null }
  if (found === undefined) return named
  const cause = { ...named, catalog: isCompileError(found) }
  if (found.file !== null) return { ...cause, file: shortPath(found.file), line: found.line }
  const place = PLACE.exec(message ?? '')
  const line = place?.[2] ?? place?.[4]
  return {
    ...cause,
    file: shortPath(place?.[1] ?? place?.[3] ?? null),
    line: line === undefined ? null : Number(line),
  }
}

/** A path that is longer than a dictionary takes is none. */
const shortPath = (file: string | null): string | null =>
  file !== null && file.length <= longestString('file') ? file : null
