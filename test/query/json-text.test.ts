import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonSequence } from '../../worker/query/json-text.ts'

describe('JSON text', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(parseJsonSequence(text)).toEqual([JSON.parse(text)])
      }),
    )
  })

  it.each([
    ['-0', [-0]],
    ['1.5e+3', [1500]],
    ['"\\ud83d\\ude00\\u00e9"', ['😀é']],
    ['{"__proto__":1}', [JSON.parse('{"__proto__":1}')]],
    ['{"a":1,"a":2}', [{ a: 2 }]],
    ['[] {} null', [[], {}, null]],
    ['["a\nb\tc"]', [['a\nb\tc']]],
  ])('%s', (text, expected) => {
    expect(parseJsonSequence(text)).toStrictEqual(expected)
  })
})

const VALUE = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

/** Text, column, and reason; the line and the caret below the last character read are implied. */
describe('text that is not JSON is refused in PuppetDB’s words:', () => {
  it.each([
    [
      '["=" ',
      6,
      'Unexpected end-of-input: expected close marker for Array (start marker at [Source: (StringReader); line: 1, column: 1])',
    ],
    ['["a', 4, 'Unexpected end-of-input: was expecting closing quote for a string value'],
    ['["a\\', 5, 'Unexpected end-of-input in character escape sequence'],
    ['{"a":', 6, 'Unexpected end-of-input within/between Object entries'],
    ['{', 2, 'Unexpected end-of-input within/between Object entries'],
    [
      '["a" "b"]',
      7,
      `Unexpected character ('"' (code 34)): was expecting comma to separate Array entries`,
    ],
    ['["a",]', 7, `Unexpected character (']' (code 93)): expected a valid value ${VALUE}`],
    ['[,]', 3, `Unexpected character (',' (code 44)): expected a valid value ${VALUE}`],
    ["['a']", 3, `Unexpected character (''' (code 39)): expected a valid value ${VALUE}`],
    [
      '{a:1}',
      3,
      "Unexpected character ('a' (code 97)): was expecting double-quote to start field name",
    ],
    [
      '{"a" 1}',
      7,
      "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value",
    ],
    ['[truex]', 7, `Unrecognized token 'truex': was expecting ${VALUE}`],
    ['reports{}', 8, `Unrecognized token 'reports': was expecting ${VALUE}`],
    ['["a\\x"]', 6, "Unrecognized character escape 'x' (code 120)"],
    [
      '["a\\u12"]',
      9,
      `Unexpected character ('"' (code 34)): expected a hex-digit for character escape sequence`,
    ],
    ['[01]', 3, 'Invalid numeric value: Leading zeroes not allowed'],
    [
      '[-]',
      4,
      "Unexpected character (']' (code 93)) in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value",
    ],
    ['[1e999]', 7, 'Numeric value is too large'],
    [
      '[1a]',
      4,
      "Unexpected character ('a' (code 97)): was expecting comma to separate Array entries",
    ],
    [
      '["a"}',
      6,
      "Unexpected close marker '}': expected ']' (for Array starting at [Source: (StringReader); line: 1, column: 1])",
    ],
  ])('%s', (text, column, reason) => {
    const caret = ' '.repeat(column - 2) + '^'
    expect(() => parseJsonSequence(text)).toThrow(
      expect.objectContaining({
        name: 'QueryError',
        message: `Json parse error at line 1, column ${column}:\n\n${text}\n${caret}\n\n${reason}`,
      }),
    )
  })

  it('by the line it is in', () => {
    expect(() => parseJsonSequence('["=",\n "a",\n x]')).toThrow(
      `Json parse error at line 3, column 3:\n\n x]\n ^\n\nUnrecognized token 'x'`,
    )
  })

  it.each([
    '[1.]',
    '[1e]',
    '[1.5e+]',
    ']',
    '[1]]',
    '[1.5.2]',
    '[+1]',
    '[.5]',
    '[NaN]',
    '{"a":1,}',
    '\u00a0[]',
  ])('%s', (text) => {
    expect(() => parseJsonSequence(text)).toThrow(/^Json parse error at line 1, column \d+:\n\n/)
  })

  it('with a piece of the line where the line is long', () => {
    const filler = 'x'.repeat(1000)
    const text = `["${filler}",,"${filler}"]`
    const at = /column 1006:\n\n(?<line>.*)\n(?<blanks> *)\^\n/
    const found = at.exec(errorOf(text))!.groups!
    expect(found['line']!.length).toBeLessThan(200)
    expect(found['line']).toMatch(/^…x+",,"x+…$/)
    expect(found['line']![found['blanks']!.length]).toBe(',')
  })
})

function errorOf(text: string): string {
  try {
    parseJsonSequence(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was wrong')
}
