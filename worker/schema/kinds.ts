/** Kinds of values: the operators that a query may apply to each, and how its values are read. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { canonicalText, doubleOf, ExactNumber, isNumber, jsonText } from '../lib/lossless.ts'
import { parseTimestamp } from '../lib/time.ts'

export type KindName =
  | 'string'
  | 'number'
  | 'boolean'
  | 'timestamp'
  | 'path'
  | 'value'
  | 'expanded'
  | 'truth'

/** A value as SQL compares it: booleans are 0 and 1, timestamps ms, JSON values their canonical text. */
export type Scalar = string | number

export interface FieldKind {
  /** Supports `<` `>` `<=` `>=`. */
  readonly ordered: boolean
  /** Supports `~`. */
  readonly matched: boolean
  /** Supports `in` with an `array`. */
  readonly listed: boolean
  /** Reads the value that field `name` is compared with. @throws QueryError for a value of another kind */
  readonly read: (value: Json, name: string) => Scalar
  /** Reads a value of a list; null where no stored value can equal it. */
  readonly readListed: (value: Json, name: string) => Scalar | null
}

/** A value as error messages quote it. */
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
/** Stored numbers are safe integers, so comparing them with a double is exact. */
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
/** A text in a list that isn't a timestamp equals none. */
const listedTimestamp = (value: Json): number | null =>
  typeof value === 'string' ? parseTimestamp(value) : readTimestamp(value)

/** Like PuppetDB, reads anything but false and null as true, including the text "false". */
const readTruth = (value: Json): number => Number(value !== false && value !== null)

/** Like PuppetDB, compares a number or boolean in a list for a text field as text. */
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
