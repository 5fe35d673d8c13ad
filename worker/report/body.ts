/** Metrics and logs of one report as few bytes, and back as JSON text. */

import { Buffer } from 'node:buffer'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { invariant } from '../lib/invariant.ts'
import { DICTIONARY } from './body-dictionary.ts'
import { packLogs, unpackLogs } from './body-logs.ts'
import {
  metricCount,
  metricNumbers,
  packMetrics,
  unpackMetrics,
  type MetricNumbers,
} from './body-metrics.ts'
import type { Report } from './report.ts'

/** The first byte of a body. Another dictionary or form of lines needs another number, and this one must stay readable. */
const VERSION = 1
const dictionary = Buffer.from(DICTIONARY)
const MOST_INFLATED_BYTES = 96 * 1024 * 1024
const LARGEST_CHUNK = 1024 * 1024

/**
 * Packs metrics and logs, entries of any shape. `metricNames` is a JSON text that is the same for most reports of a fleet
 * (null when metrics is null) and is to be kept once; `body` needs it to be read.
 */
export function encodeBody({ metrics, logs }: Pick<Report, 'metrics' | 'logs'>): {
  metricNames: string | null
  body: Uint8Array
} {
  const packed = metrics === null ? null : packMetrics(metrics)
  const lines = [...(packed?.values ?? []), ...packLogs(logs)]
  const text = lines.join('\n')
  const deflated = deflateRawSync(text, { dictionary })
  const body = new Uint8Array(1 + deflated.length)
  body[0] = VERSION
  body.set(deflated, 1)
  return { metricNames: packed?.names ?? null, body }
}

/**
 * The JSON texts of metrics and logs, `null` for null; entries in the order sent, equal as JSON to what was sent, the usual
 * ones with PuppetDB's order of keys. A body of no bytes is one that is not kept any more: empty lists, which clients walk
 * through, while null breaks Puppetboard's pages.
 */
export function decodeBody(
  metricNames: string | null,
  body: Uint8Array,
): { metrics: string; logs: string } {
  if (body.length === 0) return { metrics: '[]', logs: '[]' }
  const lines = inflate(body).split('\n')
  if (metricNames === null) return { metrics: 'null', logs: unpackLogs(lines, 0) }
  return {
    metrics: unpackMetrics(metricNames, lines),
    logs: unpackLogs(lines, metricCount(metricNames)),
  }
}

const NO_NUMBERS: MetricNumbers = { places: new Map(), numbers: [] }

/** The metrics that are numbers; none of a body that is not kept any more. */
export function decodeNumbers(metricNames: string | null, body: Uint8Array): MetricNumbers {
  if (body.length === 0 || metricNames === null) return NO_NUMBERS
  return metricNumbers(metricNames, inflate(body).split('\n', metricCount(metricNames)))
}

function inflate(body: Uint8Array): string {
  invariant(body[0] === VERSION, `a body of version ${body[0]}`)
  const deflated = body.subarray(1)
  // Room for the whole text in one piece, where it is as packed as usual; zlib's own 16 KB cost more than the inflating.
  const chunkSize = Math.min(LARGEST_CHUNK, Math.max(2048, 8 * deflated.length))
  const options = { dictionary, chunkSize, maxOutputLength: MOST_INFLATED_BYTES }
  return inflateRawSync(deflated, options).toString()
}
