/** Queries about what is not kept: exported resources are refused, and answers without rows say why. */

import { describe, expect, it } from 'vitest'
import { parametersOf, request } from './client.ts'
import { closed } from './closed.ts'

/** What puppetserver's terminus asks for `File <<| tag == 'shared' |>>`. */
const COLLECTOR = [
  'and',
  ['=', 'type', 'File'],
  ['=', 'exported', true],
  ['not', ['=', 'certname', 'web1']],
  ['=', 'tag', 'shared'],
]

const pathOf = (path: string, query: unknown): string =>
  `/pdb/query/v4${path}?${parametersOf({ query })}`

describe('a query for exported resources', () => {
  it.each([
    ['of the terminus', '/resources', COLLECTOR],
    ['of a type', '/resources/File', ['=', 'exported', true]],
    ['in PQL', '', 'resources { exported = true }'],
    ['at the root', '', ['from', 'resources', COLLECTOR]],
    ['by a list', '/resources', ['in', 'exported', ['array', [true]]]],
    ['by what they are not', '/resources', ['not', ['=', 'exported', false]]],
    ['by what they are not, twice', '/resources', ['not', ['not', ['=', 'exported', true]]]],
    ['in an implicit subquery', '', 'nodes { resources { exported = true } }'],
    ['in an explicit one', '', 'nodes { certname in resources[certname] { exported = true } }'],
    [
      'in one of the old style',
      '/nodes',
      ['in', 'certname', ['extract', 'certname', ['select_resources', ['=', 'exported', true]]]],
    ],
    [
      'in a subquery of a subquery',
      '/nodes',
      ['subquery', 'reports', ['subquery', 'catalogs', ['subquery', 'resources', COLLECTOR]]],
    ],
    ['in a query about what is not kept', '', 'catalogs { resources { exported = true } }'],
  ])(
    'is refused %s, so that the compilation fails and nothing is purged',
    async (_, path, query) => {
      const response = await request(pathOf(path, query))
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(
        'This service keeps no catalogs, so it knows no exported resources.',
      )
    },
  )

  it('is answered with none where the operator wants that, with a warning for the log of puppetserver', async () => {
    const open = closed({ ACCESS: 'open', EXPORTED_RESOURCES: 'none' })
    const response = await open.request(pathOf('/resources', COLLECTOR))
    expect([response.status, await response.json()]).toEqual([200, []])
    expect(response.headers.get('x-deprecation')).toBe(
      'The report query service keeps no resources: the answer is empty.',
    )
  })
})

it.each([
  ['/resources', ['=', 'exported', false], 'resources'],
  ['/facts', ['=', 'name', 'os'], 'facts'],
  ['', 'inventory {}', 'inventory'],
  ['/resources', ['not', ['=', 'exported', true]], 'resources'],
  ['', 'nodes[certname] { facts { name = "os" } }', 'facts'],
  [
    '/nodes',
    ['in', 'certname', ['extract', 'certname', ['select_facts', ['=', 'name', 'os']]]],
    'facts',
  ],
  ['', 'reports { nodes { inventory { environment = "production" } } }', 'inventory'],
  ['', 'catalogs { resources { exported = false } }', 'catalogs, no resources'],
])('%s is answered with none and a warning: %j', async (path, query, entity) => {
  const response = await request(pathOf(path, query))
  expect([response.status, await response.json()]).toEqual([200, []])
  expect(response.headers.get('x-deprecation')).toContain(`keeps no ${entity}`)
})

it.each([null, ['extract', [['function', 'count']]]])(
  'below a node that is unknown, %j finds no node',
  async (query) => {
    const response = await request(pathOf('/nodes/nowhere/facts', query))
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'No information is known about node nowhere' },
    ])
  },
)

it('a query about stored data is answered without a warning', async () => {
  expect((await request(pathOf('/reports', null))).headers.has('x-deprecation')).toBe(false)
})
