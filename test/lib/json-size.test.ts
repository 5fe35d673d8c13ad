import { expect, it } from 'vitest'
import { hasMoreValues } from '../../worker/lib/json-size.ts'

it.each([
  ['[1,2,3]', 3],
  ['{"a":1,"b":[]}', 3],
  ['[",[{",1,"x"]', 3],
  [String.raw`["\",[{",1,"\\",2]`, 4],
  ['[[[[]]]]', 4],
  ['"a text"', 0],
])('%s counts as %i values', (text, count) => {
  const bytes = new TextEncoder().encode(text)
  expect(hasMoreValues(bytes, count)).toBe(false)
  if (count > 0) expect(hasMoreValues(bytes, count - 1)).toBe(true)
})
