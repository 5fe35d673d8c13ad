/** `include_facts_expiration` gives nodes two more fields, as PuppetDB's `/nodes` and `/nodes/NODE` have with it. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, parametersOf, request, store } from './client.ts'
import { report, type Payload } from './reports.ts'

const WITH = { include_facts_expiration: 'true' }

beforeAll(() => store(report({ certname: 'web1' }), report({ certname: 'web2' })))

const namesOf = (row: Payload): string[] => Object.keys(row)
const errorOf = async (path: string, parameters: Payload): Promise<[number, string]> => {
  const response = await request(`${path}?${parametersOf(parameters)}`)
  return [response.status, await response.text()]
}

describe('rows of nodes', () => {
  it.each(['/query/v4/nodes', '/pdb/query/v4/nodes'])('of %s have them with it', async (path) => {
    const [plain] = await ask(path)
    const rows: Payload[] = await ask(path, WITH)
    expect(
      rows.map((row) => [row['certname'], row['expires_facts'], row['expires_facts_updated']]),
    ).toEqual([
      ['web1', true, null],
      ['web2', true, null],
    ])
    const names = namesOf(rows[0]!)
    expect(names[names.indexOf('latest_report_hash') + 1]).toBe('expires_facts')
    expect(names[names.indexOf('latest_report_noop') + 1]).toBe('expires_facts_updated')
    expect(names.filter((name) => !name.startsWith('expires_'))).toEqual(namesOf(plain))
  })

  it('of one node too', async () => {
    const plain = await ask('/query/v4/nodes/web1')
    expect(plain).not.toHaveProperty('expires_facts')
    expect(await ask('/query/v4/nodes/web1', WITH)).toEqual({
      ...plain,
      expires_facts: true,
      expires_facts_updated: null,
    })
  })

  it.each(['TRUE', 'True', true])('with the word in any case: %j', async (word) => {
    const [row] = await ask('/query/v4/nodes', { include_facts_expiration: word, limit: 1 })
    expect(row).toHaveProperty('expires_facts', true)
  })

  it.each(['false', '1', 'yes', ''])('not with %j', async (word) => {
    const [row] = await ask('/query/v4/nodes', { include_facts_expiration: word, limit: 1 })
    expect(row).not.toHaveProperty('expires_facts')
  })

  it('not at the root endpoint', async () => {
    const [row] = await ask('/query/v4', { query: 'nodes { limit 1 }', ...WITH })
    expect(row).not.toHaveProperty('expires_facts')
    const query = 'nodes[expires_facts] { }'
    expect((await errorOf('/query/v4', { query, ...WITH }))[0]).toBe(400)
  })
})

describe('queries', () => {
  it.each<[what: unknown, rows: unknown]>([
    [['=', 'expires_facts', true], 2],
    [['=', 'expires_facts', false], 0],
    [['not', ['=', 'expires_facts', true]], 0],
    [['null?', 'expires_facts', true], 0],
    [['null?', 'expires_facts_updated', true], 2],
    [['null?', 'expires_facts_updated', false], 0],
    [['>', 'expires_facts_updated', '2020-01-01T00:00:00Z'], 0],
    [['not', ['>', 'expires_facts_updated', '2020-01-01T00:00:00Z']], 0],
    [['=', 'expires_facts_updated', '2020-01-01T00:00:00Z'], 0],
  ])('%j finds %j', async (query, rows) => {
    expect(await ask('/query/v4/nodes', { query, ...WITH })).toHaveLength(Number(rows))
  })

  it('extract, group and order by them', async () => {
    const query = ['extract', ['expires_facts', 'expires_facts_updated', 'certname']]
    const rows = await ask('/query/v4/nodes', {
      query,
      ...WITH,
      order_by: [{ field: 'expires_facts' }],
    })
    expect(rows).toEqual(
      ['web1', 'web2'].map((certname) => ({
        expires_facts: true,
        expires_facts_updated: null,
        certname,
      })),
    )
    const groups = [
      'extract',
      [['function', 'count'], 'expires_facts'],
      ['group_by', 'expires_facts'],
    ]
    expect(await ask('/query/v4/nodes', { query: groups, ...WITH })).toEqual([
      { count: 2, expires_facts: true },
    ])
    const latest = [['function', 'max', 'expires_facts_updated']]
    expect(await ask('/query/v4/nodes', { query: ['extract', latest], ...WITH })).toEqual([
      { max: null },
    ])
  })

  it('order by the one that is null', async () => {
    const order_by = [
      { field: 'expires_facts_updated', order: 'desc' },
      { field: 'certname', order: 'desc' },
    ]
    const rows: Payload[] = await ask('/query/v4/nodes', { ...WITH, order_by })
    expect(rows.map(({ certname }) => certname)).toEqual(['web2', 'web1'])
  })

  it.each(['expires_facts', 'expires_facts_updated'])('do not know %s without it', async (name) => {
    const [status, body] = await errorOf('/query/v4/nodes', { query: ['null?', name, true] })
    expect([status, body]).toEqual([400, expect.stringContaining(name)])
    const ordered = await errorOf('/query/v4/nodes', { order_by: [{ field: name }] })
    expect(ordered).toEqual([400, expect.stringContaining(name)])
  })
})
