import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import type { Filter, Query } from '../../worker/query/ast.ts'
import { NO_PAGING } from '../../worker/query/ast.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../../worker/query/json.ts'

const certname = { kind: 'field', name: 'certname' } as const
const status = { kind: 'field', name: 'status' } as const
const count = { kind: 'function', name: 'count', arguments: [] } as const
const isA: Filter = { kind: 'compare', operator: '=', left: certname, value: 'a' }

const whole: Query = {
  entity: null,
  columns: null,
  filter: null,
  groupBy: null,
  paging: NO_PAGING,
  style: 'from',
}

const read = (query: Json) => readQuery(query)

describe('the query of an endpoint', () => {
  it.each<[string, Json, Partial<Query>]>([
    ['nothing', null, {}],
    ['an empty list', [], {}],
    ['a filter', ['=', 'certname', 'a'], { filter: isA }],
    ['one column', ['extract', 'certname'], { columns: [certname] }],
    ['no columns', ['extract', []], { columns: [] }],
    ['columns', ['extract', ['certname', 'status']], { columns: [certname, status] }],
    [
      'columns and a filter',
      ['extract', ['certname'], ['=', 'certname', 'a']],
      { columns: [certname], filter: isA },
    ],
    ['columns and null', ['extract', ['certname'], null], { columns: [certname] }],
    ['columns and no filter', ['extract', ['certname'], []], { columns: [certname] }],
    [
      'groups without a filter',
      ['extract', [['function', 'count'], 'status'], ['group_by', 'status']],
      { columns: [count, status], groupBy: [status] },
    ],
    [
      'groups with a filter',
      ['extract', ['status'], ['=', 'certname', 'a'], ['group_by', 'status']],
      { columns: [status], filter: isA, groupBy: [status] },
    ],
    [
      'a group by function',
      ['extract', ['status'], ['group_by', ['function', 'to_string', 'start_time', 'DAY']]],
      {
        columns: [status],
        groupBy: [{ kind: 'function', name: 'to_string', arguments: ['start_time', 'DAY'] }],
      },
    ],
  ])('may be %s', (_name, query, expected) => {
    expect(read(query)).toEqual({ ...whole, ...expected })
  })
})

const EVENTS = { ...whole, entity: 'events', columns: [certname], filter: isA }

describe('a filter', () => {
  it.each<[string, Json, Filter]>([
    ['=', ['=', 'certname', 'a'], isA],
    ['= null', ['=', 'certname', null], { ...isA, value: null }],
    ['~>', ['~>', 'path', ['a', '.*']], compare('~>', 'path', ['a', '.*'])],
    ['>=', ['>=', 'line', 3], compare('>=', 'line', 3)],
    ['null? true', ['null?', 'certname', true], { kind: 'null', left: certname, value: true }],
    ['null? false', ['null?', 'certname', false], { kind: 'null', left: certname, value: false }],
    [
      'null? of any word',
      ['null?', 'certname', 'no'],
      { kind: 'null', left: certname, value: true },
    ],
    ['and', ['and', ['=', 'certname', 'a']], { kind: 'and', terms: [isA] }],
    [
      'or',
      ['or', ['=', 'certname', 'a'], ['=', 'certname', 'a']],
      { kind: 'or', terms: [isA, isA] },
    ],
    ['not', ['not', ['=', 'certname', 'a']], { kind: 'not', term: isA }],
    [
      'the state of a node',
      ['=', ['node', 'active'], true],
      { kind: 'compare', operator: '=', left: { kind: 'state', name: 'active' }, value: true },
    ],
    [
      'a fact',
      ['<', ['fact', 'cpus'], 4],
      { kind: 'compare', operator: '<', left: { kind: 'fact', name: 'cpus' }, value: 4 },
    ],
    [
      'a parameter',
      ['~', ['parameter', 'ensure'], 'p'],
      { kind: 'compare', operator: '~', left: { kind: 'parameter', name: 'ensure' }, value: 'p' },
    ],
    [
      'a function',
      ['=', ['function', 'to_string', 'start_time', 'D'], '1'],
      {
        kind: 'compare',
        operator: '=',
        left: { kind: 'function', name: 'to_string', arguments: ['start_time', 'D'] },
        value: '1',
      },
    ],
    [
      'in array',
      ['in', 'certname', ['array', ['a', 1]]],
      { kind: 'in-list', left: [certname], values: ['a', 1] },
    ],
    [
      'a list of one name in array',
      ['in', ['certname'], ['array', []]],
      { kind: 'in-list', left: [certname], isListed: true, values: [] },
    ],
    [
      'a fact in array',
      ['in', ['fact', 'os'], ['array', ['a']]],
      { kind: 'in-list', left: [{ kind: 'fact', name: 'os' }], values: ['a'] },
    ],
    [
      'in select',
      ['in', 'certname', ['extract', 'certname', ['select_events', ['=', 'certname', 'a']]]],
      { kind: 'in-query', left: [certname], query: { ...EVENTS, style: 'select' } },
    ],
    [
      'in select of all',
      ['in', 'certname', ['extract', ['certname'], ['select_events']]],
      { kind: 'in-query', left: [certname], query: { ...EVENTS, filter: null, style: 'select' } },
    ],
    [
      'in select with a limit',
      ['in', 'certname', ['extract', 'certname', ['select_events', ['limit', 3]]]],
      {
        kind: 'in-query',
        left: [certname],
        query: { ...EVENTS, filter: null, paging: { ...NO_PAGING, limit: 3 }, style: 'select' },
      },
    ],
    [
      'several columns in from, with paging in any order',
      [
        'in',
        ['certname', 'status'],
        [
          'from',
          'events',
          ['extract', ['certname', 'status'], ['=', 'certname', 'a']],
          ['offset', 2],
          ['order_by', ['status', ['certname', 'desc']]],
          ['limit', 0],
        ],
      ],
      {
        kind: 'in-query',
        left: [certname, status],
        query: {
          ...EVENTS,
          columns: [certname, status],
          paging: {
            limit: 0,
            offset: 2,
            orderBy: [
              { field: 'status', direction: 'asc' },
              { field: 'certname', direction: 'desc' },
            ],
          },
        },
      },
    ],
    [
      'an implicit subquery',
      ['subquery', 'events', ['=', 'certname', 'a']],
      { kind: 'related', entity: 'events', filter: isA },
    ],
    [
      'an implicit subquery of all',
      ['subquery', 'events'],
      { kind: 'related', entity: 'events', filter: null },
    ],
  ])('%s', (_name, query, expected) => {
    expect(read(query).filter).toEqual(expected)
  })
})

