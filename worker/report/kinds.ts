/** The kinds of values in a payload: how to read each, and its name in messages. */

import type { Json } from '../lib/json.ts'
import { isList } from '../lib/lossless.ts'
import { parseTime } from './time.ts'

/** A kind of value: its name in messages, and how to read it. `read` returns undefined for any other value. */
export interface PayloadKind<Value> {
  readonly called: string
  readonly read: (value: Json) => Value | undefined
}

/** Longest text that is indexed or shared, in characters. Longer texts would slow down every later report. */
export const LONGEST_TEXT = 65_536

/** Like PuppetDB, replaces half a surrogate pair, which UTF-8 can't encode, by a question mark. */
const wellFormed = (value: string): string =>
  value.isWellFormed() ? value : value.replace(/\p{Cs}/gu, '?')

/** A text of any length, such as a message. */
const longText: PayloadKind<string> = {
  called: 'a string',
  read: (value) => (typeof value === 'string' ? wellFormed(value) : undefined),
}

const isText = (value: Json): value is string =>
  typeof value === 'string' && value.length <= LONGEST_TEXT

const text: PayloadKind<string> = {
  called: 'a string',
  read: (value) => (isText(value) ? wellFormed(value) : undefined),
}

const name: PayloadKind<string> = {
  called: 'a non-empty string',
  read: (value) => (isText(value) && value !== '' ? wellFormed(value) : undefined),
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

/** Texts whose total length is at most that of one text. */
const texts: PayloadKind<readonly string[]> = {
  called: 'an array of strings',
  read: (value) =>
    isList(value) &&
    value.every(isText) &&
    value.reduce((length, item) => length + item.length, 0) <= LONGEST_TEXT
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
    called: `${kind.called} or null`,
    read: (value) => (value === null ? null : kind.read(value)),
  }
}

const textOrNull = orNull(text)
const longTextOrNull = orNull(longText)
const wholeNumberOrNull = orNull(wholeNumber)
const flagOrNull = orNull(flag)
const listOrNull = orNull(list)
const textsOrNull = orNull(texts)

/** The kinds by their names. */
export const kinds = {
  longText,
  text,
  name,
  wholeNumber,
  flag,
  time,
  list,
  texts,
  textOrNull,
  longTextOrNull,
  wholeNumberOrNull,
  flagOrNull,
  listOrNull,
  textsOrNull,
} as const
