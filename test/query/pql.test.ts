import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { parsePql } from '../../worker/query/pql-parser.ts'
import { toJson } from '../../worker/query/print.ts'

const A: Json = ['=', 'certname', 'a']
const B: Json = ['=', 'status', 'b']
const C: Json = ['=', 'hash', 'c']

const body = (text: string) => {
  const [, , ...rest] = toJson(parsePql(`reports${text}`)) as readonly Json[]
  return rest
}

describe('PQL means the AST that PuppetDB makes of it:', () => {
  it.each<[string, ...Json[]]>([
    ['{}'],
    [' { }\n'],
    ['[]{}', ['extract', []]],
    ['[certname]{}', ['extract', ['certname']]],
    [' [ certname , status ] { certname="a" }', ['extract', ['certname', 'status'], A]],
    ['{certname="a" or status="b" or hash="c"}', ['or', A, B, C]],
    ['{certname="a" and status="b"\nand hash="c"}', ['and', A, B, C]],
    ['{certname="a" or status="b" and hash="c"}', ['or', A, ['and', B, C]]],
    ['{(certname="a" or status="b") and hash="c"}', ['and', ['or', A, B], C]],
    ['{(certname="a" or status="b") or hash="c"}', ['or', ['or', A, B], C]],
    ['{certname="a" or (status="b" or hash="c")}', ['or', A, ['or', B, C]]],
    ['{( (certname="a") )}', A],
    ['{!certname="a" or status="b"}', ['or', ['not', A], B]],
    ['{! ( certname="a" or status="b" )}', ['not', ['or', A, B]]],
    ['{!!certname="a"}', ['not', ['not', A]]],
    ['{certname!="a"}', ['not', A]],
    ['{certname !~ "a"}', ['not', ['~', 'certname', 'a']]],
    ['{!certname!~"a"}', ['not', ['not', ['~', 'certname', 'a']]]],
    ['{latest_report? = true}', ['=', 'latest_report?', true]],
    ['{noop=false}', ['=', 'noop', false]],
    ['{line>5 and line<=12.5}', ['and', ['>', 'line', 5], ['<=', 'line', 12.5]]],
    ['{line>=-5 and line<-1.5e-3}', ['and', ['>=', 'line', -5], ['<', 'line', -0.0015]]],
    ['{line=05}', ['=', 'line', 5]],
    ['{start_time > "2026-01-01"}', ['>', 'start_time', '2026-01-01']],
    ['{job_id is null}', ['null?', 'job_id', true]],
    [
      '{job_id is not null and job_id is null limit 5}',
      ['and', ['null?', 'job_id', false], ['null?', 'job_id', true]],
      ['limit', 5],
    ],
    ['{certname in["a" , \'b\']}', ['in', 'certname', ['array', ['a', 'b']]]],
    ['{line in [1,2.5,true,-3]}', ['in', 'line', ['array', [1, 2.5, true, -3]]]],
    ['{certname in [["a"],["b"]]}', ['in', 'certname', ['array', [['a'], ['b']]]]],
    ['{certname = ["a","b"]}', ['=', 'certname', ['a', 'b']]],
    ['{path ~> ["a.*", "b"]}', ['~>', 'path', ['a.*', 'b']]],
    [
      '{certname in events[certname]{certname="a" limit 5 order by certname desc}}',
      [
        'in',
        'certname',
        [
          'from',
          'events',
          ['extract', ['certname'], A],
          ['limit', 5],
          ['order_by', [['certname', 'desc']]],
        ],
      ],
    ],
    [
      '{[certname,hash] in events[certname,report]{}}',
      ['in', ['certname', 'hash'], ['from', 'events', ['extract', ['certname', 'report']]]],
    ],
    ['{[certname] in ["a"]}', ['in', ['certname'], ['array', ['a']]]],
    [
      '{events{certname="a"} and !nodes { certname="a" }}',
      ['and', ['subquery', 'events', A], ['not', ['subquery', 'nodes', A]]],
    ],
    ['{events{}}', ['subquery', 'events']],
    [
      '[count(),count(line), max( "line" )]{}',
      [
        'extract',
        [
          ['function', 'count'],
          ['function', 'count', 'line'],
          ['function', 'max', 'line'],
        ],
      ],
    ],
    [
      '[to_string(start_time,"DAY"), count] { certname="a" group by to_string(start_time, "DAY"), count }',
      [
        'extract',
        [['function', 'to_string', 'start_time', 'DAY'], 'count'],
        A,
        ['group_by', ['function', 'to_string', 'start_time', 'DAY'], 'count'],
      ],
    ],
    ['{limit 5 offset 3}', ['limit', 5], ['offset', 3]],
    ['{offset 3 limit 5}', ['offset', 3], ['limit', 5]],
    ['{certname="a"limit 5}', A, ['limit', 5]],
    [
      '{order by certname, status desc ,hash asc}',
      ['order_by', ['certname', ['status', 'desc'], ['hash', 'asc']]],
    ],
    [
      '{limit=1 and offset="a" limit 2}',
      ['and', ['=', 'limit', 1], ['=', 'offset', 'a']],
      ['limit', 2],
    ],
    ['{and="a" and or="b"}', ['and', ['=', 'and', 'a'], ['=', 'or', 'b']]],
    ['{1a=1 and 2=2}', ['and', ['=', '1a', 1], ['=', '2', 2]]],
    ['{facts.os.family="a"}', ['=', 'facts.os.family', 'a']],
    ['{facts.os."a.b".c ="a"}', ['=', 'facts.os."a.b".c', 'a']],
    ['{facts.models[0]~"a"}', ['~', 'facts.models[0]', 'a']],
    ['{facts.match("a.*").b = 1}', ['=', 'facts.match("a.*").b', 1]],
    ['{trusted.a-b is null}', ['null?', 'trusted.a-b', true]],
    ['[facts.x]{group by facts.x }', ['extract', ['facts.x'], ['group_by', 'facts.x']]],
  ])('reports%s', (text, ...expected) => {
    expect(body(text)).toEqual(expected)
  })

  it('and group by goes together with paging, which PuppetDB refuses', () => {
    expect(body('[status]{group by status order by status limit 5}')).toEqual([
      ['extract', ['status'], ['group_by', 'status']],
      ['order_by', ['status']],
      ['limit', 5],
    ])
  })
})