function compare(operator: '~>' | '>=', name: string, value: Json): Filter {
  return { kind: 'compare', operator, left: { kind: 'field', name }, value }
}

const A: Json = ['=', 'certname', 'a']

describe('PuppetDB’s words for', () => {
  it.each<[Json, string]>([
    [['=', 'certname'], '= requires exactly two arguments'],
    [['='], '= requires exactly two arguments'],
    [['~', 'certname', 'a', 'b'], '~ requires exactly two arguments'],
    [['and'], "'and' takes at least one argument, but none were supplied"],
    [['or'], "'or' takes at least one argument, but none were supplied"],
    [['not'], "'not' takes exactly one argument, but 0 were supplied"],
    [['not', A, A], "'not' takes exactly one argument, but 2 were supplied"],
    [['and', []], '[] is not well-formed: queries must contain at least one operator'],
    [
      ['extract', 'certname', ['AND', ['=', 'noop', true]]],
      '["AND" ["=" "noop" true]] is not a valid expression for "extract"',
    ],
    [
      ['extract', 'certname', ['or', A, ['zork', null]]],
      '["zork" nil] is not a valid expression for "extract"',
    ],
    [
      ['extract', 'certname', ['or', ['zork', null], A]],
      '["zork" nil] is not a valid expression for "extract"',
    ],
    [['extract', 'certname', ['limit', 1]], '["limit" 1] is not a valid expression for "extract"'],
    [['in', 'certname', ['array', 'x']], 'Operator array requires a vector argument'],
    [
      ['in', 'certname', ['extract', 'certname', ['select-events', A]]],
      'Unsupported subquery `select-events` - did you mean `select_events`?',
    ],
    [['in', 'certname', ['extract', 'certname', ['events', A]]], 'Unsupported subquery `events`'],
    [
      ['in', 'certname', ['from', 'events', ['extract', 'certname'], ['limit', 1], ['limit', 2]]],
      "Multiple 'limit' clauses are not permitted",
    ],
    [
      ['in', 'certname', ['from', 'events', ['extract', 'certname'], ['order_by']]],
      "Received 'order_by' clause without an argument",
    ],
  ])('%j', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ name: 'QueryError', message }))
  })
})

