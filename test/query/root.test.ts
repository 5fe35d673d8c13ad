import { describe, expect, it } from 'vitest'
import { toJson } from '../../worker/query/print.ts'
import { parseRootQuery } from '../../worker/query/root.ts'

describe('the text of a root query', () => {
  it.each([
    ['["from","reports",["limit",1]]'],
    ['\n [ "from" , "reports" , ["limit",1]]'],
    ['reports { limit 1 }'],
    ['\t reports{limit 1}'],
  ])('%j may be JSON or PQL', (text) => {
    expect(toJson(parseRootQuery(text))).toEqual(['from', 'reports', ['limit', 1]])
  })

  it.each([
    ['["from"', /^Json parse error/],
    ['null', /^PQL parse error/],
    ['{"a":1}', /^PQL parse error/],
  ])('%s is refused in the words of its syntax', (text, message) => {
    expect(() => parseRootQuery(text)).toThrow(message)
  })
})
