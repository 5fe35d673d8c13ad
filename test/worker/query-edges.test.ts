/** Corners of the query language where a running PuppetDB does what nobody would guess, and where too much is asked. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, JSON_TYPE, request, store } from './client.ts'
import { at, report } from './reports.ts'

let hash = ''

beforeAll(async () => {
  await store(
    report({ certname: 'edge', producer_timestamp: at(0) }),
    report({ certname: 'edge', producer_timestamp: at(1000) }),
  )
  const [row] = await ask('/query/v4/reports', { query: ['extract', 'hash'], limit: 1 })
  hash = row.hash
})

it.each([
  [true, 1],
  ['false', 1],
  [false, 1],
  [null, 1],
])('latest_report? = %j finds %i report', async (value, count) => {
  const found = await ask('/query/v4/reports', {
    query: ['extract', ['hash'], ['=', 'latest_report?', value]],
  })
  expect(found).toHaveLength(count)
  expect(found[0].hash === hash).toBe(value !== false && value !== null)
})

it.each([
  ['property', 'string', 200],
  ['new_value', 'value', 200],
  ['containment_path', 'path', 200],
  ['line', 'number', 400],
  ['corrective_change', 'boolean', 400],
  ['timestamp', 'timestamp', 400],
])('%s, a field of the kind %s, takes patterns or not: %i', async (field, _, status) => {
  const query = encodeURIComponent(JSON.stringify(['~', field, 'x']))
  expect((await request(`/pdb/query/v4/events?query=${query}`)).status).toBe(status)
})

it.each([
  [['~', 'job_id', null], 0],
  [['not', ['~', 'job_id', null]], 2],
  [['=', 'job_id', null], 2],
])('%j finds %i reports without a job', async (query, count) => {
  expect(await ask('/query/v4/reports', { query })).toHaveLength(count)
})

it.each([
  ['=', 'report', 0],
  ['=', 'latest_report_hash', 0],
])('%s of %s with a text that is no hash finds %i rows', async (operator, field, count) => {
  const path = field === 'report' ? 'events' : 'nodes'
  expect(await ask(`/query/v4/${path}`, { query: [operator, field, 'nonsense'] })).toHaveLength(
    count,
  )
})

it('of several to_string the last asked comes first', async () => {
  const format = (mask: string) => ['function', 'to_string', 'producer_timestamp', mask]
  const query = ['extract', ['certname', format('YYYY'), format('MM'), format('DD')]]
  const text = await (
    await request(`/query/v4/reports?limit=1&query=${JSON.stringify(query)}`)
  ).text()
  expect(text).toBe(
    '[{"to_string":"02","to_string_2":"03","to_string_3":"2026","certname":"edge"}]',
  )
})

describe('parts of a report below something unknown', () => {
  it.each([
    ['environments/nowhere', 'environment nowhere'],
    ['producers/nobody', 'producer nobody'],
  ])('%s', async (parent, thing) => {
    for (const part of ['metrics', 'logs', 'events']) {
      const response = await request(`/query/v4/${parent}/reports/${hash}/${part}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ error: `No information is known about ${thing}` })
    }
  })
})

describe('a paging clause as the whole query', () => {
  it.each([
    ['reports', ['limit', 1], 1],
    ['reports', ['offset', 1], 1],
    ['reports', ['order_by', ['hash']], 2],
    ['environments', ['limit', 1], 1],
    ['producers', ['offset', 1], 0],
  ])('/%s %j', async (path, query, rows) => {
    expect(await ask(`/query/v4/${path}`, { query })).toHaveLength(rows)
  })

  it('gives way to the URL', async () => {
    expect(await ask('/query/v4/reports', { query: ['limit', 1], limit: 2 })).toHaveLength(2)
  })

  it.each(['nodes', 'environments/production/reports', 'facts'])(
    'is refused by /%s, as by PuppetDB, which adds a filter there',
    async (path) => {
      const response = await request(`/query/v4/${path}?query=["limit",1]`)
      expect(response.status).toBe(400)
    },
  )
})

describe('ast_only', () => {
  const treeOf = (query: string) => ask('/query/v4', { query, ast_only: 'true' })

  it.each([
    '["from","reports",["extract","certname",["=","status","failed"]],["limit",1]]',
    '["from","reports",["in",["certname"],["array",["a"]]],["order_by",[["hash","asc"]]]]',
    '["from","reports",["and",["=","status","failed"]],["order_by",["hash"]],["offset",1]]',
  ])('repeats %s', async (query) => {
    expect(await treeOf(query)).toEqual(JSON.parse(query))
  })

  it.each([
    ['reports { limit 1 }', ['from', 'reports', ['limit', 1]]],
    [
      'reports { order by hash limit 1 }',
      ['from', 'reports', ['order_by', ['hash']], ['limit', 1]],
    ],
    [
      'reports { order by receive_time asc, hash }',
      ['from', 'reports', ['order_by', [['receive_time', 'asc'], 'hash']]],
    ],
    [
      'reports { [certname] in ["a"] and certname in ["a"] }',
      [
        'from',
        'reports',
        ['and', ['in', ['certname'], ['array', ['a']]], ['in', 'certname', ['array', ['a']]]],
      ],
    ],
    [
      'nodes { [certname] in reports[certname] { } }',
      ['from', 'nodes', ['in', ['certname'], ['from', 'reports', ['extract', ['certname']]]]],
    ],
  ])('translates %s', async (query, tree) => {
    expect(await treeOf(query)).toEqual(tree)
  })
})

it.each([
  'nodes[nope] {}',
  'nodes { nope = 1 }',
  'reports { report_format = "12" }',
  'reports { certname > "a" }',
])('ast_only says what is wrong with %s', async (query) => {
  const response = await request(`/query/v4?ast_only=true&query=${encodeURIComponent(query)}`)
  expect(response.status).toBe(400)
})

const post = (query: unknown): Promise<Response> =>
  request('/query/v4/reports', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ query }),
  })
const times = (length: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_, index) => make(index))
const COUNT = [['function', 'count']]

describe('20,000 conditions', () => {
  const many = (condition: (index: number) => unknown, chain = 'or') => [
    'extract',
    COUNT,
    [chain, ...times(20_000, condition)],
  ]

  it.each<[string, unknown]>([
    ['patterns', many((index) => ['~', 'certname', `v${index}$`])],
    ['equalities that all must hold', many((index) => ['=', 'certname', `v${index}`], 'and')],
    ['inequalities', many((index) => ['not', ['=', 'certname', `v${index}`]])],
    ['pairs', many((index) => ['and', ['=', 'certname', `v${index}`], ['=', 'status', 'x']])],
  ])('that are %s are refused by a sentence that names the limit', async (_, query) => {
    const response = await post(query)
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^The query has more than 2000 conditions\./)
  })

  it('that are wrong, each in its own way, are refused in few words', async () => {
    const response = await post(many((index) => ['=', `v${index}`, 1]))
    expect(response.status).toBe(400)
    expect((await response.text()).split('\n')).toHaveLength(10)
  })

  it('that are values which a field must not have are a list', async () => {
    const response = await post(many((index) => ['not', ['=', 'certname', `v${index}`]], 'and'))
    expect(await response.json()).toEqual([{ count: 2 }])
  })

  it('that are equalities of a field are a list', async () => {
    const response = await post(
      many((index) => ['=', 'certname', index === 7 ? 'edge' : `v${index}`]),
    )
    expect(await response.json()).toEqual([{ count: 2 }])
  })
})

describe('patterns on a field whose texts have to be read', () => {
  const patterns = (length: number, make: (pattern: unknown) => unknown) => [
    'extract',
    COUNT,
    ['and', ...times(length, (index) => make(['~', 'configuration_version', `^${index}x`]))],
  ]

  it('are tried at once where none may match', async () => {
    const response = await post(patterns(500, (pattern) => ['not', pattern]))
    expect(await response.json()).toEqual([{ count: 2 }])
    expect(costOf(response).roundTrips).toBe(2)
  })

  it('are refused where they are too many to be tried one by one', async () => {
    const response = await post(patterns(101, (pattern) => pattern))
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(
      /^The query has too many regular expressions on fields such as configuration_version/,
    )
  })
})

it.each<[string, unknown]>([
  ['columns', ['extract', times(20_000, () => 'certname')]],
  [
    'terms in group_by',
    ['extract', COUNT, ['group_by', ...times(20_000, (index) => ['status', 'noop'][index % 2])]],
  ],
])('20,000 %s are refused by their number', async (what, query) => {
  const response = await post(query)
  expect(response.status).toBe(400)
  expect(await response.text()).toBe(`The query has too many ${what}: D1 takes 100.`)
})

it.each<[string, string, number]>([
  ['a limit with a sign', 'reports?limit=%2B1', 1],
  ['an empty order_by', 'reports?order_by=', 2],
  ['a direction of null', `reports?order_by=[{"field":"hash","order":null}]`, 2],
  ['a small t in a time', `reports?query=[">","end_time","2026-03-02t11:00:00z"]`, 2],
  ['a blank for a query', 'reports?query=%20', 2],
  ['a text among times that is none', 'reports?query=["in","end_time",["array",["never"]]]', 0],
  ['a comma behind the last summary', 'aggregate-event-counts?summarize_by=certname,', 1],
  ['a summary twice', 'aggregate-event-counts?summarize_by=certname,certname', 2],
])('%s is taken', async (_, path, rows) => {
  const response = await request(`/query/v4/${path}`)
  expect(await response.json()).toHaveLength(rows)
})

it.each([
  ['resource_type', "Unsupported value for 'summarize_by': 'resource_type'"],
  ['certnam', "Unsupported value for 'summarize_by': 'certnam'. Did you mean 'certname'?"],
])('to summarize_by %s is refused', async (summary, sentence) => {
  const response = await request(`/query/v4/event-counts?summarize_by=${summary}`)
  expect([response.status, await response.text()]).toEqual([400, sentence])
})

it.each([[null], [true], [1.5], [[]]])('%j among times is refused', async (value) => {
  const response = await post(['in', 'end_time', ['array', ['2026-03-02', value]]])
  expect(response.status).toBe(400)
  expect(await response.text()).toBe(`${JSON.stringify(value)} is not a valid timestamp value`)
})

it.each([
  'events?',
  'event-counts?summarize_by=certname&',
  'aggregate-event-counts?summarize_by=certname&',
])('%s with distinct_resources=false and its window is answered as without', async (path) => {
  const window = 'distinct_start_time=2020-01-01&distinct_end_time=2020-01-02'
  const without = await (await request(`/query/v4/${path}`)).text()
  const response = await request(`/query/v4/${path}distinct_resources=false&${window}`)
  expect([response.status, await response.text()]).toEqual([200, without])
})
