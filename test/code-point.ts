/** Random texts. */

import fc from 'fast-check'

const SURROGATES = 0xd800
const COUNT = 0x800

/**
 * Any character of Unicode, as fast-check's unit `binary`. That one makes a table of all million of them before the first
 * text, to know which a text is made of; here that is computed.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10ffff - COUNT }).map(
  (n) => String.fromCodePoint(n < SURROGATES ? n : n + COUNT),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('no character')
    const point = text.codePointAt(0)!
    if (point >= SURROGATES && point < SURROGATES + COUNT) throw new Error('half a character')
    return point < SURROGATES ? point : point - COUNT
  },
)
