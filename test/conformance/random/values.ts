/** Values to ask for: mostly such as the rows hold, so that answers are not all empty. */

import type { Json } from '../../../worker/lib/json.ts'
import { readNumber } from '../../../worker/lib/lossless.ts'
import { canonical, type Row } from '../evaluator/values.ts'
import { FIELDS, type EntityName, type Kind } from '../evaluator/schema.ts'
import type { Draw } from './draw.ts'

export type Samples = Readonly<Record<EntityName, readonly Row[]>>

/** What a field holds somewhere, nulls left out; undefined where it holds nothing. */
function sample(draw: Draw, samples: Samples, entity: EntityName, name: string): Json | undefined {
  for (let tries = 0; tries < 4; tries++) {
    const row = draw.pick(samples[entity])
    const value = row?.[name] ?? null
    if (value !== null) return value
  }
  return undefined
}

/** Integers that no double is, beside one that is the double next to them. */
export const LARGE: readonly Json[] = [
  '9007199254740993',
  '9007199254740992',
  '18446744073709551615',
].map(readNumber)

const STRANGE = [
  '',
  'nobody',
  "it's",
  '"',
  '\\',
  '%',
  '_',
  'ü',
  '日本',
  '😀',
  'null',
  '0',
  ' ',
  '*',
]

/** A value that a comparison with the field takes. */
export function valueFor(draw: Draw, samples: Samples, entity: EntityName, name: string): Json {
  const kind = FIELDS[entity][name]!
  const held = sample(draw, samples, entity, name)
  switch (kind) {
    case 'number':
      return typeof held === 'number' && draw.chance(0.8)
        ? held + draw.pick([0, 0, 0, 1, -1])
        : draw.between(-3, 300)
    case 'boolean':
    case 'latest report?':
      return draw.chance(0.5)
    case 'time':
      return timeNear(draw, typeof held === 'string' ? Date.parse(held) : Date.UTC(2026, 2, 3))
    case 'path':
      return textLike(draw, Array.isArray(held) ? draw.pick(held as string[]) : undefined)
    case 'value':
      return held !== undefined && draw.chance(0.9)
        ? held
        : draw.pick([null, 'running', 5, '5', ...LARGE])
    default:
      return textLike(draw, typeof held === 'string' ? held : undefined)
  }
}

function textLike(draw: Draw, held: string | undefined): string {
  if (held === undefined) return draw.pick(STRANGE)
  return draw.one(
    [16, () => held],
    [1, () => draw.pick(STRANGE)],
    [1, () => held.toUpperCase()],
    [1, () => held.slice(0, -1)],
  )
}

/** A time near another one, in one of the forms that queries write times in. */
function timeNear(draw: Draw, milliseconds: number): Json {
  const time = milliseconds + draw.pick([0, 0, 1, -1, 1000, -3_600_000, 86_400_000])
  const text = new Date(time).toISOString()
  return draw.one<Json>(
    [6, () => text],
    [1, () => text.slice(0, 10)],
    [1, () => text.slice(0, 19)],
    [1, () => text.replace('Z', '999Z')],
    [1, () => new Date(time + 7_200_000).toISOString().replace('Z', '+02:00')],
    [1, () => time],
  )
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Cuts whole characters, so that no half of one is left. */
function piece(draw: Draw, text: string, most: number): string {
  const characters = [...text]
  const from = draw.between(0, Math.max(0, characters.length - 1))
  return characters.slice(from, from + draw.between(1, most)).join('')
}

/** A regular expression that PostgreSQL and JavaScript read alike. */
export function patternFor(draw: Draw, samples: Samples, entity: EntityName, name: string): string {
  const value = sample(draw, samples, entity, name)
  const held = Array.isArray(value) ? draw.pick([...(value as string[]), '']) : value
  const text = typeof held === 'string' ? held : held === undefined ? 'x' : canonical(held)
  const part = (): string => escaped(piece(draw, text, 6))
  const ascii = (): string => part().replace(/[^ -~]/g, '.')
  return draw.one(
    [5, part],
    [3, () => `^${escaped([...text].slice(0, draw.between(1, 8)).join(''))}`],
    [3, () => `${escaped([...text].slice(-draw.between(1, 8)).join(''))}$`],
    [2, () => `^${escaped(text)}$`],
    [3, () => `${part()}|${part()}`],
    [2, () => `${part()}.*${part()}`],
    [2, () => `^[^${draw.pick(['a-m', '0-9', 'e', ' '])}]*$`],
    [2, () => part().replace(/[0-9]/g, '\\d')],
    [2, () => `(?i)${ascii().toUpperCase()}`],
    [2, () => `^(${part()}|${part()}|${part()}).?`],
    [1, () => draw.pick(['', '.', '^', '$', '^$', '[[]', '\\d+', '\\s', '\\w{3,5}$', '(a|b)+c?'])],
    [1, () => `(?=.*${part()})${part()}`],
    [1, () => `${piece(draw, escapedOrDot(text), 1)}{2}`],
  )
}

const escapedOrDot = (text: string): string => text.replace(/[^A-Za-z0-9]/g, 'x') || 'x'

/** Kinds whose values a list may be asked about. */
export const LISTED: readonly Kind[] = ['text', 'number', 'boolean', 'time', 'value']
