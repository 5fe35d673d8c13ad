/** How many values a JSON text has, before it is parsed: in memory each takes many times its bytes. */

const [QUOTE, BACKSLASH, COMMA, LIST, MAP] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/**
 * Whether a text has more than `most` values. Counts commas and opening brackets outside of strings, so that a map of two
 * entries counts as two. Texts that aren't JSON give any answer.
 */
export function hasMoreValues(text: Uint8Array, most: number): boolean {
  // A value takes two bytes at least.
  if (text.length < 2 * most) return false
  let count = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA || byte === LIST || byte === MAP) count++
  }
  return count > most
}
