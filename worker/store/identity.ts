/** What tells a report from the others that are stored: its hash, and its run, which may have been sent another way. */

import type { Report } from '../report/report.ts'
import { firstKey, hexOfBytes, uuidStored } from '../sql/encoding.ts'
import { isHash } from '../sql/hash.ts'
import { producerTimestampOf } from './key.ts'

/** The bytes of a transaction in hex digits; null for one that is no UUID. */
function transactionDigits({ transactionUuid }: Report): string | null {
  const stored = transactionUuid === null ? null : uuidStored(transactionUuid)
  return stored === null || typeof stored === 'string' ? null : hexOfBytes(stored)
}

/** A server says that it produced a report this long before its run began, or after it ended, at most, in ms. */
const PRODUCED_WITHIN_MS = 3_600_000

/**
 * The identity of a report as one parameter, for `hashIn` and `unlessStored`. A run is told by its transaction, which only
 * counts where one of the two reports came straight from Puppet: those have the run's end for their producer timestamp.
 * PuppetDB itself keeps a run twice that its terminus sends twice.
 */
export function identityParameter(report: Report): string {
  const { hash, certname, startTime, endTime, producerTimestamp } = report
  const [first, last] = [Math.min(startTime, endTime), Math.max(startTime, endTime)]
  return JSON.stringify({
    hash,
    certname,
    transaction: transactionDigits(report),
    start: startTime,
    from: firstKey(first - PRODUCED_WITHIN_MS),
    until: firstKey(last + PRODUCED_WITHIN_MS),
    direct: Number(producerTimestamp === endTime),
  })
}

/** SQL for the bytes of the hash in a parameter that `identityParameter` made. */
export const hashIn = (parameter: string): string => `unhex(${parameter} ->> 'hash')`

/**
 * SQL that holds where neither the report nor its run is stored, `parameter` being its identity. Every insert of a report
 * but those into dictionaries stands under it, so a duplicate writes nothing.
 */
export const unlessStored = (parameter: string): string =>
  `NOT EXISTS (SELECT 1 FROM reports WHERE ${isHash('hash', hashIn(parameter))})
  AND NOT EXISTS (SELECT 1 FROM reports run INDEXED BY reports_node
    WHERE run.node = (SELECT id FROM nodes WHERE certname = ${parameter} ->> 'certname')
      AND run.id BETWEEN ${parameter} ->> 'from' AND ${parameter} ->> 'until'
      AND run.transaction_uuid = unhex(${parameter} ->> 'transaction') AND run.start_time = ${parameter} ->> 'start'
      AND (${parameter} ->> 'direct' OR ${producerTimestampOf('run')} = run.end_time))`