describe('our own error messages, where PuppetDB fails or gives no useful one, for', () => {
  it.each<[Json, string]>([
    [5, 'A query is a JSON array, but this is 5'],
    [{ a: [1] }, 'A query is a JSON array, but this is {"a" [1]}'],
    [['annd', A], `Unrecognized ast clause ["annd" ["=" "certname" "a"]]. Did you mean 'and'?`],
    [['AND', A], `Unrecognized ast clause ["AND" ["=" "certname" "a"]]. Did you mean 'and'?`],
    [['and', 5], 'Unrecognized ast clause 5.'],
    [[5, 1, 2], 'Unrecognized ast clause [5 1 2].'],
    [['toString', 'a', 1], 'Unrecognized ast clause ["toString" "a" 1].'],
    [['or', []], '[] is not well-formed: queries must contain at least one operator'],
    [['from', 'reports'], 'Unrecognized ast clause ["from" "reports"].'],
    [['group_by', 'status'], 'Unrecognized ast clause ["group_by" "status"].'],
    [['=', 5, 'a'], "5 can't be compared: it is not the name of a field"],
    [['=', ['node'], true], `["node"] can't be compared: it is not the name of a field`],
    [['null?', 'line'], 'null? requires exactly two arguments'],
    [['in', 'certname'], 'in requires exactly two arguments'],
    [
      ['in', 'certname', 'a'],
      `'in' takes an 'array', an 'extract' or a 'from': ["in" "certname" "a"]`,
    ],
    [['in', [], ['array', []]], `'in' takes at least one field: ["in" [] ["array" []]]`],
    [['in', ['a', 'b'], ['array', []]], "'in' with 'array' takes one field, but 2 were supplied"],
    [['in', 'a', ['array', [], []]], `'array' takes one list: ["array" [] []]`],
    [['in', ['a', 5], ['array', []]], '5 is not the name of a field: ["in" ["a" 5] ["array" []]]'],
    [
      ['in', 'a', ['from', 'events', A]],
      `A subquery of 'in' must be ["from", <entity>, ["extract", …]]: ["from" "events" ["=" "certname" "a"]]`,
    ],
    [
      ['in', 'a', ['from', 'events', ['extract', 'a'], ['zork', 1]]],
      'Unrecognized ast clause ["from" "events" ["extract" "a"] ["zork" 1]].',
    ],
    [
      ['in', 'a', ['extract', 'a']],
      `The 'extract' of an 'in' takes columns and a 'select_<entity>': ["extract" "a"]`,
    ],
    [
      ['subquery', 5, A],
      `'subquery' takes the name of an entity: ["subquery" 5 ["=" "certname" "a"]]`,
    ],
    [['subquery'], "'subquery' takes the name of an entity and a query"],
    [['extract'], `'extract' takes columns: ["extract"]`],
    [['extract', 5], '5 is neither a column name nor a function call'],
    [['extract', ['a', ['count']]], '["count"] is neither a column name nor a function call'],
    [['extract', [['function']]], 'A function has no name: ["function"]'],
    [['extract', 'a', ['group_by']], "'group_by' takes at least one column"],
    [
      ['extract', 'a', ['group_by', 'a'], A],
      '["=" "certname" "a"] is not a valid expression for "extract"',
    ],
  ])('%j', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ name: 'QueryError', message }))
  })

  it('a long clause, which it cuts', () => {
    const long = ['zork', 'x'.repeat(10_000)]
    expect(() => read(long)).toThrow(/^Unrecognized ast clause \["zork" "x{300,400} ….$/)
  })
})

describe('the query of the root endpoint', () => {
  const reports = { ...whole, entity: 'reports' }
  it.each<[string, Json, Query]>([
    ['an entity', ['from', 'reports'], reports],
    ['null for no filter', ['from', 'reports', null], reports],
    ['a filter', ['from', 'reports', A], { ...reports, filter: isA }],
    ['columns', ['from', 'reports', ['extract', 'certname']], { ...reports, columns: [certname] }],
    [
      'paging alone',
      ['from', 'reports', ['limit', 1]],
      { ...reports, paging: { ...NO_PAGING, limit: 1 } },
    ],
    [
      'a filter and paging',
      ['from', 'reports', A, ['offset', 0], ['order_by', []]],
      { ...reports, filter: isA, paging: { limit: null, offset: 0, orderBy: [] } },
    ],
    ['dashes in a name', ['from', 'fact-contents'], { ...whole, entity: 'fact-contents' }],
  ])('takes %s', (_name, query, expected) => {
    expect(readRootQuery(query)).toEqual(expected)
  })

  const form =
    'Your initial query must be of the form: ["from",<entity>,(<optional-query>)]. Check your query and try again.'
  it.each<[Json, string]>([
    [null, form],
    [[], form],
    [A, form],
    [['from'], form],
    [['from', 5], form],
    [['FROM', 'reports'], form],
    [['from', 'reports', ['limit', 1], A], form],
    [['from', 'reports', A, A], form],
    [['from', 'reports', A, 5], form],
    [['from', 'reports', []], '[] is not well-formed: queries must contain at least one operator'],
    [['from', 'reports', 5], 'Unrecognized ast clause 5.'],
    [['from', 'reports', ['limit', 1], ['limit', 2]], "Multiple 'limit' clauses are not permitted"],
    [['from', 'reports', ['limit']], "Received 'limit' clause without an argument"],
    [['from', 'reports', ['limit', null]], "Received 'limit' clause without an argument"],
    [['from', 'reports', ['limit', 1, 2]], `'limit' takes one argument: ["limit" 1 2]`],
    [
      ['from', 'reports', ['limit', 0]],
      "Illegal value 0 in the 'limit' clause; expected a positive non-zero integer.",
    ],
    [
      ['from', 'reports', ['limit', '1']],
      `Illegal value "1" in the 'limit' clause; expected a positive non-zero integer.`,
    ],
    [
      ['from', 'reports', ['offset', -1]],
      "Illegal value -1 in the 'offset' clause; expected a non-negative integer.",
    ],
    [
      ['from', 'reports', ['offset', 1.5]],
      "Illegal value 1.5 in the 'offset' clause; expected a non-negative integer.",
    ],
    [
      ['from', 'reports', ['order_by', 'certname']],
      `Illegal value "certname" in the 'order_by' clause; expected a list of fields.`,
    ],
    [
      ['from', 'reports', ['order_by', [['certname', 'sideways']]]],
      `Illegal value ["certname" "sideways"] in the 'order_by' clause; expected a field or [field, "asc" | "desc"].`,
    ],
  ])('refuses %j', (query, message) => {
    expect(() => readRootQuery(query)).toThrow(
      expect.objectContaining({ name: 'QueryError', message }),
    )
  })
})

