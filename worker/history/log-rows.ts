/** Log entries ↔ rows of `logs`. An entry that its columns cannot hold exactly is kept whole, as JSON text. */

import type { Json } from '../lib/json.ts'
import { isList, isRecord, jsonText } from '../lib/lossless.ts'

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/
/** Nanoseconds since 1970 that 64 bits hold: the years 1678 to 2261. */
const MOST_SECONDS = 9_223_372_036

/** The columns of a log line that its entry gives. */
export interface LogColumns {
  readonly level: string | null
  readonly message: string | null
  readonly source: string | null
  readonly tags: readonly string[] | null
  readonly time: bigint | null
  readonly time_form: string | null
  readonly file: string | null
  readonly line: number | null
  readonly entry: string | null
}

const textOrNull = (value: Json | undefined): string | null =>
  typeof value === 'string' ? value : null

const isText = (value: Json | undefined): boolean => typeof value === 'string'
const isPlaced = (value: Json | undefined): boolean => value === null || isText(value)

/** The columns of an entry, which has any shape; what fits is there even where `entry` keeps the whole. */
export function logColumns(log: Json): LogColumns {
  const fields = isRecord(log) ? log : {}
  const { file, line, level, message, source, tags, time } = fields
  const clock = typeof time === 'string' ? readClock(time) : null
  const list =
    tags !== undefined && isList(tags) && tags.every(isText) ? (tags as readonly string[]) : null
  const fits =
    Object.keys(fields).length === 7 &&
    clock !== null &&
    list !== null &&
    [level, message, source].every(isText) &&
    isPlaced(file) &&
    (line === null || Number.isSafeInteger(line))
  return {
    level: textOrNull(level),
    message: textOrNull(message),
    source: textOrNull(source),
    tags: list,
    time: clock?.nanoseconds ?? null,
    time_form: clock?.form ?? null,
    file: textOrNull(file),
    line: Number.isSafeInteger(line) ? (line as number) : null,
    entry: fits ? null : jsonText(log),
  }
}

/** The entry as JSON text, its keys in the order of the API. */
export function logText(columns: LogColumns): string {
  if (columns.entry !== null) return columns.entry
  const { file, line, tags, time, time_form: form, level, source, message } = columns
  const text = time === null || form === null ? null : printClock(time, form)
  return JSON.stringify({ file, line, tags, time: text, level, source, message })
}

/** A time with up to nine decimals and a zone, if printing it gives the same text again. */
function readClock(text: string): { nanoseconds: bigint; form: string } | null {
  const [, face = '', decimals = '', zone = ''] = TIME.exec(text) ?? []
  const seconds = Date.parse(`${face}${zone}`) / 1000
  if (Number.isNaN(seconds) || Math.abs(seconds) >= MOST_SECONDS) return null
  const nanoseconds = BigInt(seconds) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'))
  const form = `${decimals.length}${zone}`
  return printClock(nanoseconds, form) === text ? { nanoseconds, form } : null
}

function printClock(nanoseconds: bigint, form: string): string {
  const decimals = Number(form.charAt(0))
  const zone = form.slice(1)
  let fraction = nanoseconds % 1_000_000_000n
  if (fraction < 0n) fraction += 1_000_000_000n
  const seconds = Number((nanoseconds - fraction) / 1_000_000_000n) + offsetSeconds(zone)
  const face = new Date(seconds * 1000).toISOString().slice(0, 19)
  const digits = String(fraction).padStart(9, '0').slice(0, decimals)
  return decimals === 0 ? `${face}${zone}` : `${face}.${digits}${zone}`
}

function offsetSeconds(zone: string): number {
  if (zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  return (zone.startsWith('-') ? -60 : 60) * minutes
}
