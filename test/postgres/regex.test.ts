import { describe, expect, it } from 'vitest'
import { QueryError } from '../../worker/lib/errors.ts'
import {
  MAX_LENGTH,
  MAX_LOOKAROUNDS,
  MAX_STATES,
  anyOf,
  matcher,
  readPattern,
} from '../../worker/postgres/regex/regex.ts'
import { StepBudget } from '../../worker/postgres/regex/step-budget.ts'
import { MAX_DEPTH } from '../../worker/postgres/regex/parser.ts'
import recorded from '../fixtures/regex.json'

/** A pattern of the characters with these names, one after the other. */
const collating = (names: string): string =>
  `^${names.replace(/[^ ]+ ?/g, (name) => `[[.${name.trim()}.]]`)}$`

const matches = (pattern: string, text: string) => matcher(readPattern(pattern))(text)

// Every answer and every sentence that begins with ERROR was recorded from PostgreSQL 15, UTF-8, C locale.

describe.each<[what: string, pattern: string, found: string[], notFound: string[]]>([
  ['is found anywhere', 'b.d', ['abcd', 'b\nd'], ['bd', 'B.D']],
  ['ends are the ends of the text', '^b$', ['b'], ['a\nb', 'b\n', 'ab']],
  ['newline-sensitive: ends are those of lines', '(?n)^b$', ['b', 'a\nb\nc'], ['ab']],
  ['newline-sensitive: a dot stops at them', '(?n)a.c', ['abc'], ['a\nc']],
  ['partly: only the dot', '(?p)^b.$', ['bc'], ['b\n', 'a\nbc']],
  ['weirdly: only the ends', '(?w)^b.c$', ['b\nc', 'a\nbxc'], ['xb\nc']],
  ['case counts', 'redhat', ['redhat'], ['RedHat']],
  ['ignoring case', '(?i)redhat', ['RedHat', 'REDHAT'], ['red hat']],
  ['ignoring case, ASCII only', '(?i)é', ['é'], ['É']],
  ['ignoring case in ranges and classes', '(?i)^[a-b][[:upper:]]$', ['Bz', 'aZ'], ['c1']],
  ['expanded', '(?x) a \\ b # c', ['a b'], ['ab']],
  ['quoted by option', '(?q)a.b', ['xa.bx'], ['axb']],
  ['quoted by director', '***=(?i)a', ['(?i)a'], ['A']],
  ['ARE by director', '***:a+', ['aa'], ['b']],
  ['word start', '\\mfoo', ['a foo', 'foo'], ['afoo']],
  ['word start by POSIX', '[[:<:]]foo', ['a foo'], ['afoo']],
  ['word end', 'foo\\M', ['foo.'], ['foobar']],
  ['word end by POSIX', 'foo[[:>:]]', ['foo.'], ['foo_']],
  ['word edge', '\\yfoo\\y', ['-foo-'], ['foo1', 'éfoo_']],
  ['no word edge', '\\Yoo', ['foo'], ['oo']],
  ['text start and end', '\\Aa\\Z', ['a'], ['a\n', 'ba']],
  ['\\b is a backspace', '\\ba', ['\ba'], ['a']],
  ['\\B is a backslash', '^\\B$', ['\\'], ['a']],
  ['classes are ASCII', '^[\\w-]+$', ['web_01-a'], ['é', 'a b']],
  ['negated classes', '^\\D\\S\\W$', ['ab-', 'éé '], ['1b-', 'ab1']],
  ['negated class in brackets', '^[\\D1]+$', ['a1é'], ['2']],
  ['POSIX classes', '^[[:alpha:][:punct:]]+$', ['a.b'], ['a1', 'é']],
  ['negated set of classes', '^[^[:space:][:digit:]]+$', ['a.é'], ['a 1']],
  ['closing bracket first', '^[]a]+$', [']a'], ['b']],
  ['closing bracket first, negated', '^[^]a]+$', ['b['], [']']],
  ['dash at either end', '^[-a-]+$', ['a-'], ['b']],
  ['collating element', '^[[.a.]-c[.space.]]+$', ['b a'], ['d']],
  [
    'collating elements with several names',
    '^[[.alert.]][[.BEL.]][[.tab.]][[.HT.]][[.full-stop.]][[.period.]][[.low-line.]][[.underscore.]]$',
    ['\x07\x07\t\t..__'],
    ['\x07\x07\n\n..__'],
  ],
  [
    'names of control characters',
    collating(
      'alert backspace tab newline vertical-tab form-feed carriage-return FS GS RS US hyphen-minus full-stop',
    ),
    ['\x07\b\t\n\v\f\r\x1c\x1d\x1e\x1f-.'],
    ['\x07\b\t\n\v\f\n\x1c\x1d\x1e\x1f-.'],
  ],
  [
    'names of signs',
    collating(
      'exclamation-mark quotation-mark number-sign dollar-sign percent-sign ampersand apostrophe left-parenthesis right-parenthesis asterisk plus-sign comma hyphen slash solidus',
    ),
    ['!"#$%&\'()*+,-//'],
    ['!"#$%&\'()*+,-/.'],
  ],
  [
    'names of digits, brackets and other signs',
    collating(
      'zero nine colon semicolon less-than-sign equals-sign greater-than-sign question-mark commercial-at left-square-bracket reverse-solidus right-square-bracket circumflex-accent grave-accent left-curly-bracket vertical-line right-curly-bracket tilde',
    ),
    ['09:;<=>?@[\\]^`{|}~'],
    ['09:;<=>?@[/]^`{|}~'],
  ],
  ['negated set around one character', '^[^ac]$', ['b', 'd', '\x01'], ['a', 'c']],
  ['equivalence class', '^[[=a=]]$', ['a'], ['á', 'b']],
  ['counts', '^a{2,3}b{2}c{1,}$', ['aabbc', 'aaabbcc'], ['abbc', 'aaaabbc']],
  ['a count of none', '^ab{0}c$', ['ac'], ['abc']],
  ['a brace without a count is a brace', 'a{b{,2}', ['a{b{,2}'], ['abb']],
  ['a count of counts', '^(a{40}){40}$', ['a'.repeat(1600)], ['a'.repeat(1599)]],
  ['hexadecimal', '\\x41\\u0042\\U00000043', ['ABC'], ['abc']],
  ['hexadecimal beyond 32 bits, of which it has the last', '\\x700000041', ['A'], ['a']],
  ['octal', '^\\101\\012$', ['A\n'], ['A']],
  ['octal of three digits at most, up to \\377', '^\\400$', [' 0'], ['Ā']],
  ['control characters', '^\\cA\\e\\a\\f\\r\\t\\v$', ['\x01\x1b\x07\f\r\t\v'], ['A']],
  ['characters of two code units', '^.[😀-😂]$', ['é😁', '😀😀'], ['😁', 'é😃']],
  ['empty branches', '^(a|)$', ['a', ''], ['b']],
  ['empty groups', '^()a(|)$', ['a'], ['']],
  ['comments', 'a(?#b)c', ['ac'], ['abc']],
  ['very many comments', `a${'(?#b)'.repeat(10_000)}c`, ['ac'], ['abc']],
  ['lazy quantifiers find as much', '^a+?b*?c??$', ['aab', 'ac'], ['b']],
  ['not followed', '^(?!web)', ['db1', ''], ['web1']],
  ['not followed, inside', 'a(?!b)', ['aba', 'ac'], ['abab']],
  ['followed', '^(?=.*prod)(?=.*web)', ['web.prod', 'prod.web'], ['web']],
  ['preceded', '(?<=fra)3', ['fra3'], ['fr3']],
  ['not preceded', '(?<!a)b', ['b', 'cb'], ['ab']],
  ['nested', '(?=a(?!b(?=c)))a', ['abd', 'a'], ['abc']],
  ['lookaround that sees the ends', '(?<=^a)b(?=c$)', ['abc'], ['xabc', 'abcd']],
  ['lookaround repeated', '^((?=[ab]).)+$', ['abba'], ['abc']],
])('%s: %s', (_what, pattern, found, notFound) => {
  it.each(found)('finds %j', (text) => expect(matches(pattern, text)).toBe(true))
  it.each(notFound)('does not find %j', (text) => expect(matches(pattern, text)).toBe(false))
})

