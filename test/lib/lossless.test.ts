import fc from 'fast-check'
import { codePoint } from '../code-point.ts'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../worker/lib/errors.ts'
import { canonicalText, jsonText, parseJson } from '../../worker/lib/lossless.ts'

describe('numbers come back as they were sent', () => {
  it.each([
    ['the largest unsigned 64-bit', '18446744073709551615'],
    ['a negative one', '-9223372036854775808'],
    ['the first that a double skips', '9007199254740993'],
    ['the last safe one', '9007199254740991'],
    ['in a list', '[1,18446744073709551615,2]'],
    ['in an object', '{"a":18446744073709551615,"b":[{"c":-99999999999999999999}]}'],
    ['as the last of an object', '{"a":18446744073709551615}'],
    ['beyond the range of doubles', '[1e999,-1E+400,2.5e308]'],
    ['beside a string of the same digits', '{"a":"18446744073709551615","b":18446744073709551615}'],
    [
      'beside strings that look like marks',
      '["\\u0000","\\u000018446744073709551615",18446744073709551615]',
    ],
    ['beside keys that look like marks', '{"\\u00001":18446744073709551615}'],
    ['beside escaped quotes', '["\\\\\\"18446744073709551615,",18446744073709551615,"\\\\"]'],
    ['beside half a surrogate pair', '["\\ud800",18446744073709551615]'],
    ['under a key named __proto__', '{"__proto__":18446744073709551615}'],
  ])('%s', (_name, text) => {
    expect(jsonText(parseJson(text))).toBe(text)
  })

  it('as numbers where a double has the same digits', () => {
    expect(parseJson('[1,9007199254740992,18446744073709552000]')).toEqual([
      1, 9_007_199_254_740_992, 18_446_744_073_709_552_000,
    ])
  })

  it('with blanks around them', () => {
    const text = ' { "a" : 18446744073709551615 , "b" : [ 18446744073709551616 ] } '
    expect(jsonText(parseJson(text))).toBe(text.replaceAll(' ', ''))
  })

  it('but zero has no sign', () => {
    expect(jsonText(parseJson('[-0,18446744073709551615]'))).toBe('[0,18446744073709551615]')
  })

  it('whatever stands around them', () => {
    const anything = fc.jsonValue({ maxDepth: 4, stringUnit: codePoint })
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const [head, tail] = [JSON.stringify(before), JSON.stringify(after)]
        const text = `[${head},18446744073709551615,${tail}]`
        expect(jsonText(parseJson(text))).toBe(text)
      }),
    )
  })
})

describe('text that is not JSON', () => {
  it.each([
    '',
    '{',
    '[18446744073709551615',
    '[018446744073709551615]',
    '"a\n18446744073709551615"',
  ])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})

it('numbers too big in lists too deep are refused, not a crash', () => {
  const text = `${'['.repeat(200_000)}18446744073709551615${']'.repeat(200_000)}`
  expect(() => parseJson(text)).toThrow(new SyntaxError('a value is nested too deep'))
})

describe('canonical text', () => {
  const nested = (levels: number) => parseJson('['.repeat(levels) + ']'.repeat(levels))

  it.each([
    ['sorts keys', '{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['sorts keys at every level', '[{"b":{"d":1,"c":2},"a":3}]', '[{"a":3,"b":{"c":2,"d":1}}]'],
    ['keeps the order of lists', '[2,1]', '[2,1]'],
    ['keeps the digits', '{"b":1,"a":18446744073709551615}', '{"a":18446744073709551615,"b":1}'],
    ['keeps NUL and half a surrogate pair', '"\\u0000\\udc00"', '"\\u0000\\udc00"'],
  ])('%s', (_name, text, expected) => {
    expect(canonicalText(parseJson(text))).toBe(expected)
  })

  it('refuses values that are nested too deep', () => {
    expect(() => canonicalText(nested(1001))).toThrow(CommandError)
    expect(canonicalText(nested(900))).toHaveLength(1800)
  })
})
