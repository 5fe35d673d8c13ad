/** Prints values as Ruby's `to_s` does, which the terminus uses for values of events. */

import type { Json } from '../lib/json.ts'
import { ExactNumber, isList } from '../lib/lossless.ts'

/** `to_s`: nothing for null, a text as it is, anything else as `inspect` prints it. */
export function rubyText(value: Json): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : inspected(value)
}

/** `inspect` as Ruby prints it up to version 3.3, which every Puppet server uses. */
function inspected(value: Json): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return String(value)
  if (value instanceof ExactNumber) return value.literal
  if (isList(value)) return `[${value.map(inspected).join(', ')}]`
  const members = Object.entries(value)
  return `{${members.map(([key, held]) => `${quoted(key)}=>${inspected(held)}`).join(', ')}}`
}

/** A double in Ruby's spelling: `1.0e-05`, `1.0e+16`. A whole number is printed as an integer, because JSON does not distinguish them. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 && magnitude < 1e16) return String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  const fraction = digits.includes('.') ? digits : `${digits}.0`
  return `${fraction}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
}

/** Quotes, backslashes, `#` where it would begin an interpolation, and characters that Ruby considers unprintable. */
const SPECIAL = /["\\]|#(?=[{$@])|(?!\u0085)[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu

const quoted = (text: string): string => `"${text.replace(SPECIAL, escaped)}"`

function escaped(character: string): string {
  if (character === '#') return '\\#'
  const known = ESCAPES[character]
  if (known !== undefined) return known
  const digits = character.codePointAt(0)!.toString(16).toUpperCase()
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}
