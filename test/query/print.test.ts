import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { NO_PAGING } from '../../worker/query/ast.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../../worker/query/json.ts'
import { parsePql } from '../../worker/query/pql-parser.ts'
import { toPql } from './print-pql.ts'
import { toJson } from '../../worker/query/print.ts'
import { jsonTrees, pqlTrees } from './trees.ts'

describe('a printed query is read back the same', () => {
  it('from JSON at the root', () => {
    fc.assert(
      fc.property(jsonTrees, (tree) => {
        expect(readRootQuery(toJson(tree))).toEqual(tree)
      }),
    )
  })

  it('from JSON text', () => {
    fc.assert(
      fc.property(jsonTrees, (tree) => {
        expect(readRootQuery(parseJsonQuery(JSON.stringify(toJson(tree))))).toEqual(tree)
      }),
    )
  })

  it('from JSON at an endpoint, which has no paging clauses', () => {
    fc.assert(
      fc.property(jsonTrees, (tree) => {
        const body = { ...tree, entity: null, paging: NO_PAGING }
        expect(readQuery(toJson(body))).toEqual(body)
      }),
    )
  })

  it('from PQL', () => {
    fc.assert(
      fc.property(pqlTrees, (tree) => {
        expect(parsePql(toPql(tree)!)).toEqual(tree)
      }),
    )
  })
})

describe('JSON to PQL:', () => {
  it.each<[Json, string]>([
    [['from', 'reports'], 'reports { }'],
    [['from', 'reports', ['extract', []]], 'reports[] { }'],
    [
      [
        'from',
        'reports',
        ['extract', ['certname', ['function', 'count']], ['group_by', 'certname']],
      ],
      'reports[certname, count()] { group by certname }',
    ],
    [
      [
        'from',
        'reports',
        ['and', ['or', ['=', 'a', 1], ['=', 'b', 'x']], ['not', ['~', 'c', '\\d']]],
      ],
      String.raw`reports { (a = 1 or b = "x") and c !~ "\\d" }`,
    ],
    [
      ['from', 'reports', ['or', ['and', ['=', 'a', 1], ['=', 'b', 2]], ['null?', 'c', false]]],
      'reports { a = 1 and b = 2 or c is not null }',
    ],
    [
      ['from', 'reports', ['not', ['or', ['=', 'a', 1], ['subquery', 'events']]]],
      'reports { !(a = 1 or events { }) }',
    ],
    [['from', 'reports', ['and', ['=', 'a', 1]]], 'reports { a = 1 }'],
    [
      [
        'from',
        'reports',
        ['in', 'hash', ['extract', 'report', ['select_events', ['>', 'line', 1e21]]]],
      ],
      'reports { hash in events[report] { line > 1.0e+21 } }',
    ],
    [
      ['from', 'reports', ['order_by', ['a', ['b', 'desc']]], ['limit', 3], ['offset', 1]],
      'reports { limit 3 offset 1 order by a, b desc }',
    ],
  ])('%j', (query, expected) => {
    expect(toPql(readRootQuery(query))).toBe(expected)
  })
})

describe('PQL has no words for', () => {
  it.each<[string, Json]>([
    ['an entity outside its grammar', ['from', 'producers']],
    ['the same in a subquery', ['from', 'reports', ['subquery', 'producers']]],
    ['the state of a node', ['from', 'nodes', ['=', ['node', 'active'], true]]],
    ['a fact', ['from', 'nodes', ['=', ['fact', 'os'], 'a']]],
    ['null', ['from', 'reports', ['=', 'a', null]]],
    ['an object', ['from', 'reports', ['=', 'a', {}]]],
    ['an empty list', ['from', 'reports', ['in', 'a', ['array', []]]]],
    ['a regex that is none', ['from', 'reports', ['~', 'a', 5]]],
    ['an order of truths', ['from', 'reports', ['<', 'a', true]]],
    ['a name with a blank', ['from', 'reports', ['=', 'a b', 1]]],
    ['a path into another field', ['from', 'reports', ['=', 'metrics.data', 1]]],
    ['an unknown function', ['from', 'reports', ['extract', [['function', 'jsonb_typeof', 'a']]]]],
    ['an empty order', ['from', 'reports', ['order_by', []]]],
  ])('%s', (_name, query) => {
    expect(toPql(readRootQuery(query))).toBeNull()
  })

  it('a query whose entity is the endpoint’s', () => {
    expect(toPql(readQuery(['=', 'a', 1]))).toBeNull()
  })
})
