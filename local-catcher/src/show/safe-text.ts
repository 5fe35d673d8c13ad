// Text that cannot drive a terminal.
import { isUtf8 } from 'node:buffer'

// Cc is C0, DEL and C1. The others are characters that nobody sees, or that change how others are seen: separators of
// lines, directions of text, tags. The service's log and MCP have the same rule (worker/lib/unseen.ts).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu
// Nearly everything is this, and telling so is ten times as quick.
const PLAIN = /^[ -~]*$/
// What has the form of a run of characters in UTF-8 of one length, in bytes read as Latin-1.
const UTF8_OR_BYTE =
  /[\x00-\x7f]+|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[^]/g

/** One character as `\x1b`, `\u202e` or `\u{e0041}`. */
function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  if (code.length > 4) return `\\u{${code}}`
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

/** Text of several lines that cannot drive a terminal: all controls but tab and newline escaped. */
export const safeText = (text: string): string =>
  text.replace(UNSAFE, (c) => (c === '\n' || c === '\t' ? c : escapeCharacter(c)))

/** Text of one line that cannot drive a terminal: every control escaped, newline and tab too. */
export const safeLine = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(UNSAFE, escapeCharacter)

/** JSON that cannot drive a terminal, and is read back as it was. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value)
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return PLAIN.test(json) ? json : json.replace(UNSAFE, (c) => c.replace(/[^]/g, escape))
}

/** Header bytes reach Node as Latin-1; shown as UTF-8 where they are UTF-8. */
export function headerText(latin1: string): string {
  if (PLAIN.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return safeLine(isUtf8(bytes) ? bytes.toString('utf8') : latin1)
}

/** Bytes as safe text, each byte that is not UTF-8 as `\xNN` in its place. */
export function bytesToText(bytes: Buffer): string {
  if (isUtf8(bytes)) return safeText(bytes.toString('utf8'))
  return bytes.toString('latin1').replace(UTF8_OR_BYTE, (sequence) => {
    const piece = Buffer.from(sequence, 'latin1')
    return isUtf8(piece) ? safeText(piece.toString()) : sequence.replace(/[^]/g, escapeCharacter)
  })
}

/** The longest start of `bytes` of at most `limit` bytes that does not end inside a character. */
export function cutAtCharacter(bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes
  let end = limit
  for (let back = 0; back < 3 && (bytes[end] & 0xc0) === 0x80; back++) end--
  return bytes.subarray(0, end)
}

/** True when showing `bytes` as text would be mostly escapes: the sign that they are binary. */
export function isMostlyBinary(bytes: Buffer): boolean {
  const sample = cutAtCharacter(bytes, 64 * 1024)
  if (sample.includes(0) && !isUtf8(sample)) return true
  const escapes = bytesToText(sample).match(/\\x(?!0d)/g) ?? []
  return escapes.length * 10 > sample.length * 3
}
