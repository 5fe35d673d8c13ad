/** Reads values that arrive as texts: settings, parameters, arguments and fields of forms. One reader for each kind of value. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'

/** JSON Schema (draft 2020-12) as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A text isn't a value of its kind. The message continues a sentence: `expected a whole number from 1 to 500`. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'

  /** @param expected what was expected, as a noun; @param hint a sentence with the probable value */
  constructor(
    readonly expected: string,
    readonly hint = '',
  ) {
    super(`expected ${expected}${hint === '' ? '' : `.${hint}`}`)
  }
}

export interface ValueReader<Value> {
  /** What the value does, for people. */
  readonly about: string
  /** The value where none was sent. */
  readonly initially: Value
  /** What the texts are, with the default, for descriptions. */
  readonly schema: JsonSchema
  readonly required?: true
  /** @throws Unreadable */
  readonly read: (text: string) => Value
}

/** A text as it was sent; null without one. */
export const asText = (about: string): ValueReader<string | null> => ({
  about,
  initially: null,
  schema: { type: 'string' },
  read: (sent) => sent,
})

/** A text that has to be sent, which may be empty. */
export const asRequiredText = (about: string): ValueReader<string> => ({
  about,
  initially: '',
  schema: { type: 'string' },
  required: true,
  read: (sent) => sent,
})

/** Texts with commas between them. */
export const asTexts = (about: string): ValueReader<readonly string[]> => ({
  about,
  initially: [],
  schema: { type: 'array', items: { type: 'string' } },
  read: (sent) => sent.split(','),
})

interface Range {
  readonly least?: number
  readonly most?: number
}

/** A whole number. */
export const asCount = <Initially extends number | null>(
  about: string,
  initially: Initially,
  { least = 0, most = Infinity }: Range = {},
): ValueReader<number | Initially> => ({
  about,
  initially,
  schema: {
    type: 'integer',
    minimum: least,
    ...(Number.isFinite(most) ? { maximum: most } : {}),
    ...(Number.isFinite(initially) ? { default: initially } : {}),
  },
  read(sent) {
    const value = /^\d+$/.test(sent) ? Number(sent) : NaN
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value
    throw new Unreadable(
      `a whole number from ${least} ${Number.isFinite(most) ? `to ${most}` : 'on'}`,
    )
  },
})

/** One of a few words. */
export const asChoice = <const Word extends string>(
  about: string,
  initially: NoInfer<Word>,
  words: readonly Word[],
): ValueReader<Word> => ({
  about,
  initially,
  schema: { type: 'string', enum: words, default: initially },
  read: (sent) => wordAmong(words, sent),
})

/** One of a few words, which has to be sent. */
export const asRequiredChoice = <const Word extends string>(
  about: string,
  words: readonly Word[],
): ValueReader<Word> => ({ ...asChoice(about, words[0]!, words), required: true })

/** Some of a few words, with commas between them; null for all. */
export const asChoices = <const Word extends string>(
  about: string,
  words: readonly Word[],
): ValueReader<readonly Word[] | null> => ({
  about,
  initially: null,
  schema: { type: 'array', items: { type: 'string', enum: words } },
  read: (sent) => sent.split(',').map((word) => wordAmong(words, word.trim())),
})

/** `true` or `false`. */
export const asFlag = <Initially extends boolean | null>(
  about: string,
  initially: Initially,
): ValueReader<boolean | Initially> => ({
  about,
  initially,
  schema: { type: 'boolean', ...(initially === null ? {} : { default: initially }) },
  read(sent) {
    if (sent === 'true' || sent === 'false') return sent === 'true'
    throw new Unreadable('`true` or `false`')
  },
})

/** The word that was sent. @throws Unreadable that lists the words and suggests the nearest one */
export function wordAmong<const Word extends string>(words: readonly Word[], sent: string): Word {
  const found = words.find((word) => word === sent)
  if (found !== undefined) return found
  throw new Unreadable(`one of ${words.join(', ')}`, suggestion(sent, words))
}

export type Readers = Readonly<Record<string, ValueReader<unknown>>>
export type ValuesOf<Taken extends Readers> = {
  readonly [Name in keyof Taken]: Taken[Name] extends ValueReader<infer Value> ? Value : never
}

/**
 * Reads named values.
 *
 * @param textOf the text that was sent under a name; undefined for none. An empty text is none, unless one is required.
 * @throws QueryError for a value that can't be read, or that is required and was not sent
 */
export const readValues = <Taken extends Readers>(
  readers: Taken,
  textOf: (name: string) => string | undefined,
): ValuesOf<Taken> =>
  Object.fromEntries(
    Object.entries(readers).map(([name, reader]) => [name, readValue(name, reader, textOf(name))]),
  ) as ValuesOf<Taken>

/** Reads one named value. @throws QueryError */
export function readValue<Value>(
  name: string,
  { read, initially, required }: ValueReader<Value>,
  sent: string | undefined,
): Value {
  if (sent === undefined && required)
    throw new QueryError(`Missing required query parameter '${name}'`)
  if (sent === undefined || (sent === '' && !required)) return initially
  try {
    return read(sent)
  } catch (error) {
    if (error instanceof Unreadable) throw illegalValue(name, sent, error)
    throw error
  }
}

/** The sentence about a value that can't be read. */
export const illegalValue = (
  name: string,
  sent: string,
  { expected, hint }: Pick<Unreadable, 'expected' | 'hint'>,
): QueryError => new QueryError(`${name} can't be '${sent}': expected ${expected}.${hint}`)
