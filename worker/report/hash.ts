/** Computes the hash by which PuppetDB identifies a report. */

import { createHash } from 'node:crypto'
import type { Report } from './report.ts'

/** The eight fields that identify a report in PuppetDB since 6.10; events, metrics and logs are not among them. */
export type Identity = Pick<
  Report,
  | 'certname'
  | 'configurationVersion'
  | 'endTime'
  | 'producerTimestamp'
  | 'agentVersion'
  | 'reportFormat'
  | 'startTime'
  | 'transactionUuid'
>

/**
 * SHA-1 in lower-case hex of PuppetDB's canonical JSON: keys sorted, no blanks, times in UTC with three decimals,
 * transaction_uuid as sent. Reports that PuppetDB considers equal have the same hash, so sending a report to both is safe.
 */
export function reportHash(report: Identity): string {
  const text =
    `{"certname":${quote(report.certname)}` +
    `,"configuration_version":${quote(report.configurationVersion)}` +
    `,"end_time":"${new Date(report.endTime).toISOString()}"` +
    `,"producer_timestamp":"${new Date(report.producerTimestamp).toISOString()}"` +
    `,"puppet_version":${quote(report.agentVersion)}` +
    `,"report_format":${report.reportFormat}` +
    `,"start_time":"${new Date(report.startTime).toISOString()}"` +
    `,"transaction_uuid":${report.transactionUuid === null ? 'null' : quote(report.transactionUuid)}}`
  return createHash('sha1').update(text).digest('hex')
}

// PuppetDB's JSON printer writes \u00XX with upper-case digits, and Java encodes half a surrogate pair as a question mark.
function quote(text: string): string {
  const printed = JSON.stringify(text)
  if (!printed.includes('\\u')) return printed
  const whole = text.replace(/\p{Surrogate}/gu, '?')
  const characters = Array.from(whole, (character) =>
    JSON.stringify(character)
      .slice(1, -1)
      .replace(/^\\u00../, (escape) => `\\u${escape.slice(2).toUpperCase()}`),
  )
  return `"${characters.join('')}"`
}