describe('dialects', () => {
  const facts: Json = ['in', 'certname', ['extract', 'certname', ['select_facts', A]]]
  const nodes: Json = ['in', 'certname', ['extract', 'certname', ['select_nodes', A]]]

  it.each<[Json, { counts: boolean; legacy: boolean; standard: boolean }]>([
    [A, { standard: true, counts: true, legacy: true }],
    [['AND', A], { standard: false, counts: true, legacy: true }],
    [['NOT', ['OR', A]], { standard: false, counts: true, legacy: true }],
    [['null?', 'line', true], { standard: true, counts: true, legacy: false }],
    [['~>', 'path', ['a']], { standard: true, counts: true, legacy: false }],
    [['subquery', 'reports', A], { standard: true, counts: true, legacy: false }],
    [['in', 'certname', ['array', ['a']]], { standard: true, counts: true, legacy: false }],
    [
      ['in', 'certname', ['from', 'events', ['extract', 'certname']]],
      { standard: true, counts: true, legacy: false },
    ],
    [nodes, { standard: true, counts: true, legacy: false }],
    [facts, { standard: true, counts: true, legacy: true }],
    [
      ['IN', 'certname', ['EXTRACT', 'certname', ['SELECT_FACTS', ['AND', A]]]],
      { standard: false, counts: true, legacy: true },
    ],
    [['extract', 'certname', A], { standard: true, counts: false, legacy: false }],
  ])('%j', (query, expected) => {
    const accepted = (dialect: 'standard' | 'counts' | 'legacy') => {
      try {
        return Boolean(readQuery(query, dialect))
      } catch {
        return false
      }
    }
    expect({
      standard: accepted('standard'),
      counts: accepted('counts'),
      legacy: accepted('legacy'),
    }).toEqual(expected)
  })

  it('reads upper case as lower case', () => {
    expect(readQuery(['AND', ['NULL?', 'line', true]], 'counts')).toEqual(
      readQuery(['and', ['null?', 'line', true]]),
    )
  })

  it.each<[Json, string]>([
    [
      ['subquery', 'reports', A],
      `["subquery" "reports" ["=" "certname" "a"]] is not well-formed: query operator 'subquery' is unknown`,
    ],
    [
      nodes,
      `["select_nodes" ["=" "certname" "a"]] is not well-formed: query operator 'select_nodes' is unknown`,
    ],
    [
      ['in', 'certname', ['array', ['a']]],
      "The subquery argument of 'in' must be an 'extract', not 'array'",
    ],
  ])('the legacy one refuses %j as PuppetDB does', (query, message) => {
    expect(() => readQuery(query, 'legacy')).toThrow(message)
  })
})

describe('a second query', () => {
  it.each([
    ['["="] ["x"]', 'Found JSON (["x"]) after the query ["="]'],
    ['[1] 2 {"a":[1,null,"x"]}', 'Found JSON (2 {"a" [1 nil "x"]}) after the query [1]'],
  ])('%s is refused', (text, message) => {
    expect(() => parseJsonQuery(text)).toThrow(
      `Only one query may be sent in a request. ${message}`,
    )
  })

  it('is not a blank', () => {
    expect(parseJsonQuery(' ["="]\n\t')).toEqual(['='])
    expect(parseJsonQuery('')).toBeNull()
  })
})
