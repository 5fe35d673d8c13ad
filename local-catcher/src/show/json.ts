// JSON, indented and coloured, every token as it was sent.
import { BAD, CLOSE, END, JsonScanner, KEY, NUMBER, OPEN, STRING, WORD } from '../json-scanner.js'
import type { Paint } from './paint.js'
import { cutAtCharacter, safeLine } from './safe-text.js'

// Deeper containers keep this indentation, so that depth cannot multiply the size of what is shown.
const DEEPEST_INDENT = 32
// Shorter tokens are shown whole, whatever the limit.
const LONGEST_UNCUT = 64
// Copying four bytes at a time pays for the view that it needs from here on.
const LEAST_VIEWED = 1024
const LARGEST_KEPT_SCRATCH = 1024 * 1024
// The most that one token adds beside its own bytes: comma, line break, indentation, two colours.
const AROUND = 4 + 2 * DEEPEST_INDENT + 16

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

let scratch = Buffer.allocUnsafe(128 * 1024)
let scratchView = viewOf(scratch)

/**
 * Indents JSON by two spaces, changing nothing but the whitespace between tokens, and characters
 * that could drive a terminal. Prints about `limit` bytes at most, but checks the text to its end.
 * Gives `text`, how many bytes of the body it stands for (`shown`) and whether a character was
 * escaped, or what is wrong and where.
 */
export function layOutJson(bytes: Buffer, limit: number, paint: Paint) {
  const scanner = new JsonScanner(bytes)
  const colours = paint.reset === '' ? null : coloursOf(paint)
  let shown = 0
  const source = bytes.length < LEAST_VIEWED ? null : viewOf(bytes)
  let out = scratch
  let target = scratchView
  let at = 0
  let escaped = false
  let before: number = BAD
  let kind = scanner.next()
  for (; kind > BAD && at < limit; before = kind, kind = scanner.next()) {
    const { start, end, depth, isFirst } = scanner
    const length = Math.min(end - start, Math.max(limit - at, LONGEST_UNCUT))
    // A character that is escaped takes at most four times its bytes.
    const most = at + length * 4 + AROUND
    if (most > out.length) {
      out = Buffer.concat([out.subarray(0, at)], most * 2)
      target = viewOf(out)
    }
    shown = end
    if (kind === CLOSE) {
      if (!isFirst) at = breakLine(target, at, depth)
      out[at++] = bytes[start]
      continue
    }
    if (before === KEY) {
      out[at++] = 0x3a
      out[at++] = 0x20
    } else if (before !== BAD) {
      if (!isFirst) out[at++] = 0x2c
      at = breakLine(target, at, kind === OPEN ? depth - 1 : depth)
    }
    if (colours) at += out.write(colours[kind], at, 'latin1')
    if (length < end - start || scanner.isDoubtful) {
      const piece = cutAtCharacter(bytes.subarray(start, end), length)
      const given = piece.toString('utf8')
      const safe = safeLine(given)
      escaped ||= safe !== given
      at += out.write(safe, at)
      shown = start + piece.length
    } else if (source && end + 4 <= bytes.length) {
      const behind = at + length
      for (let i = start; at < behind; i += 4, at += 4) target.setUint32(at, source.getUint32(i))
      // The last four bytes may have gone beyond the token, where the next one will be written.
      at = behind
    } else {
      for (let i = start; i < end; i++) out[at++] = bytes[i]
    }
    if (colours && colours[kind] !== '') at += out.write(paint.reset, at, 'latin1')
    if (shown < end) break
  }
  if (kind === END) shown = bytes.length
  while (kind > BAD) kind = scanner.next()
  if (scanner.error) return scanner.error
  if (out.length <= LARGEST_KEPT_SCRATCH) [scratch, scratchView] = [out, target]
  return { text: Buffer.from(out.subarray(0, at)), shown, escaped }
}

/** Writes a line break and the indentation, four blanks at a time; gives where it ends. */
function breakLine(target: DataView, at: number, depth: number): number {
  target.setUint8(at, 0x0a)
  const end = at + 1 + 2 * (depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT)
  // What goes beyond the end is written over by the token.
  for (let i = at + 1; i < end; i += 4) target.setUint32(i, 0x20202020)
  return end
}

/** The colour of each kind of token. */
function coloursOf({ key, string, number, word }: Paint): readonly string[] {
  const colours = new Array<string>(WORD + 1).fill('')
  return Object.assign(colours, { [KEY]: key, [STRING]: string, [NUMBER]: number, [WORD]: word })
}
