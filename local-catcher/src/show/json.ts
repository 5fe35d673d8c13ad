// JSON, indented and coloured, every token as it was sent.
import { BAD, CLOSE, END, JsonScanner, KEY, NUMBER, OPEN, STRING, WORD } from '../json-scanner.js'
import type { Paint } from './paint.js'
import { cutAtCharacter, safeLine } from './safe-text.js'

// Deeper containers keep this indentation, so that depth cannot multiply the size of what is shown.
const DEEPEST_INDENT = 32
// Shorter tokens are shown whole, whatever the limit.
const LONGEST_UNCUT = 64
// The most that one token adds beside its own bytes: comma, line break, indentation, two colours.
const AROUND = 4 + 2 * DEEPEST_INDENT + 16

/**
 * Indents JSON by two spaces, changing nothing but the whitespace between tokens, and characters
 * that could drive a terminal. Prints about `limit` bytes at most, but checks the text to its end.
 * Gives `text` and how many bytes of the body it stands for (`shown`), or what is wrong and where.
 */
export function layOutJson(bytes: Buffer, limit: number, paint: Paint) {
  const scanner = new JsonScanner(bytes)
  const colours = paint.reset === '' ? null : coloursOf(paint)
  let shown = 0
  let out = Buffer.allocUnsafe(2 * Math.min(bytes.length, limit) + AROUND)
  let at = 0
  let before: number = BAD
  let kind = scanner.next()
  for (; kind > BAD && at < limit; before = kind, kind = scanner.next()) {
    const { start, end, depth, isFirst } = scanner
    const length = Math.min(end - start, Math.max(limit - at, LONGEST_UNCUT))
    // A character that is escaped takes at most four times its bytes.
    const most = at + length * 4 + AROUND
    if (most > out.length) out = Buffer.concat([out.subarray(0, at)], most * 2)
    shown = end
    if (kind === CLOSE) {
      if (!isFirst) at = breakLine(out, at, depth)
      out[at++] = bytes[start]
      continue
    }
    if (before === KEY) {
      out[at++] = 0x3a
      out[at++] = 0x20
    } else if (before !== BAD) {
      if (!isFirst) out[at++] = 0x2c
      at = breakLine(out, at, kind === OPEN ? depth - 1 : depth)
    }
    if (colours) at = put(out, colours[kind], at)
    if (length < end - start || scanner.isDoubtful) {
      const piece = cutAtCharacter(bytes.subarray(start, end), length)
      at += out.write(safeLine(piece.toString('utf8')), at)
      shown = start + piece.length
    } else {
      for (let i = start; i < end; i++) out[at++] = bytes[i]
    }
    if (colours && colours[kind] !== '') at = put(out, paint.reset, at)
    if (shown < end) break
  }
  if (kind === END) shown = bytes.length
  while (kind > BAD) kind = scanner.next()
  if (scanner.error) return scanner.error
  return { text: out.subarray(0, at), shown }
}

/** Writes a line break and the indentation; gives where it ends. */
function breakLine(out: Buffer, at: number, depth: number): number {
  out[at++] = 0x0a
  for (let left = 2 * Math.min(depth, DEEPEST_INDENT); left > 0; left--) out[at++] = 0x20
  return at
}

/** Writes ASCII, of a few bytes, for which a call into Node is dear; gives where it ends. */
function put(out: Buffer, text: string, at: number): number {
  for (let i = 0; i < text.length; i++) out[at++] = text.charCodeAt(i)
  return at
}

/** The colour of each kind of token. */
function coloursOf({ key, string, number, word }: Paint): readonly string[] {
  const colours = new Array<string>(WORD + 1).fill('')
  return Object.assign(colours, { [KEY]: key, [STRING]: string, [NUMBER]: number, [WORD]: word })
}
