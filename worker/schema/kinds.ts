/** Kinds of values: what a query may say to a field of each, and how the value it gives is read. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { canonicalText, doubleOf, ExactNumber, isNumber, jsonText } from '../lib/lossless.ts'
import { parseTimestamp } from '../lib/time.ts'

export type KindName =
  'string' | 'number' | 'boolean' | 'timestamp' | 'path' | 'value' | 'expanded' | 'truth'

/** A value as SQL compares it: booleans are 0 and 1, timestamps ms, JSON values their canonical text. */
export type Scalar = string | number

export interface FieldKind {
  /** `<` `>` `<=` `>=` may be asked. */
  readonly ordered: boolean
  /** `~` may be asked. */
  readonly matched: boolean
  /** `in` with an `array` may be asked. */
  readonly listed: boolean
  /** The value of a comparison with field `name`. @throws QueryError where it is of another kind */
  readonly read: (value: Json, name: string) => Scalar
  /** A value of a list; null where it can equal nothing. */
  readonly readListed: (value: Json, name: string) => Scalar | null
}

/** A value as messages quote it. */
export const quotedValue = (value: Json): string => {
  const text = jsonText(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
const refuse = (value: Json, name: string, wanted: string): never => {
  throw new QueryError(
    `Argument ${quotedValue(value)} is incompatible with ${wanted} field "${name}".`,
  )
}

const readText = (value: Json, name: string): string =>
  typeof value === 'string' ? value : refuse(value, name, 'string')
/** Stored numbers are safe integers, from which no double is told apart wrongly. */
const readDouble = (value: Json, name: string): number =>
  isNumber(value) ? doubleOf(value) : refuse(value, name, 'numeric')
const readBoolean = (value: Json, name: string): number =>
  typeof value === 'boolean' ? Number(value) : refuse(value, name, 'boolean')

function readTimestamp(value: Json): number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
  const milliseconds = isWhole ? value : typeof value === 'string' ? parseTimestamp(value) : null
  if (milliseconds === null) throw new QueryError(`${quoted(value)} is not a valid timestamp value`)
  return milliseconds
}
const quoted = (value: Json): string =>
  typeof value === 'string'
    ? `'${value.length > 80 ? `${value.slice(0, 80)}…` : value}'`
    : quotedValue(value)
/** A text in a list that is no time equals none. */
const listedTimestamp = (value: Json): number | null =>
  typeof value === 'string' ? parseTimestamp(value) : readTimestamp(value)

/** PuppetDB takes anything but false and null for true here, "false" included. */
const readTruth = (value: Json): number => Number(value !== false && value !== null)

/** A number or boolean in a list for a text field is compared as text, as PuppetDB does. */
const listedText = (value: Json, name: string): string | null => {
  if (value === null) return null
  return typeof value === 'object' && !isExact(value)
    ? refuse(value, name, 'string')
    : String(value)
}
const isExact = (value: Json): boolean => value instanceof ExactNumber

export const KINDS: Readonly<Record<KindName, FieldKind>> = {
  string: { ordered: false, matched: true, listed: true, read: readText, readListed: listedText },
  number: { ordered: true, matched: false, listed: true, read: readDouble, readListed: readDouble },
  boolean: {
    ordered: false,
    matched: false,
    listed: true,
    read: readBoolean,
    readListed: readBoolean,
  },
  timestamp: {
    ordered: true,
    matched: false,
    listed: true,
    read: readTimestamp,
    readListed: listedTimestamp,
  },
  path: { ordered: false, matched: true, listed: false, read: readText, readListed: readText },
  value: {
    ordered: false,
    matched: true,
    listed: true,
    read: canonicalText,
    readListed: canonicalText,
  },
  expanded: { ordered: false, matched: false, listed: false, read: readText, readListed: readText },
  truth: { ordered: false, matched: false, listed: false, read: readTruth, readListed: readTruth },
}
