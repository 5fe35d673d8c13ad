/** Values of rows: how they compare, sort and read as text. Rows are what the API answers with. */

import type { Json } from '../../../worker/lib/json.ts'
import { ExactNumber } from '../../../worker/lib/lossless.ts'
import type { Kind } from './schema.ts'

export type Row = Readonly<Record<string, Json>>

/** JSON text with sorted keys: two values are equal if and only if these are. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as Json[]).map(canonical).join(',')}]`
  if (value instanceof ExactNumber) return value.literal
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value as Readonly<Record<string, Json>>)
  const sorted = members.sort(([one], [other]) => byCodePoint(one, other))
  return `{${sorted.map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`).join(',')}}`
}

/** Text sorts by code point, as UTF-8 does; JavaScript itself sorts by UTF-16, which differs where there are surrogates. */
export function byCodePoint(one: string, other: string): number {
  if (one === other) return 0
  if (SURROGATE.test(one) || SURROGATE.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}

const SURROGATE = /[\ud800-\udfff]/

/** Milliseconds of a time as rows show it or a query names it; null where it is none. */
export function instant(value: Json): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const zoned = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) || /^\d{4}-\d\d-\d\d$/.test(value)
  const milliseconds = Date.parse(zoned ? value : `${value}Z`)
  return Number.isNaN(milliseconds) ? null : milliseconds
}

/** A time of a payload as rows show it. */
export const time = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : new Date(instant(value)!).toISOString()

/** A value of a payload as rows show it. */
export const shown = (kind: Kind, value: Json | undefined): Json =>
  kind === 'time' ? time(value) : (value ?? null)

/** Orders two values of a field, neither of them null. */
export function compareValues(kind: Kind, one: Json, other: Json): number {
  switch (kind) {
    case 'number':
    case 'boolean':
      return Number(one) - Number(other)
    case 'time':
      return instant(one)! - instant(other)!
    case 'path':
      return comparePaths(one as string[], other as string[])
    case 'value':
      return byCodePoint(canonical(one), canonical(other))
    default:
      return byCodePoint(String(one), String(other))
  }
}

/** Element by element; the shorter one first where it begins the longer. */
function comparePaths(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((element, at) => element !== other[at])
  if (index < 0 || index >= other.length) return one.length - other.length
  return byCodePoint(one[index]!, other[index]!)
}

/** Orders rows' values with nulls behind all others. A JSON null of an event is a value like others. */
export function compareNullsLast(kind: Kind, one: Json, other: Json): number {
  if (kind !== 'value' && (one === null || other === null)) {
    return Number(one === null) - Number(other === null)
  }
  return compareValues(kind, one, other)
}
