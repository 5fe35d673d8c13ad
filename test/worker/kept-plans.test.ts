/** Queries that are asked twice: the second time their plan is kept, and the answer has to be as fresh, and as bounded, as the first. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, parametersOf, request, store, type Answer } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { at, event, report, resource } from './reports.ts'

const service = closed({
  TOKENS: [
    tokenLine('webs', 'read', 'certname=web-*'),
    tokenLine('dbs', 'read', 'certname=db-*'),
    tokenLine('all', 'read'),
  ].join('\n'),
})
const names = (rows: Answer): string[] =>
  rows.map(({ certname }: { certname: string }) => certname).sort()

const QUERIES: readonly (readonly [path: string, parameters: Record<string, unknown>])[] = [
  ['/query/v4/nodes', {}],
  ['/query/v4/nodes', { query: ['~', 'certname', 'web|db'] }],
  ['/query/v4/reports', { query: ['=', 'latest_report?', true] }],
  ['/query/v4/events', { query: ['=', 'status', 'failure'] }],
  ['/query/v4', { query: 'reports[certname] { status = "failed" }' }],
]

const failing = (certname: string, minutes = 0) =>
  report({
    certname,
    status: 'failed',
    producer_timestamp: at(minutes * 60_000),
    resources: [resource({ events: [event({ status: 'failure' })] })],
  })

beforeAll(() => store(failing('web-1'), failing('db-1')))

describe('a query that was asked before', () => {
  it.each(QUERIES)('%s %j shows each reader only their own rows', async (path, parameters) => {
    for (const token of ['all', 'webs', 'dbs', 'webs', 'all'] as const) {
      const visible = { all: ['db-1', 'web-1'], webs: ['web-1'], dbs: ['db-1'] }[token]
      expect(names(await service.ask(token, path, parameters)), token).toEqual(visible)
    }
  })

  it.each(QUERIES.map((query, index) => [...query, index] as const))(
    '%s %j is answered with what was stored since',
    async (path, parameters, index) => {
      const before = names(await ask(path, parameters))
      const web = `web-${10 + index}`
      await store(failing(web, 1))
      expect(names(await ask(path, parameters))).toEqual([...before, web].sort())
      const db = `db-${10 + index}`
      await store(failing(db, 2))
      expect(names(await ask(path, parameters))).toEqual([...before, web, db].sort())
    },
  )

  it('keeps a query in a body apart from the URL that it is posted to', async () => {
    const all = names(await ask('/query/v4/nodes'))
    const posted = async (certname: string): Promise<string[]> => {
      const body = JSON.stringify({ query: ['=', 'certname', certname] })
      const headers = { 'content-type': 'application/json' }
      const response = await request('/query/v4/nodes', { method: 'POST', body, headers })
      return names(await response.json())
    }
    expect(await posted('web-1')).toEqual(['web-1'])
    expect(await posted('db-1')).toEqual(['db-1'])
    expect(names(await ask('/query/v4/nodes'))).toEqual(all)
  })

  it('is refused again where it was refused, and not where only its neighbour was', async () => {
    const status = async (query: unknown): Promise<number> =>
      (await request(`/query/v4/nodes?${parametersOf({ query })}`)).status
    for (let time = 0; time < 2; time++) {
      expect(await status(['=', 'certname'])).toBe(400)
      expect(await status(['=', 'certname', 'web-1'])).toBe(200)
    }
  })

  it('gives the total only where it is asked for', async () => {
    const nodes = names(await ask('/query/v4/nodes'))
    const records = async (more: object): Promise<string | null> =>
      (await request(`/query/v4/nodes?${parametersOf({ limit: '1', ...more })}`)).headers.get(
        'x-records',
      )
    for (let time = 0; time < 2; time++) {
      expect(await records({})).toBeNull()
      expect(await records({ include_total: 'true' })).toBe(String(nodes.length))
    }
  })
})
