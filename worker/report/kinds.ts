/** The kinds of values that a payload holds: how each is read, and what it is called in messages. */

import type { Json } from '../lib/json.ts'
import { isList } from '../lib/lossless.ts'
import { parseTime } from './time.ts'

/** A kind of value: what it is called in messages, and how it is read. `read` gives undefined for any other value. */
export interface Kind<Value> {
  readonly called: string
  readonly read: (value: Json) => Value | undefined
}

/** Characters of a text that is indexed or repeated. Longer ones would slow down every report that is stored after them. */
export const LONGEST_TEXT = 65_536

/** Half a character, of which UTF-8 knows none, becomes a question mark, as it does in PuppetDB. */
const wellFormed = (value: string): string =>
  value.isWellFormed() ? value : value.replace(/\p{Cs}/gu, '?')

/** A text of any length, such as a message. */
export const longText: Kind<string> = {
  called: 'a string',
  read: (value) => (typeof value === 'string' ? wellFormed(value) : undefined),
}

const isText = (value: Json): value is string =>
  typeof value === 'string' && value.length <= LONGEST_TEXT

export const text: Kind<string> = {
  called: 'a string',
  read: (value) => (isText(value) ? wellFormed(value) : undefined),
}

export const name: Kind<string> = {
  called: 'a non-empty string',
  read: (value) => (isText(value) && value !== '' ? wellFormed(value) : undefined),
}

export const wholeNumber: Kind<number> = {
  called: 'a whole number',
  read: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
}

export const flag: Kind<boolean> = {
  called: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** ms since 1970, UTC. */
export const time: Kind<number> = {
  called: 'a date-time with a zone',
  read: (value) => (typeof value === 'string' ? parseTime(value) : undefined),
}

export const list: Kind<readonly Json[]> = {
  called: 'an array',
  read: (value) => (isList(value) ? value : undefined),
}

/** Texts that are as long as one may be, taken together. */
export const texts: Kind<readonly string[]> = {
  called: 'an array of strings',
  read: (value) =>
    isList(value) &&
    value.every(isText) &&
    value.reduce((length, item) => length + item.length, 0) <= LONGEST_TEXT
      ? value
      : undefined,
}

/** One of the texts. */
export const oneOf = (codes: readonly string[]): Kind<string> => ({
  called: codes.map((code) => JSON.stringify(code)).join(' or '),
  read: (value) => codes.find((code) => code === value),
})

/** The same kind, or null. */
export function orNull<Value>(kind: Kind<Value>): Kind<Value | null> {
  return {
    called: `${kind.called} or null`,
    read: (value) => (value === null ? null : kind.read(value)),
  }
}

export const textOrNull = orNull(text)
export const longTextOrNull = orNull(longText)
export const wholeNumberOrNull = orNull(wholeNumber)
export const flagOrNull = orNull(flag)
export const listOrNull = orNull(list)
export const textsOrNull = orNull(texts)
