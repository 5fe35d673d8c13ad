/**
 * Whether two answers are the same, by the rules of PuppetDB's clients: rows in any order unless one
 * was asked for, events of a report in any order, and times of arrival as they come.
 */

import type { Json } from '../../worker/lib/json.ts'
import { ExactNumber, isRecord } from '../../worker/lib/lossless.ts'
import { OWN_FIELDS } from './documented.ts'

export interface Answered {
  readonly status: number
  /** Media type. */
  readonly type: string
  /** X-Records. */
  readonly records: string | null
  /** JSON below 400, else text. */
  readonly body: Json
}

type JsonMap = Readonly<Record<string, Json>>
const isMap = (value: Json): value is JsonMap => isRecord(value)

/** PuppetDB tells when it processed a catalog or facts, not when they were sent. */
const ARRIVALS = new Set([
  'receive_time',
  'report_receive_time',
  'catalog_timestamp',
  'facts_timestamp',
])
const CORRECTIVE = new Set(['corrective_change', 'latest_report_corrective_change'])

/**
 * What is different, in words; nothing where all is the same.
 *
 * @param order the fields that rows are ordered by, null where no order was asked for
 */
export function judge(
  want: Answered,
  got: Answered,
  order: readonly string[] | null,
  options: { readonly exact: boolean } = { exact: false },
): string | null {
  if (want.status >= 500 && got.status >= 400 && got.status < 500) return null
  if (want.status !== got.status) {
    return `status ${want.status} expected, ${got.status} found: ${shown(got.body)}`
  }
  if (want.status >= 400) return got.body === '' ? 'the error has no body' : null
  if (want.type !== got.type) return `type ${want.type} expected, ${got.type} found`
  if (want.records !== null && want.records !== got.records) {
    return `X-Records ${want.records} expected, ${got.records} found`
  }
  const [one, other] = [want.body, got.body].map((body) => tidy(body, options.exact))
  if (!Array.isArray(one) || !Array.isArray(other)) return differing(one!, other!)
  return compareRows(one as Json[], other as Json[], order)
}

function compareRows(
  one: readonly Json[],
  other: readonly Json[],
  order: readonly string[] | null,
): string | null {
  if (one.length !== other.length) return `${one.length} rows expected, ${other.length} found`
  const [wanted, found] = [arranged(one), arranged(other)]
  const index = wanted.findIndex((row, at) => row !== found[at])
  if (index >= 0)
    return differing(JSON.parse(wanted[index]!) as Json, JSON.parse(found[index]!) as Json)
  // Keys that no row shows can't be compared; those behind them neither.
  const hidden = (order ?? []).findIndex((key) => !one.every((row) => isMap(row) && key in row))
  const keys = (order ?? []).slice(0, hidden < 0 ? undefined : hidden)
  const sequence = (rows: readonly Json[]): string[] =>
    rows.map((row) => canon(keys.map((key) => (row as JsonMap)[key]!)))
  const [expected, received] = [sequence(one), sequence(other)]
  const at = expected.findIndex((value, position) => value !== received[position])
  return at < 0 ? null : `row ${at} is ${received[at]} in ${keys.join(', ')}, not ${expected[at]}`
}

const arranged = (rows: readonly Json[]): string[] => rows.map(canon).sort()

/** The first difference, with the members that lead to it. */
function differing(one: Json, other: Json): string | null {
  if (canon(one) === canon(other)) return null
  const key =
    isMap(one) && isMap(other) && canon(Object.keys(one)) === canon(Object.keys(other))
      ? Object.keys(one).find((name) => canon(one[name]!) !== canon(other[name]!))
      : undefined
  return key === undefined
    ? `${shown(one)} expected, ${shown(other)} found`
    : `${key}: ${differing((one as JsonMap)[key]!, (other as JsonMap)[key]!)}`
}

/** Numbers are the same within 1e-9 of each other: averages have more digits than anybody asked for. */
function canon(value: Json): string {
  if (typeof value === 'number' || value instanceof ExactNumber)
    return JSON.stringify(canonicalNumber(value))
  if (Array.isArray(value)) return `[${(value as Json[]).map(canon).join()}]`
  if (!isMap(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, held]) => `${JSON.stringify(key)}:${canon(held)}`,
  )
  return `{${members.sort().join()}}`
}

/** Large integers by their digits, as 1.0E21 and 1000000000000000000000 are one number. */
function canonicalNumber(held: number | ExactNumber): unknown {
  if (held instanceof ExactNumber) return { number: held.literal }
  if (!Number.isInteger(held)) return Number(held.toPrecision(10))
  return Number.isSafeInteger(held) ? held : { number: String(BigInt(held)) }
}

/** @param exact whether times of arrival count, and corrective changes, which PuppetDB's free version drops */
function tidy(value: Json, exact: boolean): Json {
  if (Array.isArray(value)) return (value as Json[]).map((one) => tidy(one, exact))
  if (!isMap(value)) return value
  return Object.fromEntries(entriesOf(value).map(([key, held]) => [key, tidied(key, held, exact)]))
}

function tidied(key: string, value: Json, exact: boolean): Json {
  if (!exact && ARRIVALS.has(key) && typeof value === 'string') return '<arrival>'
  if (!exact && CORRECTIVE.has(key)) return null
  if (key === 'href') return String(value).replace(/^.*?\/query\//, '/query/')
  if (key === 'resource_events') return withoutOrder(tidy(value, exact))
  return tidy(value, exact)
}

/** Of a map that is a row, those that PuppetDB's row has too. */
const entriesOf = (map: JsonMap): [string, Json][] =>
  Object.entries(map).filter(([key]) => !OWN_FIELDS.has(key))

function withoutOrder(part: Json): Json {
  if (!isMap(part) || !Array.isArray(part['data'])) return part
  const events = (part['data'] as JsonMap[]).map((event) => ({
    ...event,
    timestamp: new Date(String(event['timestamp'])).toISOString(),
  }))
  return { ...part, data: arranged(events) }
}

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text)
const shown = (value: Json): string => cut(typeof value === 'string' ? value : canon(value))
