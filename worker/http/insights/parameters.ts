/** The parameters of `/insight/v1`: how each is read, its default, and the error for a wrong value. */

import { QueryError } from '../../lib/errors.ts'
import { suggestion } from '../../lib/nearest.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'

/** Reads the text of a parameter; undefined where it was not sent. */
export interface Read<Value> {
  (text: string | undefined, name: string): Value
  /** What the parameter takes, with its default. */
  readonly schema: JsonSchema
  readonly required?: true
}

const reader = <Value>(
  schema: JsonSchema,
  read: (text: string | undefined, name: string) => Value,
  more: { readonly required?: true } = {},
): Read<Value> => Object.assign(read, { schema, ...more })

const illegal = (text: string, name: string, expected: string): QueryError =>
  new QueryError(`Illegal value '${text}' for :${name}; expected ${expected}`)

export const asText = reader({ type: 'string' }, (sent): string | null => sent || null)

export const asRequired = reader(
  { type: 'string' },
  (sent, name): string => {
    if (sent === undefined) throw new QueryError(`Missing required query parameter '${name}'`)
    return sent
  },
  { required: true },
)

export const asList = reader(
  { type: 'array', items: { type: 'string' } },
  (sent): readonly string[] => (sent ? sent.split(',') : []),
)

/** `true`, `false`, or neither. */
export const asFlagOrNull = reader({ type: 'boolean' }, (sent, name): boolean | null => {
  if (!sent) return null
  if (sent !== 'true' && sent !== 'false') throw illegal(sent, name, '`true` or `false`.')
  return sent === 'true'
})

export const asFlag = reader(
  { type: 'boolean', default: false },
  (sent, name): boolean => asFlagOrNull(sent, name) ?? false,
)

/** @param initially null for none */
export const asNumber = <Initially extends number | null>(
  initially: Initially,
  most: number,
  least = 1,
): Read<number | Initially> =>
  reader(
    {
      type: 'integer',
      minimum: least,
      maximum: most,
      ...(Number.isFinite(initially) ? { default: initially } : {}),
    },
    (sent, name) => {
      if (!sent) return initially
      const value = /^\d{1,9}$/.test(sent) ? Number(sent) : NaN
      if (!(value >= least && value <= most))
        throw illegal(sent, name, `a whole number from ${least} to ${most}.`)
      return value
    },
  )

export const asChoice = <const Word extends string>(
  words: readonly Word[],
  initially: NoInfer<Word>,
): Read<Word> =>
  reader({ type: 'string', enum: words, default: initially }, (sent, name) =>
    sent ? wordOf(words, sent, name) : initially,
  )

/** Some of a few words, with commas between them; null where none were sent. */
export const asChoices = <const Word extends string>(
  words: readonly Word[],
): Read<readonly Word[] | null> =>
  reader({ type: 'array', items: { type: 'string', enum: words } }, (sent, name) =>
    sent ? sent.split(',').map((word) => wordOf(words, word, name)) : null,
  )

function wordOf<Word extends string>(words: readonly Word[], sent: string, name: string): Word {
  const found = words.find((word) => word === sent)
  if (found === undefined)
    throw illegal(sent, name, `one of ${words.join(', ')}.${suggestion(sent, words)}`)
  return found
}

/** The parameters of every insight beside its own. */
export const SCOPE = ['since', 'until', 'environment', 'filter', 'exclude', 'silent_after'] as const
export const COMMON = [...SCOPE, 'pretty'] as const

export type Readers = Readonly<Record<string, Read<unknown>>>
export type ValuesOf<Given extends Readers> = {
  readonly [Name in keyof Given]: ReturnType<Given[Name]>
}

/** @throws QueryError for a parameter that is given twice or can't be read */
export function readParameters<Given extends Readers>(
  parameters: URLSearchParams,
  readers: Given,
): ValuesOf<Given> {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) throw new QueryError(`The parameter '${name}' is given twice.`)
    seen.add(name)
  }
  return Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [
      name,
      read(parameters.get(name) ?? undefined, name),
    ]),
  ) as ValuesOf<Given>
}