describe('plain texts need no engine', () => {
  it.each([
    ['', { kind: 'any' }],
    ['.*', { kind: 'any' }],
    ['^', { kind: 'any' }],
    ['a?b*|', undefined],
    ['^abc$', { kind: 'equals', text: 'abc' }],
    ['^$', { kind: 'equals', text: '' }],
    ['^abc', { kind: 'prefix', text: 'abc' }],
    ['^abc.*', { kind: 'prefix', text: 'abc' }],
    ['^abc.*$', { kind: 'prefix', text: 'abc' }],
    ['\\.example\\.com$', { kind: 'suffix', text: '.example.com' }],
    ['^.*\\.com$', { kind: 'suffix', text: '.com' }],
    ['abc', { kind: 'contains', text: 'abc' }],
    ['^.*nginx.*$', { kind: 'contains', text: 'nginx' }],
    ['(a)(?:b)[c]{2}', { kind: 'contains', text: 'abcc' }],
    ['***=^a', { kind: 'contains', text: '^a' }],
    ['^(a|b)$', { kind: 'one-of', texts: ['a', 'b'] }],
    ['^a$|^b$', { kind: 'one-of', texts: ['a', 'b'] }],
    ['^pg[12]\\.vm$', { kind: 'one-of', texts: ['pg1.vm', 'pg2.vm'] }],
    ['^(a|a)$', { kind: 'equals', text: 'a' }],
    ['(?n)^abc', undefined],
    ['(?n).*', undefined],
    ['web.', undefined],
    ['^web|db', undefined],
    ['(?i)a', undefined],
  ])('%j', (pattern, expected) =>
    expect(readPattern(pattern)).toEqual(expected ?? expect.objectContaining({ kind: 'regex' })),
  )

  it.each(['any', '^abc$', '^abc', 'abc$', 'abc', '^(abc|xabc)$', '^a[b]c'])(
    '%j answers as the engine would',
    (pattern) => {
      // An empty look ahead is true everywhere and keeps the pattern from being taken for a text.
      const engine = matcher(readPattern(`(?=)(?:${pattern})`))
      for (const text of ['', 'abc', 'xabc', 'abcx', 'xabcx', 'ab', 'any'])
        expect([text, matches(pattern, text)]).toEqual([text, engine(text)])
    },
  )
})