describe('a string', () => {
  it.each([
    [String.raw`'^web\d+'`, String.raw`^web\d+`],
    [String.raw`"^web\\d+"`, String.raw`^web\d+`],
    [String.raw`'it\'s'`, `it's`],
    [String.raw`'a\\'`, String.raw`a\\`],
    [String.raw`"\u0041\n\"\/"`, 'A\n"/'],
    [`"a\nb"`, 'a\nb'],
    [`'"'`, '"'],
    [`"'"`, "'"],
    [`""`, ''],
    [`"é漢😀"`, 'é漢😀'],
  ])('%s', (literal, expected) => {
    expect(body(`{certname=${literal}}`)).toEqual([['=', 'certname', expected]])
  })
})

/** Query, column, and what would have been right; the line and the caret are implied. */
describe('text that is not PQL is refused:', () => {
  const literal = ['[', 'true', 'false', 'a number', 'a string']
  const condition = ['!', '(', '[', 'a field']
  const paging = ['limit', 'offset', 'order by', '}']
  const tests = ['is null', 'is not null', 'in', '!=', '!~', '=', '~', '~>', '>=', '<=', '<', '>']
  it.each<[string, number, readonly string[]]>([
    ['reports', 8, ['[', '{']],
    ['reports {', 10, ['}', 'order by', 'group by', 'limit', 'offset', ...condition]],
    ['reports { status = }', 20, literal],
    ["reports { status == 'x' }", 19, literal],
    ['reports { status = x }', 20, literal],
    ['reports[certname { }', 18, [',', ']']],
    ["reports { certname = 'a' and }", 30, condition],
    ["reports { certname = 'a' AND b = 1 }", 26, ['and', 'or', 'group by', ...paging]],
    ['reports { (a=1)and b=2 }', 16, ['a blank']],
    ['reports { a=1 and(b=2) }', 18, ['a blank']],
    ['reports { a = "x }', 19, ['"']],
    ["reports { a = 'x", 17, ["'"]],
    ['reports { a > true }', 15, ['a number', 'a string']],
    ['reports { a ~ 5 }', 15, ['a string']],
    ['reports { a in [] }', 17, literal],
    ['reports { limit "5" }', 17, ['{', ...tests]],
    ['reports { a=1 limit b }', 21, ['an integer']],
    ['reports { a=1e5 }', 13, literal],
    ['reports { a=+1 }', 13, literal],
    ['reports {} ;', 12, ['the end of the query']],
    ['reports[zork(certname)] {}', 13, [',', ']']],
    ['reports[count(certname] {}', 23, [',', ')']],
  ])('%s', (text, column, labels) => {
    const caret = ' '.repeat(column - 1) + '^'
    const heading = labels.length === 1 ? 'Expected:\n' : 'Expected one of:\n\n'
    const expected = heading + labels.map((label) => `${label}\n`).join('')
    expect(() => parsePql(text)).toThrow(
      expect.objectContaining({
        name: 'QueryError',
        message: `PQL parse error at line 1, column ${column}:\n\n${text}\n${caret}\n\n${expected}`,
      }),
    )
  })

  it.each([
    'Reports {}',
    'producers {}',
    'reports { a is  null }',
    'reports { a GROUP BY a }',
    'reports { events { a = 1 limit 5 } }',
    'reports { not a = 1 }',
    'reports { a = null }',
    'reports { a <> 1 }',
    'reports { a = .1 }',
    'reports { a = 1. }',
    'reports { a = - 1 }',
    'reports { -5 = 1 }',
    'reports { a = 1 # b\n }',
    'reports { a = 1\u00a0}',
    '',
  ])('%s', (text) => {
    expect(() => parsePql(text)).toThrow(/^PQL parse error at line 1, column \d+:\n\n/)
  })

  it('with the name that was probably meant', () => {
    expect(() => parsePql('Reports {}')).toThrow(
      /Expected one of:\n\nfacts\n.*\nDid you mean 'reports'\?$/s,
    )
    expect(() => parsePql('reports { evnts { a = 1 } }')).toThrow(
      /'evnts' is not an entity. Did you mean 'events'\?$/,
    )
  })

  it('by the line it is in', () => {
    expect(() => parsePql('reports {\n  a = 1 and\n  = 2\n}')).toThrow(
      'PQL parse error at line 3, column 3:\n\n  = 2\n  ^\n\nExpected',
    )
  })

  it('with a piece of the line where the line is long', () => {
    const many = 'a = 1 and '.repeat(10_000)
    const message = messageOf(`reports { ${many} = 2 and ${many} a = 1 }`)
    expect(message).toMatch(/column 100012:\n\n…[a1= nd]{80}= 2 and [a1= nd]+…\n {81}\^\n\n/)
    expect(message.length).toBeLessThan(600)
  })

  it('an escape that JSON does not know', () => {
    expect(() => parsePql(String.raw`reports { a = "\d" }`)).toThrow(
      /column 15:.*A string in double quotes knows the escapes/s,
    )
  })
})

describe('valid PQL that cannot be answered is refused:', () => {
  it.each([
    ['reports { limit 0 }', 'expected a positive non-zero integer'],
    ['reports { limit 1 limit 2 }', "Multiple 'limit' clauses are not permitted"],
    ['reports { group by status }', "'group by' needs columns to project"],
    ['reports { certname in events {} }', 'needs the columns to compare with'],
    ['reports { [certname, hash] in ["a"] }', 'takes one field, but 2 were given'],
    ['reports { line < 1.0e999 }', 'A number is too large: 1.0e999'],
    ['reports { [count()] in ["a"] }', "'count' is called as a function"],
  ])('%s', (text, message) => {
    expect(() => parsePql(text)).toThrow(expect.objectContaining({ name: 'QueryError' }))
    expect(messageOf(text)).toContain(message)
  })

  it('but a subquery of none is the empty one', () => {
    expect(body('{certname in events[certname]{limit 0}}')).toEqual([
      ['in', 'certname', ['from', 'events', ['extract', ['certname']], ['limit', 0]]],
    ])
  })
})

function messageOf(text: string): string {
  try {
    parsePql(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was wrong')
}
