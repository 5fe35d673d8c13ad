/** Packs metrics as two texts: the names, which most reports of a fleet share, and the values, one a line. */

import type { Json } from '../lib/json.ts'
import { isRecord, jsonText } from '../lib/lossless.ts'

/** How to print and find the values for a list of names. */
interface Frame {
  /** The text around the values: before the first, between each two, after the last. */
  readonly texts: readonly string[]
  /** The index of the value of `category.name`; of duplicate names, the later one. */
  readonly places: ReadonlyMap<string, number>
  /** Indexes of values that are whole entries. */
  readonly whole: readonly number[]
  /** `category.name` of each value; null where these do not give category and name back, or two are the same. */
  readonly labels: readonly string[] | null
}

/** Metrics as a map of numbers by `category.name`, in the order sent. */
export interface MetricMap {
  readonly count: number
  readonly numbers: { readonly keys: readonly string[]; readonly values: readonly number[] }
  /** JSON text of all metrics where the map does not hold them exactly; else null. */
  readonly entries: string | null
}

/** The metrics that are numbers. */
export interface MetricNumbers {
  /** The index of the number of `category.name`; most runs of a fleet share one map object. */
  readonly places: ReadonlyMap<string, number>
  /** Null where the metric is not a number. */
  readonly numbers: readonly (number | null)[]
}

/** Most characters of the names of all cached frames; a frame takes some six times as many bytes. */
const MOST_FRAME_CHARACTERS = 400_000
/** Longest list of names that is stored separately from its reports, in characters. A longer one is unlikely to repeat, and stays in the body. */
const LONGEST_NAMES = 100_000
const frames = new Map<string, Frame>()
let frameCharacters = 0

/**
 * `names` is JSON: `[category, name]` for each metric, null for an entry that isn't {category, name, value}.
 * `values` holds JSON text for each, the whole entry where its name is null; zeros before a decimal point are left out.
 */
export function packMetrics(metrics: readonly Json[]): { names: string; values: string[] } {
  if (!areSurelyLong(metrics)) {
    const regular = metrics.map((metric) => (isRegularMetric(metric) ? metric : null))
    const names = JSON.stringify(regular.map((metric) => metric && [metric.category, metric.name]))
    if (names.length <= LONGEST_NAMES) {
      const value = (metric: Json, index: number): string =>
        regular[index] ? packValue(regular[index].value) : jsonText(metric)
      return { names, values: metrics.map(value) }
    }
  }
  return { names: JSON.stringify(metrics.map(() => null)), values: metrics.map(jsonText) }
}

/** Whether the names have more than LONGEST_NAMES characters; known without a list of them, which takes memory. */
function areSurelyLong(metrics: readonly Json[]): boolean {
  let characters = 0
  for (const metric of metrics) {
    if (isRegularMetric(metric)) characters += metric.category.length + metric.name.length
  }
  return characters > LONGEST_NAMES
}

/** Unpacks the result of packMetrics into JSON text; the keys of an entry in PuppetDB's order. */
export function unpackMetrics(names: string, values: readonly string[]): string {
  const { texts } = frameOf(names)
  const pieces = [texts[0] ?? '']
  for (let index = 1; index < texts.length; index++) {
    pieces.push(unpackValue(values[index - 1] ?? ''), texts[index] ?? '')
  }
  return pieces.join('')
}

/** Unpacks only the numbers, which is much faster than printing the text and parsing it. */
export function metricNumbers(names: string, values: readonly string[]): MetricNumbers {
  const { places, whole } = frameOf(names)
  const numbers = values.map(numberOf)
  if (whole.length === 0) return { places, numbers }
  const all = new Map(places)
  for (const place of whole) {
    const entry = JSON.parse(values[place] ?? 'null') as Json
    const [name, value] = isRecord(entry) ? [labelOf(entry), entry['value']] : [null, null]
    if (name === null || typeof value !== 'number') continue
    all.set(name, place)
    numbers[place] = value
  }
  return { places: all, numbers }
}

/** The metrics as a map, whose printed form is `unpackMetrics`' unless it has `entries`. */
export function mapMetrics(names: string, values: readonly string[]): MetricMap {
  const { labels, texts } = frameOf(names)
  const count = texts.length - 1
  if (labels !== null) {
    const numbers = labels.map((_, index) => exactNumber(values[index]!))
    if (!numbers.some(Number.isNaN)) {
      return { count, numbers: { keys: labels, values: numbers }, entries: null }
    }
  }
  const { places, numbers } = metricNumbers(names, values)
  const finite = [...places].filter(([, place]) => Number.isFinite(numbers[place]))
  return {
    count,
    numbers: {
      keys: finite.map(([key]) => key),
      values: finite.map(([, place]) => numbers[place]!),
    },
    entries: unpackMetrics(names, values),
  }
}

/** The JSON text of metrics from the entries of a map. */
export const metricsText = (
  entries: readonly { readonly key: string; readonly value: number }[],
): string =>
  JSON.stringify(
    entries.map(({ key, value }) => {
      const dot = key.indexOf('.')
      return { name: key.slice(dot + 1), value, category: key.slice(0, dot) }
    }),
  )

/** Longest text that every double with as many digits has. */
const SURELY_EXACT = 15

/** The number of a packed value; NaN where it is none, or has digits that a double does not hold. */
function exactNumber(text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number)) return NaN
  return text.length <= SURELY_EXACT || String(number) === unpackValue(text) ? number : NaN
}

/** A value that isn't a number is a text in quotes, or a word. */
function numberOf(text: string): number | null {
  const number = Number(text)
  return Number.isNaN(number) ? null : number
}

const labelOf = ({ category, name }: { readonly [key: string]: Json }): string | null =>
  typeof category === 'string' && typeof name === 'string' ? `${category}.${name}` : null

/** The number of metrics, and so of lines of values, for these names. */
export function metricCount(names: string): number {
  return frameOf(names).texts.length - 1
}

function isRegularMetric(metric: Json): metric is { category: string; name: string; value: Json } {
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

// Cached, because a fleet has few lists of names, and a page of reports needs the same list for every report.
function frameOf(names: string): Frame {
  const known = frames.get(names)
  if (known !== undefined) return known
  const frame = newFrame(JSON.parse(names) as ([string, string] | null)[])
  if (names.length > LONGEST_NAMES) return frame
  if (frameCharacters > MOST_FRAME_CHARACTERS) {
    frames.clear()
    frameCharacters = 0
  }
  frames.set(names, frame)
  frameCharacters += names.length
  return frame
}

function newFrame(names: readonly ([string, string] | null)[]): Frame {
  const texts = ['[']
  const places = new Map<string, number>()
  const whole: number[] = []
  const labels: string[] = []
  let separator = ''
  for (const [place, name] of names.entries()) {
    const [before, after] =
      name === null
        ? ['', '']
        : [`{"name":${JSON.stringify(name[1])},"value":`, `,"category":${JSON.stringify(name[0])}}`]
    texts[texts.length - 1] += separator + before
    texts.push(after)
    separator = ','
    if (name === null) {
      whole.push(place)
    } else {
      const label = name.join('.')
      places.set(label, place)
      if (!name[0].includes('.')) labels.push(label)
    }
  }
  texts[texts.length - 1] += ']'
  const fits = places.size === names.length && labels.length === names.length
  return { texts, places, whole, labels: fits ? labels : null }
}