describe('patterns that PostgreSQL refuses are refused in its words', () => {
  it.each([
    ['[]', 'brackets [] not balanced'],
    ['[abc', 'brackets [] not balanced'],
    ['[a-', 'brackets [] not balanced'],
    ['[[:alpha:', 'brackets [] not balanced'],
    ['(', 'parentheses () not balanced'],
    [')', 'parentheses () not balanced'],
    ['(?=a', 'parentheses () not balanced'],
    ['*abc', 'quantifier operand invalid'],
    ['a**', 'quantifier operand invalid'],
    ['a|*b', 'quantifier operand invalid'],
    ['(*a)', 'quantifier operand invalid'],
    ['^*', 'quantifier operand invalid'],
    ['{1}', 'quantifier operand invalid'],
    ['(?=a)*', 'quantifier operand invalid'],
    ['(?<n>web)', 'quantifier operand invalid'],
    ['***a', 'quantifier operand invalid'],
    ['a{1', 'braces {} not balanced'],
    ['a{1a}', 'invalid repetition count(s)'],
    ['a{2,1}', 'invalid repetition count(s)'],
    ['a{256}', 'invalid repetition count(s)'],
    ['\\q', 'invalid escape \\ sequence'],
    ['a\\', 'invalid escape \\ sequence'],
    ['\\u12', 'invalid escape \\ sequence'],
    ['[\\m]', 'invalid escape \\ sequence'],
    ['[z-a]', 'invalid character range'],
    ['[a-c-e]', 'invalid character range'],
    ['[a-\\d]', 'invalid character range'],
    ['[[:letter:]]', 'invalid character class'],
    ['[[.letter.]]', 'invalid collating element'],
    ['(?z)a', 'invalid embedded option'],
    ['\\1(a)', 'invalid backreference number'],
    ['(?=(a)\\1)', 'invalid backreference number'],
    ['***?', 'invalid regexp (reg version 0.8)'],
  ])('%j', (pattern, sentence) =>
    expect(() => readPattern(pattern)).toThrow(
      new QueryError(`ERROR: invalid regular expression: ${sentence}`),
    ),
  )
})

describe('unsupported patterns are refused with the reason', () => {
  it.each([
    ['a back-reference', '(a)\\1', 'refers back to a group (\\1)'],
    ['one of two digits', `${'(a)'.repeat(10)}\\10`, 'refers back to a group (\\10)'],
    ['a basic regular expression', '(?b)a', 'older kind of regular expression'],
    ['text that is none', 'a\0', 'invalid byte sequence'],
    ['half a character', '\ud800', 'invalid byte sequence'],
    ['length', 'a'.repeat(MAX_LENGTH + 1), `${MAX_LENGTH} characters`],
    [
      'counts of counts of one character',
      '((((a{255}){255}){255}){255}){255}',
      `${MAX_STATES} states`,
    ],
    ['counts of counts', '(([ab]{255}){255}){255}', `${MAX_STATES} states`],
    ['depth', `${'('.repeat(MAX_DEPTH + 1)}a${')'.repeat(MAX_DEPTH + 1)}`, `${MAX_DEPTH} levels`],
    ['many looks', '(?=.*a)'.repeat(MAX_LOOKAROUNDS + 1), `${MAX_LOOKAROUNDS} times`],
  ])('%s', (_what, pattern, sentence) => {
    expect(() => readPattern(pattern)).toThrow(QueryError)
    expect(() => readPattern(pattern)).toThrow(sentence)
  })
})

