/** Handles the tags of Ruby objects that change a value. Objects with any other tag are read without it. */

import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/lossless.ts'
import { keyText, resolvePlain } from './resolve.ts'

/** Tags that begin with the word; a mapping with such a tag becomes the value of one of its keys. */
const WRAPPERS: readonly (readonly [tag: string, key: string])[] = [
  ['!ruby/hash-with-ivars', 'elements'],
  ['!ruby/array', 'internal'],
  ['!ruby/string', 'str'],
  ['!str', 'str'],
]

const BINARY = ['!binary', '!!binary', '!<tag:yaml.org,2002:binary>']

/** The value of a collection with the tag. */
export function untagged(tag: string, value: Json): Json {
  if (!isRecord(value)) return value
  const key = WRAPPERS.find(([word]) => tag === word || tag.startsWith(`${word}:`))?.[1]
  return (key === undefined ? undefined : value[key]) ?? value
}

/**
 * With this tag libyaml reads a quoted scalar as a plain one; Psych writes symbols that need quotes this way.
 * Source: yaml_parser_parse_node in libyaml.
 */
const PLAIN = '!'

/** The value of a scalar with the tag. `isPlain`: the scalar has no quotes and no separate lines. */
export function scalarOf(tag: string | null, text: string, isPlain: boolean): Json {
  if (tag === PLAIN || (tag === null && isPlain)) return resolvePlain(text)
  return tag === null ? text : textOf(tag, text)
}

/** The same for a scalar that is a key, which is always text. */
export function keyOfScalar(tag: string | null, text: string, isPlain: boolean): string {
  if (tag === PLAIN || (tag === null && isPlain)) return keyText(text)
  return tag === null ? text : textOf(tag, text)
}

/** The text of a scalar with the tag: base64 is decoded as UTF-8 or, where it isn't UTF-8, one character a byte. */
function textOf(tag: string, text: string): string {
  if (!BINARY.includes(tag)) return tag.startsWith('!ruby/sym') ? text.replace(/^:/, '') : text
  const bytes = Buffer.from(text, 'base64')
  const decoded = bytes.toString()
  return decoded.includes('\ufffd') ? bytes.toString('latin1') : decoded
}
