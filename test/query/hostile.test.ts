import fc from 'fast-check'
import { codePoint } from '../code-point.ts'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { QueryError } from '../../worker/lib/errors.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../../worker/query/json.ts'
import { parsePql } from '../../worker/query/pql-parser.ts'
import { toPql } from './print-pql.ts'
import { toJson } from '../../worker/query/print.ts'
import { jsonTrees, pqlTrees } from './trees.ts'

const MEGABYTE = 1_000_000
const readText = (text: string) => readQuery(parseJsonQuery(text))

describe('a query too deep is refused by name of the limit:', () => {
  it.each<[string, (text: string) => unknown, string]>([
    ['lists', readText, '['.repeat(MEGABYTE)],
    ['objects', readText, '{"a":'.repeat(MEGABYTE / 5)],
    ['not', readText, nest('["not",', '["=","a",1]', ']')],
    ['a value', readText, `["=","a",${nest('[', '', ']')}]`],
    ['parentheses', parsePql, `reports { ${nest('(', 'a = 1', ')')} }`],
    ['open parentheses', parsePql, `reports { ${'('.repeat(MEGABYTE)}`],
    ['negations', parsePql, `reports { ${'!'.repeat(MEGABYTE)}a = 1 }`],
    ['subqueries', parsePql, `reports { ${nest('events { ', 'a = 1', ' }')} }`],
    ['queries', parsePql, `reports { ${nest('a in events[a] { ', 'a = 1', ' }')} }`],
    ['arrays', parsePql, `reports { a = ${'['.repeat(MEGABYTE)}`],
  ])('%s', (_name, read, text) => {
    expect(() => read(text)).toThrow(
      new QueryError('The query nests too deep: more than 300 levels are not supported.'),
    )
  })

  it('but one of 250 levels is read', () => {
    const text = `${'["not",'.repeat(250)}["=","a",1]${']'.repeat(250)}`
    expect(JSON.stringify(toJson(readText(text)))).toBe(text)
    const pql = `reports { ${'('.repeat(250)}a = 1${')'.repeat(250)} }`
    expect(toPql(parsePql(pql))).toBe('reports { a = 1 }')
  })
})

function nest(open: string, inner: string, close: string): string {
  return open.repeat(10_000) + inner + close.repeat(10_000)
}

/** What this process has worked, however long others kept it waiting. */
function cpuSecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

describe('a megabyte is read in linear time:', () => {
  it.each<[string, (text: string) => unknown, string]>([
    ['JSON or', readText, `["or"${',["=","certname","host"]'.repeat(MEGABYTE / 24)}]`],
    ['JSON string', readText, `["=","a","${'x\\n'.repeat(MEGABYTE / 3)}"]`],
    ['JSON list', readText, `["in","a",["array",[1${',1'.repeat(MEGABYTE / 2)}]]]`],
    ['PQL or', parsePql, `reports { a = 1${' or a = 1'.repeat(MEGABYTE / 9)} }`],
    ['PQL and', parsePql, `reports { a = 1${' and a = 1'.repeat(MEGABYTE / 10)} }`],
    ['PQL string', parsePql, `reports { a = "${'x\\n'.repeat(MEGABYTE / 3)}" }`],
    ['PQL raw string', parsePql, `reports { a = '${"x\\'".repeat(MEGABYTE / 3)}' }`],
    ['PQL list', parsePql, `reports { a in [1${',1'.repeat(MEGABYTE / 2)}] }`],
    ['PQL blanks', parsePql, `reports {${' '.repeat(MEGABYTE)}}`],
    ['PQL name', parsePql, `reports { ${'a'.repeat(MEGABYTE)} = 1 }`],
    ['PQL path', parsePql, `inventory { facts${'.a'.repeat(MEGABYTE / 2)} = 1 }`],
  ])('%s', (_name, read, text) => {
    const start = process.cpuUsage()
    read(text)
    expect(cpuSecondsSince(start)).toBeLessThan(4)
  })

  it.each<[string, (text: string) => unknown, string]>([
    ['JSON word', readText, 'x'.repeat(MEGABYTE)],
    ['JSON string without end', readText, `["${'x'.repeat(MEGABYTE)}`],
    ['JSON without end', readText, `["or"${',["=","a",1]'.repeat(MEGABYTE / 12)}`],
    ['JSON operator', readText, `["${'x'.repeat(MEGABYTE)}"]`],
    ['JSON lines', readText, `[${'\n'.repeat(MEGABYTE)}x`],
    ['PQL entity', parsePql, 'x'.repeat(MEGABYTE)],
    ['PQL string without end', parsePql, `reports { a = "${'x'.repeat(MEGABYTE)}`],
    ['PQL digits', parsePql, `reports { a > ${'1'.repeat(MEGABYTE)}x }`],
    ['PQL quotes in a path', parsePql, `inventory { facts.${'"'.repeat(MEGABYTE)}= 1 }`],
    ['PQL limits', parsePql, `reports { ${'limit 1 '.repeat(MEGABYTE / 8)} }`],
  ])('and refused as fast, in few words: %s', (_name, read, text) => {
    const start = process.cpuUsage()
    const error = errorOf(() => read(text))
    expect(cpuSecondsSince(start)).toBeLessThan(4)
    expect(error).toBeInstanceOf(QueryError)
    expect((error as Error).message.length).toBeLessThan(1500)
  })
})

describe('hostile input gives a query or a QueryError:', () => {
  const refuses = (read: () => unknown) => {
    const error = errorOf(read)
    expect(error === undefined || error instanceof QueryError).toBe(true)
  }

  it('any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        refuses(() => readText(text))
        refuses(() => parsePql(text))
      }),
    )
  })

  it('any JSON value', () => {
    const word = fc.constantFrom('=', 'and', 'not', 'in', 'extract', 'from', 'array', 'limit', 'a')
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.jsonValue({ maxDepth: 1 }).map((json) => json as Json),
        fc
          .tuple(word, fc.array(tie('value'), { maxLength: 4 }))
          .map(([name, rest]) => [name, ...rest]),
      ),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom('standard', 'counts', 'legacy'), (query, dialect) => {
        refuses(() => readQuery(query, dialect))
        refuses(() => readRootQuery(['from', 'reports', query]))
      }),
    )
  })

  it('a JSON query with a piece cut or changed', () => {
    const texts = jsonTrees.map((tree) => JSON.stringify(toJson(tree)))
    fc.assert(
      fc.property(damaged(texts), (text) => refuses(() => readRootQuery(parseJsonQuery(text)))),
    )
  })

  it('a PQL query with a piece cut or changed', () => {
    const texts = pqlTrees.map((tree) => toPql(tree)!)
    fc.assert(fc.property(damaged(texts), (text) => refuses(() => parsePql(text))))
  })
})

function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('', '"', '[', ']', '{', '(', '!'),
  )
  return fc.tuple(texts, fc.nat(), fc.nat(5), piece).map(([text, at, length, put]) => {
    const start = at % (text.length + 1)
    return text.slice(0, start) + put + text.slice(start + length)
  })
}

function errorOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    return error
  }
  return undefined
}
