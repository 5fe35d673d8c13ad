/** Reading YAML as Psych writes it. */

import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { isRecord, parseJson } from '../../worker/lib/lossless.ts'
import { parseYaml } from '../../worker/yaml/parse.ts'
import { YamlSource } from '../../worker/yaml/source.ts'
import { differenceIn } from './documents.ts'

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('')

describe('a document is parsed as', () => {
  test.each<[name: string, yaml: string, value: unknown]>([
    ['a mapping', lines('---', 'a: 1', 'b: text'), { a: 1, b: 'text' }],
    ['a mapping without a mark', lines('a: 1'), { a: 1 }],
    ['an indented mapping', lines('---', '  a: 1', '  b: 2'), { a: 1, b: 2 }],
    [
      'a sequence at the column of its key',
      lines('a:', '- 1', '- 2', 'b:'),
      { a: [1, 2], b: null },
    ],
    [
      'a sequence deeper than its key',
      lines('a: ', '  - 1', '  - - 2', '    - 3'),
      { a: [1, [2, 3]] },
    ],
    ['a mapping of an item', lines('- a: 1', '  b: 2', '-'), [{ a: 1, b: 2 }, null]],
    ['empty collections', lines('a: []', 'b: {}'), { a: [], b: {} }],
    [
      'words',
      lines('- yes', '- No', '- ~', '- NULL', '- on', '- y'),
      [true, false, null, null, true, 'y'],
    ],
    [
      'numbers',
      lines('- -7', '- 1_000', '- 0x1f', '- 0777', '- 1.5e-05'),
      [-7, 1000, 31, 511, 1.5e-5],
    ],
    [
      'no numbers',
      lines('- 1e5', '- 089', '- .', '- 1_', '- .nan'),
      ['1e5', '089', '.', '1_', 'NaN'],
    ],
    [
      'times as text',
      lines('- 2018-06-12 23:17:11.3 +02:00', '- 2026-01-01'),
      ['2018-06-12 23:17:11.3 +02:00', '2026-01-01'],
    ],
    [
      'symbols',
      lines('- :err', '- :"a b"', '- ! ":\\e"', '- ":a"', ':key: 1').replace(/:key.*\n/, ''),
      ['err', 'a b', '\u001b', ':a'],
    ],
    ['keys that are no text', lines('1: a', ':b: c', "'': d", '~: e'), { 1: 'a', b: 'c', '': 'e' }],
    [
      'a literal',
      lines('a: |-', '  one', '   two', '', '  three', 'b: 1'),
      { a: 'one\n two\n\nthree', b: 1 },
    ],
    [
      'literals by what ends them',
      lines('- |', '  a', '', '- |+', '  b', '', '- |-', '  c', ''),
      ['a\n', 'b\n\n', 'c'],
    ],
    ['a literal that begins with blanks', lines('a: |2-', '    x', '  y'), { a: '  x\ny' }],
    [
      'a folded text',
      lines('- >', '  one', '  two', '', '  three', '   four', '  five'),
      ['one two\nthree\n four\nfive\n'],
    ],
    [
      'a plain text of several lines',
      lines('a: one', '  two', '', '  three', 'b: 1'),
      { a: 'one two\nthree', b: 1 },
    ],
    [
      'quoted texts',
      lines('- "a\\tb \\x41\\u00e9\\U0001F600"', "- 'it''s'"),
      ['a\tb A\u00e9\u{1f600}', "it's"],
    ],
    [
      'quoted texts of several lines',
      lines('- "one', '  two \\', '  three"', "- 'a", '', "  b'"),
      ['one two three', 'a\nb'],
    ],
    [
      'separators of lines',
      lines("- 'a\u2028  b'", '- |-', '  c\u2029  d'),
      ['a\u2028b', 'c\u2029d'],
    ],
    [
      'a complex key',
      lines('? |-', '  a', '  b', ': c: 1', '  d: 2', 'e: 3'),
      { 'a\nb': { c: 1, d: 2 }, e: 3 },
    ],
    [
      'aliases',
      lines('a: &1', '- x', 'b: *1', 'c: &2 {}', 'd: *2'),
      { a: ['x'], b: ['x'], c: {}, d: {} },
    ],
    ['an empty value behind a tag', lines('a: !x', 'b:'), { a: '', b: null }],
    ['bytes', lines('- !binary |-', '  w6k=', '- !binary "6Q=="'), ['\u00e9', '\u00e9']],
    [
      'objects',
      lines('- !ruby/object:Set', '  hash:', '    a: true', '- !ruby/sym b'),
      [{ hash: { a: true } }, 'b'],
    ],
    [
      'hashes with more',
      lines('a: !ruby/hash-with-ivars', '  elements:', '    b: 1', '  ivars: {}'),
      { a: { b: 1 } },
    ],
    ['lines that end in CR LF', '---\r\na: |\r\n  b\r\n  c\r\nd: e\r\n', { a: 'b\nc\n', d: 'e' }],
    ['the end of a document', lines('---', 'a: 1', '...'), { a: 1 }],
    ['a document that stops in its last line', 'a: |-\n  b', { a: 'b' }],
    ['nothing', '', null],
  ])('%s', (_, yaml, value) => {
    expect(parseYaml(yaml).value).toEqual(value)
  })

  test('a key of JavaScript\u2019s own', () => {
    const { value } = parseYaml('__proto__:\n  a: 1\n')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('integers to the last digit', () => {
    expect(
      differenceIn(
        '- 9007199254740993\n- -0x20000000000001\n',
        parseJson('[9007199254740993,-9007199254740993]'),
      ),
    ).toBeNull()
  })

  test('a line on which a hundred tagged lists begin, scanned once', () => {
    const items = '- !a '.repeat(99)
    const scans = vi.spyOn(YamlSource.prototype, 'isDelimited')
    parseYaml(`---\n${items}${'x:'.repeat(10_000)}\n`)
    expect(scans.mock.calls.length).toBeLessThan(3 * 10_000)
    scans.mockRestore()
  })

  test('its tag', () => {
    expect(parseYaml('--- !ruby/object:Puppet::Transaction::Report\nhost: a\n')).toEqual({
      tag: '!ruby/object:Puppet::Transaction::Report',
      value: { host: 'a' },
      line: 2,
    })
  })
})

describe('unsupported YAML is refused with line and reason', () => {
  test.each([
    ['a: 1\nb', 'line 2: a line is neither a key with its value nor an item'],
    ['a: 1\n"b" c: 1', 'line 2: a key has no colon after it'],
    ['a:\n  b: 1\n    c: 2\n', 'line 3: a key is indented deeper than the lines before it'],
    ['a:\n  b: []\n    c: 2\n', 'line 3: the line is indented deeper than the lines before it'],
    ['a: "b\nc\n', 'line 1: a quoted scalar has no end'],
    ['a: "\\q"\n', 'line 1: an unknown escape in a quoted scalar'],
    ['a: "\\U00110000"\n', 'line 1: an unknown escape in a quoted scalar'],
    ['a: [1, 2]\n', 'line 1: of collections in brackets only [] is known'],
    ['a: *1\n', 'line 1: an alias without an anchor before it'],
    ['a: &1\n- *1\n', 'line 2: an alias without an anchor before it'],
    ['a: "b" c\n', 'line 1: the line continues where it should end'],
    ['a: |9x\n  b\n', 'line 1: an unknown header of a block scalar'],
    ['? - a\n: b\n', 'line 1: a key is a collection'],
    ['a: - b\n', 'line 1: a collection begins where a value is expected'],
    ['a: @b\n', "line 1: a value can't begin with @"],
    ['a: `b\n', "line 1: a value can't begin with `"],
    ['a: %b\n', "line 1: a value can't begin with %"],
    ['a: #b\n', "line 1: a value can't begin with #"],
    ['---\na: 1\n---\nb: 2\n', 'line 3: a second document begins'],
    ['{"json": true}', 'line 1: of collections in brackets only {} is known'],
  ])('%j', (yaml, reason) => {
    expect(() => parseYaml(yaml)).toThrow(`The YAML can't be read: ${reason}.`)
  })

  test('what is nested without end', () => {
    expect(() => parseYaml('- '.repeat(1_000_000))).toThrow('nested deeper than 100 levels')
  })

  test('what aliases nest deeper than the text does', () => {
    const links = Array.from({ length: 120 }, (_, level) =>
      level === 0 ? '- &0\n  - x' : `- &${level}\n  - *${level - 1}`,
    )
    expect(() => parseYaml(lines(...links))).toThrow('nested deeper than 100 levels')
    expect(() => parseYaml(lines(...links.slice(0, 90)))).not.toThrow()
  })

  test('more values and more collections than an isolate can hold', () => {
    expect(() => parseYaml('- a\n'.repeat(1_000_001))).toThrow('there are more than 1000000 values')
    expect(() => parseYaml(`- ${'- '.repeat(49)}a\n`.repeat(6000))).toThrow(
      'there are more than 250000 collections',
    )
  })

  test('aliases that stand for more than anybody can hold', () => {
    const bomb = ['- &0 [x]'.replace('[x]', '\n  - x')]
    for (let level = 1; level < 40; level++) {
      bomb.push(`- &${level}`, ...Array.from({ length: 5 }, () => `  - *${level - 1}`))
    }
    expect(() => parseYaml(lines(...bomb))).toThrow('aliases expand to more than')
  })
})

test('some hundred documents of nasty texts, as Psych reads them', () => {
  const recorded = readFileSync('test/fixtures/psych.ndjson', 'utf8')
  const documents = recorded.trim().split('\n').map(parseJson).filter(isRecord)
  expect(documents.length).toBeGreaterThan(300)
  const wrong = documents.map(({ yaml, json }) => differenceIn(String(yaml), json ?? null))
  expect(wrong.filter((sentence) => sentence !== null)).toEqual([])
})

describe('entries that are passed over', () => {
  const yaml = lines(
    'before: 1',
    'things:',
    '  one:',
    '    state: good',
    '    text: |-',
    '      state: bad',
    '    list:',
    '    - state',
    '  two:',
    '    state: bad',
    '  "three": !ruby/object:Thing',
    '    state: good',
    '',
    '  ? |-',
    '    fo',
    '    ur',
    '  : state: good',
    '    more: 1',
    '  five: ~',
    'after: 2',
  )
  const passing = (text: string): { value: unknown; seen: string[] } => {
    const seen: string[] = []
    const { value } = parseYaml(text, {
      under: 'things',
      keys: ['state', 'list'],
      decide([state, list], name) {
        seen.push(`${name()} ${state} ${list}`)
        return state === 'good'
      },
    })
    return { value, seen }
  }

  test('are those whose own lines say so; complex keys and values that are no mapping are read', () => {
    expect(passing(yaml)).toEqual({
      value: {
        before: 1,
        things: { two: { state: 'bad' }, 'fo\nur': { state: 'good', more: 1 }, five: null },
        after: 2,
      },
      seen: ['one good ', 'two bad null', 'three good null'],
    })
  })

  test('change nothing of what else is read', () => {
    const whole = parseYaml(yaml).value as Record<string, unknown>
    const things = whole['things'] as Record<string, unknown>
    delete things['one']
    delete things['three']
    expect(passing(yaml).value).toEqual(whole)
  })

  test('are none where aliases may need them', () => {
    const shared = lines(
      'things:',
      '  one:',
      '    state: good',
      '    list: &1',
      '    - a',
      'after: *1',
    )
    expect(passing(shared).value).toEqual({
      things: { one: { state: 'good', list: ['a'] } },
      after: ['a'],
    })
  })
})
