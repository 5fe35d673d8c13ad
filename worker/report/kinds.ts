/** The kinds of values that a payload holds: how each is read, and what it is called in messages. */

import type { Json } from '../lib/json.ts'
import { isList } from '../lib/lossless.ts'
import { parseTime } from './time.ts'

/** A kind of value: what it is called in messages, and how it is read. `read` gives undefined for any other value. */
export interface PayloadKind<Value> {
  readonly called: string
  readonly read: (value: Json) => Value | undefined
}

/** Characters of a text that is indexed or repeated. Longer ones would slow down every report that is stored after them. */
export const LONGEST_TEXT = 65_536

/** Half a character, of which UTF-8 knows none, becomes a question mark, as it does in PuppetDB. */
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

/** Texts that are as long as one may be, taken together. */
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
