/** Integers that no double holds: asked for digit for digit, in every way that a query can be sent. */

import { beforeAll, describe, expect, it } from 'vitest'
import { JSON_TYPE, parametersOf, request, storeReport, textOf } from './client.ts'
import { event, report, resource } from './reports.ts'

/** The values that one report's events have as `new_value` and `old_value`, each under its own name. */
const VALUES = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '18446744073709551616',
  '{"a":[9007199254740993,1]}',
  '[9007199254740993]',
  '"9007199254740993"',
  'null',
]

beforeAll(async () => {
  const marked = VALUES.map((_, index) =>
    event({ name: `${index}`, new_value: `<${index}>`, old_value: `<${index}>` }),
  )
  const payload = report({ certname: 'zfs', resources: [resource({ events: marked })] })
  const body = JSON.stringify(payload).replace(/"<(\d+)>"/g, (_, index) => VALUES[Number(index)]!)
  const init = { method: 'POST', headers: JSON_TYPE, body }
  const response = await request(`/pdb/cmd/v1?${parametersOf(storeReport('zfs'))}`, init)
  expect(response.status).toBe(200)
})

/** The values of the events that a filter finds, as their own texts. */
async function found(path: string, init: RequestInit = {}): Promise<string[]> {
  const response = await request(path, init)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => VALUES[Number(name)]!).sort()
}
const byAst = (filter: string): Promise<string[]> =>
  found(`/query/v4/events?query=${encodeURIComponent(filter)}`)
const byRoot = (query: string): Promise<string[]> =>
  found(`/query/v4?query=${encodeURIComponent(query)}`)
const byPost = (filter: string): Promise<string[]> =>
  found('/query/v4/events', { method: 'POST', headers: JSON_TYPE, body: `{"query":${filter}}` })

const numbers = VALUES.slice(0, 4)

describe.each(['new_value', 'old_value'])('%s', (field) => {
  it.each(VALUES.slice(0, 7))('= %s', async (value) => {
    const filter = `["=","${field}",${value}]`
    expect(await byAst(filter)).toEqual([value])
    expect(await byPost(filter)).toEqual([value])
    expect(await byRoot(`["from","events",${filter}]`)).toEqual([value])
    expect(await byAst(`["not",${filter}]`)).toEqual(VALUES.filter((one) => one !== value).sort())
  })

  it.each(numbers)('= %s in PQL', async (value) => {
    expect(await byRoot(`events { ${field} = ${value} }`)).toEqual([value])
    expect(await byRoot(`events { ${field} in [${value}, "x"] }`)).toEqual([value])
  })

  it.each([
    [['9007199254740993']],
    [['9007199254740992', '"9007199254740993"', '{"a":[9007199254740993,1]}']],
    [['null']],
    [[]],
  ])('in %j', async (list) => {
    const filter = `["in","${field}",["array",[${list.join(',')}]]]`
    const others = VALUES.filter((one) => !list.includes(one)).sort()
    expect(await byAst(filter)).toEqual([...list].sort())
    expect(await byPost(`["not",${filter}]`)).toEqual(others)
  })
})

it.each([
  'events { line = 9223372036854775807 }',
  '["from", "events", ["in", "line", ["array", [9223372036854775807]]]]',
])('ast_only keeps every digit of %s', async (query) => {
  const response = await request(`/query/v4?${parametersOf({ query, ast_only: 'true' })}`)
  expect(await response.text()).toMatch(/ 9223372036854775807\n/)
})

it.each([
  ['=', []],
  ['>', []],
  ['<', numbers.length],
])('a number field is %s a number beyond all that it holds', async (operator, expected) => {
  const rows = await byAst(`["${operator}","line",${'9'.repeat(400)}]`)
  expect(typeof expected === 'number' ? rows.length >= expected : rows).toEqual(
    typeof expected === 'number' ? true : expected,
  )
})

it.each([
  ['/query/v4/events?limit=9007199254740993', 'limit'],
  [
    `/query/v4/events?query=${encodeURIComponent('["=","timestamp",9007199254740993]')}`,
    '9007199254740993',
  ],
  [
    `/query/v4/events?query=${encodeURIComponent('["=","file",9007199254740993]')}`,
    '9007199254740993',
  ],
  [
    `/query/v4/reports?query=${encodeURIComponent('["=","noop",9007199254740993]')}`,
    '9007199254740993',
  ],
  ['/query/v4/reports?order_by=[9007199254740993]', '9007199254740993'],
  [
    '/query/v4/event-counts?summarize_by=certname&counts_filter=9007199254740993',
    '9007199254740993',
  ],
])('%s is refused by a sentence that has the number as it was sent', async (path, quoted) => {
  const response = await request(path)
  expect(response.status).toBe(400)
  const text = await response.text()
  expect(text).toContain(quoted)
  expect(text).not.toContain('literal')
})

describe('an insight', () => {
  const all = (text: string): void => {
    for (const value of VALUES.slice(0, 5)) expect(text).toContain(`"new_value":${value}`)
  }

  it('tells values digit for digit', async () => {
    const [{ hash }] = await (await request('/query/v4/reports')).json<[{ hash: string }]>()
    all(await textOf(await request(`/insight/v1/reports/${hash}`)))
    all(await textOf(await request('/insight/v1/changes?since=2000-01-01')))
    all(await textOf(await request('/insight/v1/changes.ndjson?since=2000-01-01')))
    const page = await textOf(await request(`/console/reports/${hash}`))
    expect(page).toContain('-9007199254740993 → -9007199254740993')
  })

  it('explains a query digit for digit', async () => {
    const query = 'events { new_value = 9007199254740993 }'
    const text = await textOf(await request(`/insight/v1/explain?${parametersOf({ query })}`))
    expect(text).toContain('["=","new_value",9007199254740993]')
  })
})
