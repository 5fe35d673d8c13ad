/** The kinds of values in a payload: how to read each, and its name in messages. */

import type { Json } from '../lib/json.ts'
import { isList } from '../lib/lossless.ts'
import { LONGEST_NAME, LONGEST_TITLE } from '../schema/string-kinds.ts'
import { parseTime } from './time.ts'

/** A kind of value: its name in messages, and how to read it. `read` returns undefined for any other value. */
export interface PayloadKind<Value> {
  readonly called: string
  readonly read: (value: Json) => Value | undefined
  /** Longest text, in characters. */
  readonly longest?: number
  /** Messages name the type of a wrong value instead of showing it. */
  readonly mayBeSecret?: true
}

/** Longest text of a report's own row, in characters. */
const LONGEST_TEXT = 65_536
/** Longest containment path, in characters of all its elements: the title of a resource within many classes. */
const LONGEST_PATH = 4 * LONGEST_TITLE

/** Like PuppetDB, replaces half a surrogate pair, which UTF-8 can't encode, by a question mark. */
const wellFormed = (value: string): string =>
  value.isWellFormed() ? value : value.replace(/\p{Cs}/gu, '?')

/** A text of any length, such as a message. */
const longText: PayloadKind<string> = {
  called: 'a string',
  read: (value) => (typeof value === 'string' ? wellFormed(value) : undefined),
  mayBeSecret: true,
}

/** A text of at most so many characters. */
export const textUpTo = (longest: number): PayloadKind<string> => ({
  called: 'a string',
  longest,
  read: (value) =>
    typeof value === 'string' && value.length <= longest ? wellFormed(value) : undefined,
})

const text = textUpTo(LONGEST_TEXT)
const title = textUpTo(LONGEST_TITLE)
/** A name that may be empty. */
const label = textUpTo(LONGEST_NAME)

const name: PayloadKind<string> = {
  ...label,
  called: 'a non-empty string',
  read: (value) => label.read(value) || undefined,
}

/** Puppet makes no certificate with control characters in its name. */
const certname: PayloadKind<string> = {
  ...name,
  called: 'a non-empty string without control characters',
  read: (value) => {
    const read = name.read(value)
    return read === undefined || /\p{Cc}/u.test(read) ? undefined : read
  },
}

const wholeNumber: PayloadKind<number> = {
  called: 'a whole number',
  read: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
}

const flag: PayloadKind<boolean> = {
  called: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** ms since 1970, UTC. */
const time: PayloadKind<number> = {
  called: 'a date-time with a zone',
  read: (value) => (typeof value === 'string' ? parseTime(value) : undefined),
}

const list: PayloadKind<readonly Json[]> = {
  called: 'an array',
  read: (value) => (isList(value) ? value : undefined),
}

const isText = (value: Json): value is string => typeof value === 'string'

/** Names of classes and resources, of LONGEST_PATH characters in all. */
const path: PayloadKind<readonly string[]> = {
  called: `an array of strings with ${LONGEST_PATH} characters at most`,
  read: (value) =>
    isList(value) &&
    value.every(isText) &&
    value.reduce((length, item) => length + item.length, 0) <= LONGEST_PATH
      ? value
      : undefined,
}

/** One of the texts. */
export const oneOfCodes = (codes: readonly string[]): PayloadKind<string> => ({
  called: codes.map((code) => JSON.stringify(code)).join(' or '),
  read: (value) => codes.find((code) => code === value),
})

/** The same kind, or null. */
export function orNull<Value>(kind: PayloadKind<Value>): PayloadKind<Value | null> {
  return {
    ...kind,
    called: `${kind.called} or null`,
    read: (value) => (value === null ? null : kind.read(value)),
  }
}

const labelOrNull = orNull(label)
const longTextOrNull = orNull(longText)
const wholeNumberOrNull = orNull(wholeNumber)
const flagOrNull = orNull(flag)
const listOrNull = orNull(list)
const pathOrNull = orNull(path)

/** The kinds by their names. */
export const kinds = {
  longText,
  text,
  title,
  label,
  name,
  certname,
  wholeNumber,
  flag,
  time,
  list,
  path,
  labelOrNull,
  longTextOrNull,
  wholeNumberOrNull,
  flagOrNull,
  listOrNull,
  pathOrNull,
} as const
