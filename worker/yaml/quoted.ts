/** Reads quoted scalars, which may span lines. */

import { CHARACTER } from './characters.ts'
import { breaksOf, folded, isBlank, isBreak, type YamlSource } from './source.ts'

/** Characters after a backslash, and the text that they mean. Source: YAML 1.1, 5.6. */
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
}

/** Escapes of a code point, and how many hexadecimal digits each has. */
const CODE_POINTS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads the scalar that opens at the source's position, and moves after its closing quote. */
export const readQuoted = (source: YamlSource): string =>
  source.code() === CHARACTER.single ? readSingle(source) : readDouble(source)

function readSingle(source: YamlSource): string {
  const { text } = source
  const opened = source.pos
  let read = ''
  let from = opened + 1
  for (let at = from; ;) {
    const code = source.code(at)
    if (Number.isNaN(code)) throw unclosed(source, opened)
    if (code === CHARACTER.single) {
      read += text.slice(from, at)
      if (source.code(at + 1) !== CHARACTER.single) {
        source.pos = at + 1
        return read
      }
      // Of a doubled quote, the second is the first character of the next piece.
      from = at + 1
      at += 2
    } else if (isBreak(code)) {
      const end = behindWhitespace(source, at)
      read += withoutBlanks(text.slice(from, at)) + folded(text.slice(at, end))
      from = at = end
    } else at++
  }
}

function readDouble(source: YamlSource): string {
  const { text } = source
  const opened = source.pos
  let read = ''
  let from = opened + 1
  for (let at = from; ;) {
    const code = source.code(at)
    if (Number.isNaN(code)) throw unclosed(source, opened)
    if (code === CHARACTER.double) {
      source.pos = at + 1
      return read + text.slice(from, at)
    }
    if (code === CHARACTER.backslash) {
      read += text.slice(from, at)
      if (isBreak(source.code(at + 1))) {
        const next = source.behindBreak(at + 1)
        from = at = behindWhitespace(source, next)
        read += breaksOf(text.slice(next, at))
      } else {
        const name = text.charAt(at + 1)
        const digits = CODE_POINTS[name] ?? 0
        read += ESCAPES[name] ?? codePoint(source, at, digits)
        from = at = at + 2 + digits
      }
    } else if (isBreak(code)) {
      const end = behindWhitespace(source, at)
      read += withoutBlanks(text.slice(from, at)) + folded(text.slice(at, end))
      from = at = end
    } else at++
  }
}

function codePoint(source: YamlSource, at: number, digits: number): string {
  const written = source.text.slice(at + 2, at + 2 + digits)
  const value = /^[0-9a-fA-F]+$/.test(written) ? parseInt(written, 16) : NaN
  if (digits === 0 || written.length < digits || !(value <= 0x10ffff)) {
    throw source.error('an unknown escape in a quoted scalar', at)
  }
  return String.fromCodePoint(value)
}

function behindWhitespace(source: YamlSource, from: number): number {
  let at = from
  while (isBlank(source.code(at)) || isBreak(source.code(at))) at++
  return at
}

/** The text without blanks and tabs at its end; other white space is text. */
export function withoutBlanks(text: string): string {
  let end = text.length
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

const unclosed = (source: YamlSource, opened: number) =>
  source.error('a quoted scalar has no end', opened)

/** Index after the closing quote of the scalar that opens at `from`, if that is before `end`; else -1. */
export function closedBefore(source: YamlSource, from: number, end: number): number {
  const quote = source.code(from)
  for (let at = from + 1; at < end; at++) {
    const code = source.code(at)
    if (quote === CHARACTER.double && code === CHARACTER.backslash) at++
    else if (code === quote) {
      if (quote === CHARACTER.double || source.code(at + 1) !== CHARACTER.single) return at + 1
      at++
    }
  }
  return -1
}
