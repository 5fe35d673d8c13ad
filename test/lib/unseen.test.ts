/** Characters that nobody sees are escaped as JSON escapes them. */

import { expect, it } from 'vitest'
import { asVisible } from '../../worker/lib/unseen.ts'

it.each([
  ['a\u0007b', '\\u0007'],
  ['a\u00adb', '\\u00ad'],
  ['a\u202eb', '\\u202e'],
  ['a\u{e0041}b', String.raw`\udb40\udc41`],
  ['aéb', 'é'],
])('%j', (text, shown) => {
  expect(asVisible(text)).toBe(`a${shown}b`)
  expect(JSON.parse(`"${asVisible(text)}"`)).toBe(text)
})
