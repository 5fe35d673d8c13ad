/** Recognizes reports that are already stored: by their hash, or by their run, which may have arrived in another form. */

import { HOUR } from '../lib/time.ts'
import type { Report } from '../report/report.ts'
import { firstKey, hexOfBytes, producerTimestampOf, unhexOf, uuidStored } from '../sql/encoding.ts'
import { isHash } from '../sql/hash.ts'

/** The bytes of a transaction in hex digits; null where it isn't a UUID. */
function transactionDigits({ transactionUuid }: Report): string | null {
  const stored = transactionUuid === null ? null : uuidStored(transactionUuid)
  return stored === null || typeof stored === 'string' ? null : hexOfBytes(stored)
}

/** A server's producer timestamp is at most this long before the start or after the end of the run, in ms. */
const PRODUCED_WITHIN_MS = HOUR

/**
 * The identity of a report as one parameter, for `hashIn` and `unlessStored`. The transaction identifies a run, but only
 * if one of the two reports came straight from Puppet: such a report has the run's end as its producer timestamp.
 * PuppetDB itself stores a run twice if its terminus sends it twice.
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

/** SQL for the bytes of the hash in a parameter made by `identityParameter`. */
export const hashIn = (parameter: string): string => unhexOf(`${parameter} ->> 'hash'`)

/**
 * SQL condition that neither the report nor its run is stored; `parameter` holds its identity. Every insert of a report,
 * except those into dictionaries, has this condition, so a duplicate writes nothing.
 */
export const unlessStored = (parameter: string): string =>
  `not exists (select 1 from reports where ${isHash('hash', hashIn(parameter))})
  and not exists (select 1 from reports run indexed by reports_node
    where run.node = (select id from nodes where certname = ${parameter} ->> 'certname')
      and run.id between ${parameter} ->> 'from' and ${parameter} ->> 'until'
      and run.transaction_uuid = ${unhexOf(`${parameter} ->> 'transaction'`)} and run.start_time = ${parameter} ->> 'start'
      and (${parameter} ->> 'direct' or ${producerTimestampOf('run')} = run.end_time))`
