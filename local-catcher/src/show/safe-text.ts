import { isUtf8 } from 'node:buffer'

// Cc is C0, DEL and C1; the other two ranges are the bidi overrides and isolates, which make a
// terminal show text in another order than it is.
const UNSAFE = /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u
const EVERY_UNSAFE = new RegExp(UNSAFE, 'gu')
// Nearly everything is this, and telling so is ten times as quick.
const PLAIN = /^[ -~]*$/
const TEXT_CONTROLS = [0x09, 0x0a, 0x0d]

/** One character as `\x1b` or `\u202e`. */
export function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0)
  return code < 256
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/** Text of several lines that cannot drive a terminal: all controls but tab and newline escaped. */
export const safeText = (text: string): string =>
  UNSAFE.test(text)
    ? text.replace(EVERY_UNSAFE, (c) => (c === '\n' || c === '\t' ? c : escapeCharacter(c)))
    : text

/** Text of one line that cannot drive a terminal: every control escaped, newline and tab too. */
export const safeLine = (text: string): string =>
  !PLAIN.test(text) && UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, escapeCharacter) : text

/** Header bytes reach Node as Latin-1; shown as UTF-8 where they are UTF-8. */
export function headerText(latin1: string): string {
  if (PLAIN.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return safeLine(isUtf8(bytes) ? bytes.toString('utf8') : latin1)
}

/** Bytes as safe text, each byte that is not UTF-8 as `\xNN` in its place. */
export function bytesToText(bytes: Buffer): string {
  if (isUtf8(bytes)) return safeText(bytes.toString('utf8'))
  let text = ''
  let shown = 0
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes, i)
    if (length === 0) {
      text += `${safeText(bytes.toString('utf8', shown, i))}\\x${bytes[i].toString(16)}`
      shown = i + 1
    }
    i += length || 1
  }
  return text + safeText(bytes.toString('utf8', shown))
}

/** The length of the UTF-8 sequence at `i`, or 0 where there is none. */
function sequenceLength(bytes: Buffer, i: number): number {
  const lead = bytes[i]
  if (lead < 0x80) return 1
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  return i + length <= bytes.length && isUtf8(bytes.subarray(i, i + length)) ? length : 0
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
  let odd = 0
  for (let i = 0; i < sample.length;) {
    const byte = sample[i]
    const length = sequenceLength(sample, i)
    if (length === 0 || byte === 0x7f || (byte < 0x20 && !TEXT_CONTROLS.includes(byte))) odd++
    i += length || 1
  }
  return odd * 10 > sample.length * 3
}
