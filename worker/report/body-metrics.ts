/** Metrics as two texts: the names, equal for most reports of a fleet, and the values, one a line. */

import type { Json } from '../lib/json.ts'
import { isRecord, jsonText } from '../lib/lossless.ts'

/** The text around the values: before the first, between each two, after the last. */
type Frame = readonly string[]

const MOST_FRAMES = 200
/** Characters of a list of names that is kept beside the report; one that is longer is no fleet's, and stays within. */
const LONGEST_NAMES = 100_000
const frames = new Map<string, Frame>()

/**
 * `names` is JSON: `[category, name]` for each metric, null for an entry that isn't {category, name, value}.
 * `values` holds JSON text for each, the whole entry where its name is null; zeros before a decimal point are left out.
 */
export function packMetrics(metrics: readonly Json[]): { names: string; values: string[] } {
  const names: ([string, string] | null)[] = []
  const values: string[] = []
  for (const metric of metrics) {
    if (isUsual(metric)) {
      names.push([metric.category, metric.name])
      values.push(packValue(metric.value))
    } else {
      names.push(null)
      values.push(jsonText(metric))
    }
  }
  const text = JSON.stringify(names)
  if (text.length <= LONGEST_NAMES) return { names: text, values }
  return { names: JSON.stringify(metrics.map(() => null)), values: metrics.map(jsonText) }
}

/** The JSON text of metrics from what packMetrics made of them; the keys of an entry in PuppetDB's order. */
export function unpackMetrics(names: string, values: readonly string[]): string {
  const frame = frameOf(names)
  let text = frame[0] ?? ''
  for (let index = 1; index < frame.length; index++) {
    text += unpackValue(values[index - 1] ?? '') + (frame[index] ?? '')
  }
  return text
}

/** How many metrics, and so how many lines of values, there are to these names. */
export function metricCount(names: string): number {
  return frameOf(names).length - 1
}

function isUsual(metric: Json): metric is { category: string; name: string; value: Json } {
  return (
    isRecord(metric) &&
    typeof metric['category'] === 'string' &&
    typeof metric['name'] === 'string' &&
    metric['value'] !== undefined &&
    Object.keys(metric).length === 3
  )
}

function packValue(value: Json): string {
  if (typeof value !== 'number') return jsonText(value)
  if (Number.isInteger(value)) return String(value)
  const text = String(value)
  if (value > 0 && value < 1) return text.startsWith('0.') ? text.slice(1) : text
  return text.startsWith('-0.') ? `-${text.slice(2)}` : text
}

function unpackValue(text: string): string {
  const first = text.charCodeAt(0)
  if (first === DOT) return `0${text}`
  return first === MINUS && text.charCodeAt(1) === DOT ? `-0${text.slice(1)}` : text
}

const DOT = '.'.charCodeAt(0)
const MINUS = '-'.charCodeAt(0)

// A fleet has few lists of names, and a page of reports asks for the same one again and again.
function frameOf(names: string): Frame {
  const known = frames.get(names)
  if (known !== undefined) return known
  const frame = newFrame(JSON.parse(names) as ([string, string] | null)[])
  if (frames.size >= MOST_FRAMES) frames.clear()
  frames.set(names, frame)
  return frame
}

function newFrame(names: readonly ([string, string] | null)[]): Frame {
  const frame = ['[']
  let separator = ''
  for (const name of names) {
    const [before, after] =
      name === null
        ? ['', '']
        : [`{"name":${JSON.stringify(name[1])},"value":`, `,"category":${JSON.stringify(name[0])}}`]
    frame[frame.length - 1] += separator + before
    frame.push(after)
    separator = ','
  }
  frame[frame.length - 1] += ']'
  return frame
}
