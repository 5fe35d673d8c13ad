/** The invariants of a stored report by itself, one a line. */

import type { Json } from '../lib/json.ts'
import { DAY, formatTimestamp } from '../lib/time.ts'
import { runErrorsOf, type RunErrors } from '../report/failure/log-lines.ts'
import { commitIn } from '../lib/code-version.ts'
import { codeVersionOf } from '../report/code-version.ts'
import { reportHash } from '../report/hash.ts'
import { CLOCKS, clockFlags } from '../schema/clocks.ts'
import { FURTHEST_MOVE_MS, keyMillisecond } from '../schema/key.ts'
import { codeOf, isFailed } from '../schema/states.ts'
import { hourNumber, keyMilliseconds, uuidStored } from '../sql/encoding.ts'
import type { Subject } from './checked-page.ts'
import type { CheckedReportRow } from './report-rows.ts'

/** A report with its logs and metrics: undefined where they can't be read, or retention has deleted them. */
export interface CheckedReport extends CheckedReportRow {
  readonly logs?: readonly Json[] | null
  readonly metrics?: readonly Json[] | null
}

/** The clock of the service may have been ahead. */
const FASTEST_CLOCK_MS = DAY

interface ReportRule {
  readonly invariant: string
  /** How the report breaks it, to append to the report's name; null where it does not. */
  readonly broken: (report: CheckedReport) => string | null
  readonly mends?: (report: CheckedReport) => Subject
}

const keyOwnMillisecond = ({ id }: CheckedReportRow): number => keyMilliseconds(id)
const timestampOf = (report: CheckedReportRow): number =>
  report.exactTimestamp ?? keyOwnMillisecond(report)

export const RULES_OF_REPORT: readonly ReportRule[] = [
  {
    invariant: 'the references of a report exist',
    broken: ({ missing }) => (missing === '' ? null : `: ${missing.trim().replaceAll(' ', ', ')}`),
  },
  {
    invariant: 'the hash of a report is that of its contents',
    broken: (report) => {
      const hashes = hashesOf(report)
      return hashes.length === 0 || hashes.includes(report.hash)
        ? null
        : `: its contents have ${hashes[0]}`
    },
  },
  {
    invariant: 'the numbers beside a report are those of its events',
    broken: ({ counters, recounted }) =>
      counters === recounted || (counters.startsWith('0 ') && recounted.startsWith('0 '))
        ? null
        : `: it has ${recounted}, and says ${counters}`,
  },
  {
    invariant: 'the key of a report is its producer timestamp',
    broken: (report) => {
      const moved = keyOwnMillisecond(report) - keyMillisecond(timestampOf(report))
      return moved >= 0 && moved < FURTHEST_MOVE_MS
        ? null
        : `: the key is of ${keyOwnMillisecond(report)}, the timestamp ${timestampOf(report)}`
    },
  },
  {
    invariant: 'the clock flags of a report are right',
    broken: (report) => {
      const right = clockFlagsOf(report)
      return right === report.clockFlags
        ? null
        : `: they are ${report.clockFlags}, and should be ${right}`
    },
  },
  {
    invariant: 'the hour of a report is open, or counted',
    broken: ({ hourKnown }) => (hourKnown ? null : ''),
    mends: ({ hour }) => ({ kind: 'hour', id: hour }),
  },
  {
    invariant: 'logs and metrics of a report are kept as long as those of older ones',
    broken: ({ lostBody }) => (lostBody ? '' : null),
  },
  {
    invariant: 'a report was received before now',
    broken: ({ receiveTime }) =>
      receiveTime < Date.now() + FASTEST_CLOCK_MS ? null : `: at ${formatTimestamp(receiveTime)}`,
  },
  {
    invariant: 'the state of a report is that of its run',
    broken: (report) => {
      if (!report.grouped) return null
      const right = statesOf(report)
      return right.includes(report.state)
        ? null
        : `: it is ${report.state}, and should be ${right.join(' or ')}`
    },
  },
  {
    invariant: 'a failed report has causes, and no other has any',
    broken: ({ state, hasCauses }) => (isFailed(state) === hasCauses ? null : ''),
  },
  {
    invariant: 'the code version of a report is known since its first report',
    broken: (report) => {
      const version = codeVersionOf(report)
      if (version === null) return null
      const { versionFirst, codeId } = report
      // Earlier releases took a configuration version for a version only where it names a commit.
      if (versionFirst === null && codeId === null && commitIn(version) === null) return null
      // Within an hour, an isolate that has stored the version does not check it again (write-causes.ts).
      return versionFirst !== null && hourNumber(versionFirst) <= hourNumber(timestampOf(report))
        ? null
        : `: ${version} since ${versionFirst}, the report is of ${timestampOf(report)}`
    },
  },
]

/** The possible states of the report: without its logs, it is unknown whether they contained errors. */
function statesOf(report: CheckedReport): number[] {
  const [, failures, successes] = report.counters.split(' ').map(Number)
  return possibleErrors(report).map((errors) =>
    codeOf({
      status: report.status,
      noop: report.noop,
      noopPending: report.noopPending,
      correctiveChange: report.correctiveChange,
      failures: failures!,
      successes: successes!,
      ...errors,
    }),
  )
}

function possibleErrors({ logs, metrics }: CheckedReport): readonly RunErrors[] {
  if (logs !== undefined) return [runErrorsOf({ logs, metrics: metrics ?? null })]
  return [false, true].flatMap((errors) =>
    [false, true].map((factErrors) => ({ errors, factErrors })),
  )
}

function clockFlagsOf(report: CheckedReportRow): number {
  const producerTimestamp = timestampOf(report)
  const moved = report.exactTimestamp === null ? 0 : CLOCKS.producer_timestamp.bit
  return clockFlags({ ...report, producerTimestamp }) | moved
}

/** The possible hashes of its contents: the original spelling of a UUID is not stored. None if a part of the contents is missing. */
function hashesOf(report: CheckedReportRow): string[] {
  const { certname, agentVersion } = report
  if (certname === null || agentVersion === null) return []
  return spellings(report.transactionUuid).map((transactionUuid) =>
    reportHash({
      ...report,
      certname,
      agentVersion,
      transactionUuid,
      producerTimestamp: timestampOf(report),
    }),
  )
}

function spellings(uuid: string | null): (string | null)[] {
  if (uuid === null) return [null]
  if (typeof uuidStored(uuid) === 'string') return [uuid]
  return [uuid, uuid.replaceAll('-', '')].flatMap((text) =>
    [text, text.toUpperCase()].flatMap((cased) => [cased, `{${cased}}`]),
  )
}
