/** Compresses metrics and logs of one report, and restores them as JSON text. */

import { Buffer } from 'node:buffer'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { inflated } from '../lib/inflated.ts'
import { invariant } from '../lib/invariant.ts'
import { DICTIONARY } from './body-dictionary.ts'
import { packLogs, unpackLogs } from './body-logs.ts'
import {
  mapMetrics,
  metricCount,
  metricNumbers,
  packMetrics,
  unpackMetrics,
  type MetricMap,
  type MetricNumbers,
} from './body-metrics.ts'
import { escaped } from './body-text.ts'
import type { Report } from './report.ts'

/** The first byte of a body. Another dictionary or form of lines needs another number, and version 1 must stay readable. */
const VERSION = 1
const dictionary = Buffer.from(DICTIONARY)
const MOST_INFLATED_BYTES = 96 * 1024 * 1024
const LARGEST_CHUNK = 1024 * 1024

/**
 * Packs metrics and logs, entries of any shape. `metricNames` is JSON text that most reports of a fleet share (null when
 * metrics is null), stored once for all of them; decoding `body` needs it.
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
 * The JSON texts of metrics and logs, `null` for null; entries in the order sent, equal as JSON to those sent, usual ones
 * with PuppetDB's order of keys. An empty body, which retention deleted, gives empty lists, because null breaks pages of
 * Puppetboard.
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

/** The JSON text of logs, and metrics as a map; null for null. An empty body gives none of either. */
export function decodeForHistory(
  metricNames: string | null,
  body: Uint8Array,
): { metrics: MetricMap | null; logs: string } {
  if (body.length === 0)
    return { metrics: { count: 0, numbers: { keys: [], values: [] }, entries: null }, logs: '[]' }
  const lines = inflate(body).split('\n')
  if (metricNames === null) return { metrics: null, logs: unpackLogs(lines, 0) }
  const count = metricCount(metricNames)
  return { metrics: mapMetrics(metricNames, lines.slice(0, count)), logs: unpackLogs(lines, count) }
}

const NO_NUMBERS: MetricNumbers = { places: new Map(), numbers: [] }

/** The metrics that are numbers; none for a body that retention deleted. */
export function decodeNumbers(metricNames: string | null, body: Uint8Array): MetricNumbers {
  if (body.length === 0 || metricNames === null) return NO_NUMBERS
  return metricNumbers(metricNames, inflate(body).split('\n', metricCount(metricNames)))
}

/**
 * The logs of a body, as JSON text, and how many characters it took to look; `logs` is null where its text does not hold `piece`
 * in any case, which is known without parsing.
 */
export function decodeLogsWith(
  piece: string,
  metricNames: string | null,
  body: Uint8Array,
): { readonly logs: string | null; readonly characters: number } {
  if (body.length === 0) return { logs: null, characters: 0 }
  const text = inflate(body)
  const found = text.toLowerCase().includes(escaped(piece).toLowerCase())
  const from = metricNames === null ? 0 : metricCount(metricNames)
  return { logs: found ? unpackLogs(text.split('\n'), from) : null, characters: text.length }
}

function inflate(body: Uint8Array): string {
  invariant(body[0] === VERSION, `a body of version ${body[0]}`)
  const deflated = body.subarray(1)
  // Enough for the whole text at a usual ratio; growing from zlib's own 16 KB costs more than inflating.
  const chunkSize = Math.min(LARGEST_CHUNK, Math.max(2048, 8 * deflated.length))
  const options = { dictionary, chunkSize, maxOutputLength: MOST_INFLATED_BYTES }
  const text = inflateRawSync(deflated, options).toString()
  inflated.characters += text.length
  return text
}
