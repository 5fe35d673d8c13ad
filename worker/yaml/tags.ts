/** Tags that Ruby's objects get, where they change what is read. Objects of all other tags are read as what they hold. */

import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/lossless.ts'
import { keyText, resolvePlain } from './resolve.ts'

/** A tag begins with the word; a mapping of it stands for the value of one of its keys. */
const WRAPPERS: readonly (readonly [tag: string, key: string])[] = [
  ['!ruby/hash-with-ivars', 'elements'],
  ['!ruby/array', 'internal'],
  ['!ruby/string', 'str'],
  ['!str', 'str'],
]

const BINARY = ['!binary', '!!binary', '!<tag:yaml.org,2002:binary>']

/** What a collection of the tag stands for. */
export function untagged(tag: string, value: Json): Json {
  if (!isRecord(value)) return value
  const key = WRAPPERS.find(([word]) => tag === word || tag.startsWith(`${word}:`))?.[1]
  return (key === undefined ? undefined : value[key]) ?? value
}

/**
 * With this tag libyaml takes a quoted scalar for a plain one, and Psych writes symbols so that need quotes.
 * Source: yaml_parser_parse_node in libyaml.
 */
const PLAIN = '!'

/** What a scalar of the tag stands for. `isPlain`: it has neither quotes nor lines of its own. */
export function scalarOf(tag: string | null, text: string, isPlain: boolean): Json {
  if (tag === PLAIN || (tag === null && isPlain)) return resolvePlain(text)
  return tag === null ? text : textOf(tag, text)
}

/** The same for a scalar that is a key, which is text in any case. */
export function keyOfScalar(tag: string | null, text: string, isPlain: boolean): string {
  if (tag === PLAIN || (tag === null && isPlain)) return keyText(text)
  return tag === null ? text : textOf(tag, text)
}

/** The text of a scalar of the tag: bytes in base64 that are UTF-8 are its text, others a character each. */
function textOf(tag: string, text: string): string {
  if (!BINARY.includes(tag)) return tag.startsWith('!ruby/sym') ? text.replace(/^:/, '') : text
  const bytes = Buffer.from(text, 'base64')
  const decoded = bytes.toString()
  return decoded.includes('\ufffd') ? bytes.toString('latin1') : decoded
}
