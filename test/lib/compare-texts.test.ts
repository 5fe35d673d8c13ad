/** Texts are ordered by their bytes. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareTexts } from '../../worker/lib/compare-texts.ts'
import { codePoint } from '../code-point.ts'

const character = fc.oneof(
  codePoint,
  fc.constantFrom(
    '',
    'a',
    'b',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{1f600}',
    '\u{1f601}',
  ),
)
const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''))

it('compares texts as their bytes are compared', () => {
  fc.assert(
    fc.property(text, text, text, (head, one, other) => {
      const [left, right] = [head + one, head + other]
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right))
      expect(Math.sign(compareTexts(left, right))).toBe(bytes)
    }),
  )
})
