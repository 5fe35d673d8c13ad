// JSON, indented and coloured, every token as it was sent.
import { BAD, CLOSE, COLON, COMMA, JsonScanner, NUMBER, OPEN, STRING } from '../json-scanner.js'
import type { Paint } from './paint.js'
import { cutAtCharacter, safeLine } from './safe-text.js'

// Deeper containers keep this indentation, so that depth cannot multiply the size of what is shown.
const DEEPEST_INDENT = 32
// Shorter tokens are shown whole, whatever the limit.
const LONGEST_UNCUT = 64
const LARGEST_KEPT_SCRATCH = 1024 * 1024
// The most that one token adds beside its own bytes: line break, indentation and two colours.
const AROUND = 1 + 2 * DEEPEST_INDENT + 16

let scratch = Buffer.allocUnsafe(128 * 1024)

/**
 * Indents JSON by two spaces, changing nothing but the whitespace between tokens, and characters
 * that could drive a terminal. Prints about `limit` bytes at most, but checks the text to its end.
 * Gives `text`, how many bytes of the body it stands for (`shown`) and whether a character was
 * escaped, or what is wrong and where.
 */
export function layOutJson(bytes: Buffer, limit: number, paint: Paint) {
  const scanner = new JsonScanner(bytes)
  const painted = paint.reset !== ''
  let shown = bytes.length
  let out = scratch
  let at = 0
  let opened = false
  let escaped = false
  let kind = scanner.next()
  for (; kind > BAD && at < limit; kind = scanner.next()) {
    const { start, depth } = scanner
    const end = start + Math.min(scanner.end - start, Math.max(limit - at, LONGEST_UNCUT))
    // A character that is escaped takes at most four times its bytes.
    const most = at + (end - start) * 4 + AROUND
    if (most > out.length) out = Buffer.concat([out.subarray(0, at)], most * 2)
    if (kind === COMMA) {
      out[at++] = 0x2c
      at = breakLine(out, at, depth)
    } else if (kind === COLON) {
      out[at++] = 0x3a
      out[at++] = 0x20
    } else if (kind === CLOSE) {
      if (!opened) at = breakLine(out, at, depth)
      opened = false
      out[at++] = bytes[start]!
    } else {
      if (opened) at = breakLine(out, at, kind === OPEN ? depth - 1 : depth)
      opened = kind === OPEN
      const tinted = painted && kind !== OPEN
      if (tinted) at += out.write(colourOf(scanner, kind, paint), at, 'latin1')
      if (end < scanner.end) {
        const piece = cutAtCharacter(bytes.subarray(start, scanner.end), end - start)
        const given = piece.toString('utf8')
        const safe = safeLine(given)
        escaped ||= safe !== given
        at += out.write(safe, at)
        shown = start + piece.length
      } else if (kind === STRING && scanner.isDoubtful) {
        const given = bytes.toString('utf8', start, end)
        const safe = safeLine(given)
        escaped ||= safe !== given
        at += out.write(safe, at)
      } else {
        for (let i = start; i < end; i++) out[at++] = bytes[i]!
      }
      if (tinted) at += out.write(paint.reset, at, 'latin1')
      if (shown < bytes.length) break
    }
  }
  if (kind > BAD && shown === bytes.length) shown = scanner.start
  while (kind > BAD) kind = scanner.next()
  if (scanner.error) return scanner.error
  if (out.length <= LARGEST_KEPT_SCRATCH) scratch = out
  return { text: Buffer.from(out.subarray(0, at)), shown, escaped }
}

function breakLine(out: Buffer, at: number, depth: number): number {
  out[at++] = 0x0a
  const end = at + 2 * (depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT)
  while (at < end) out[at++] = 0x20
  return at
}

function colourOf(scanner: JsonScanner, kind: number, paint: Paint): string {
  if (scanner.isKey) return paint.key
  return kind === NUMBER ? paint.number : kind === STRING ? paint.string : paint.word
}
