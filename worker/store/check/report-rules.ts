/** What must hold of a stored report by itself, a line each. */

import { reportHash } from '../../report/hash.ts'
import { CLOCKS, oddness } from '../../schema/clocks.ts'
import { keyMillisecond, SLOTS } from '../../schema/key.ts'

/** A report as a page of the check reads it. Times in ms. */
export interface StoredReport {
  readonly id: number
  /** Hex. */
  readonly hash: string
  readonly certname: string | null
  readonly agentVersion: string | null
  readonly reportFormat: number
  readonly configurationVersion: string
  readonly startTime: number
  readonly endTime: number
  readonly receiveTime: number
  /** Beside the key, where the key can't hold it. */
  readonly exactTimestamp: number | null
  /** 32 hex digits, or `=` and a text that is no UUID. */
  readonly transactionUuid: string | null
  readonly odd: number
  /** `events failures successes noops skips`, as stored and as counted. Retention takes events and leaves what they came to. */
  readonly counters: string
  readonly recounted: string
  /** Names of columns that point at nothing, each followed by a blank. */
  readonly missing: string
  readonly hourKnown: 0 | 1
  readonly lateKnown: 0 | 1
  readonly metricNames: string | null
  readonly hasMetricSet: 0 | 1
  /** Hex; null where it is too long to be read along. */
  readonly body: string | null
}

interface Rule {
  readonly invariant: string
  /** How it is broken, to stand behind what breaks it; null where it isn't. */
  readonly broken: (report: StoredReport) => string | null
}

/** A report may move on by as many ms as were full, which is never so many. */
const FURTHEST_MOVE_MS = 1000
const keyOwnMillisecond = ({ id }: StoredReport): number => Math.floor(id / SLOTS)
const timestampOf = (report: StoredReport): number =>
  report.exactTimestamp ?? keyOwnMillisecond(report)

export const RULES_OF_REPORT: readonly Rule[] = [
  {
    invariant: 'what a report points at exists',
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
    invariant: 'the marks of straying clocks are right',
    broken: (report) => {
      const right = oddnessOf(report)
      return right === report.odd ? null : `: they are ${report.odd}, and should be ${right}`
    },
  },
  {
    invariant: 'the hour of a report is open, or counted',
    broken: ({ hourKnown }) => (hourKnown === 1 ? null : ''),
  },
  {
    invariant: 'the hour of a late report is among the late hours',
    broken: ({ odd, lateKnown }) =>
      (odd & CLOCKS.receive_time.bit) !== 0 && lateKnown === 0 ? '' : null,
  },
]

function oddnessOf(report: StoredReport): number {
  const producerTimestamp = timestampOf(report)
  const moved = report.exactTimestamp === null ? 0 : CLOCKS.producer_timestamp.bit
  return oddness({ ...report, producerTimestamp }) | moved
}

/** The hashes that its contents may have: of a UUID, which spelling was sent is not kept. None where a part of them is missing. */
function hashesOf(report: StoredReport): string[] {
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
  if (uuid.startsWith('=')) return [uuid.slice(1)]
  const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return [dashed, uuid].flatMap((text) =>
    [text, text.toUpperCase()].flatMap((cased) => [cased, `{${cased}}`]),
  )
}