/** Pseudo-random, so that an automaton meets ever new states. */
function drawn(length: number, letters: string): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return letters[(state >> 8) % letters.length]
  }).join('')
}

// The last character of each pattern is one of two, so that no text can be ruled out for lacking it.
describe('matching takes time linear in the text for every pattern', () => {
  const alike = `${'a'.repeat(20_000)}!`
  const mixed = drawn(20_000, 'ab')
  const chinese = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode(0x4e00 + index))
  it.each([
    ['^(a+)+$', alike],
    ['(a|a)*[bc]', alike],
    ['^(a|ab|b)*c\\M', alike],
    ['(?!x)(a+)+$', alike],
    ['^(?=(a+)+$)', alike],
    ['(?<=(a|aa)*b)[cd]', alike],
    ['(.*a){20}[bc]', alike],
    ['(a{1,99}){1,99}[bc](?=[cd])', alike],
    [`${'(a?'.repeat(150)}${')*'.repeat(150)}[bc]`, alike],
    [`${'('.repeat(150)}a${'+)'.repeat(150)}[bc]`, alike],
    ['[ab]*a[ab]{16}[cd]', mixed],
    ['[ab]*a[ab]{200}[cd]', mixed],
    [`${'(?=.*[ab])'.repeat(20)}[cd]`, mixed],
    [`(?:${chinese.slice(0, 1000).join('|')})[ab]`, chinese.slice(500, 1500).join('').repeat(6)],
  ])('%s', (pattern, text) => {
    const effortFor = (searched: string): number => {
      const effort = new StepBudget()
      expect(matcher(readPattern(pattern), effort)(searched)).toBe(false)
      return effort.spent
    }
    expect(effortFor(text)).toBeLessThan(2.5 * effortFor(text.slice(text.length / 2)))
  })

  it('ends where thousands of nodes at each character would take too long', () => {
    const test = matcher(readPattern('([ab]{1,99}[abc]?){1,99}[!?]'))
    const texts = Array.from({ length: 1000 }, (_, index) => mixed.slice(index))
    expect(() => texts.some(test)).toThrow(
      new QueryError(
        'The regular expression takes too long: its counts and alternatives leave too many ways to match these texts. Simplify it, or narrow the query by time, node or status',
      ),
    )
  })
})

describe('several patterns as one match where any of them does', () => {
  const texts = ['', 'web1', 'web2.prod', 'db1', 'DB', 'x-web1', 'web10']
  it.each([
    [['^web1$', '^db1$'], 1],
    [['^web', 'prod$', 'db'], 1],
    [['', 'web'], 1],
    [['(?i)db', '\\Bno', '^(?!web)'], 1],
    [['^web\\d$', '^web\\d\\.(prod|dev)$', 'web10'], 1],
    [['^(a{99}){99}', '[ab]{99}', '(b{150}){150}', 'web1'], 2],
    [['(b{150}){99}d{148}', '(c{150}){100}'], 1],
    [['(b{150}){99}d{149}', '(c{150}){100}'], 2],
    [[10, 10].map((count, index) => `^web${index}${'(?=.*[a-z])'.repeat(count)}`), 1],
    [[10, 11].map((count, index) => `^web${index}${'(?=.*[a-z])'.repeat(count)}`), 2],
    [Array.from({ length: 3 }, (_, index) => `^web${index}${'(?=.*[a-z])'.repeat(9)}`), 2],
    [Array.from({ length: 1000 }, (_, index) => `web${index * 2}\\.`), 1],
  ])('%j', (patterns, count) => {
    const read = patterns.map((pattern) => readPattern(pattern))
    const together = anyOf(read)
    expect(together).toHaveLength(count)
    for (const text of texts) {
      const apart = read.some((pattern) => matcher(pattern)(text))
      expect([text, together.some((pattern) => matcher(pattern)(text))]).toEqual([text, apart])
    }
  })
})

describe('patterns made at random answer as recorded', () => {
  it.each(Object.entries(recorded.answers))('%j', (pattern, answer) => {
    const answers = () => {
      const test = matcher(readPattern(pattern))
      return recorded.texts.map((text) => (test(text) ? '1' : '0')).join('')
    }
    if (answer.startsWith('ERROR')) expect(answers).toThrow(new QueryError(answer))
    else expect(answers()).toBe(answer)
  })
})
