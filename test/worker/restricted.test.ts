/** Every route of the API, asked by a restricted principal that has every scope. */

import { describe, expect, it } from 'vitest'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import type { Route } from '../../worker/http/router.ts'
import { request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { report } from './reports.ts'

const service = closed({
  TOKENS: tokenLine('webs', 'read,submit,admin', 'certname=web-*'),
  CONSOLE_KEY: 'k'.repeat(40),
})
const as = (path: string, method = 'GET', body?: string): Promise<Response> =>
  service.request(path, {
    method,
    headers: { 'x-authentication': 'webs', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })

/** A path that fits the route's. */
const pathOf = ({ path, mounts }: Route): string =>
  mounts[0]! +
  path
    .replace(/:version\{[^}]*\}/, 'v3')
    .replace(/:\w+/g, 'web-1')
    .replace('*', 'x')

const methodOf = ({ method }: Route): string => (method === 'ALL' ? 'GET' : method)

const table = EVERY_ROUTE.map((route) => [methodOf(route), pathOf(route), route] as const)

describe('a restricted principal', () => {
  it.each(table.filter(([, , { allowsRestricted }]) => !allowsRestricted))(
    'is refused %s %s',
    async (method, path) => {
      const response = await as(path, method, method === 'GET' ? undefined : '{}')
      expect(response.status).toBe(403)
    },
  )

  it.each(table.filter(([, , { allowsRestricted }]) => allowsRestricted))(
    'is not told the cost of %s %s',
    async (method, path) => {
      const response = await as(path, method, method === 'GET' ? undefined : '{}')
      await response.arrayBuffer()
      expect(response.headers.get('server-timing')).toBeNull()
    },
  )

  // Written out: the tables above follow what the routes say of themselves.
  it.each([
    [200, 'read', '/pdb/query/v4/nodes'],
    [200, 'read', '/insight/v1/fleet'],
    [200, 'submit', '/pdb/cmd/v1?command=deactivate_node&version=3&certname=web-1'],
    [200, 'submit', '/pdb/meta/v1/version'],
    [200, 'submit', '/status/v1/services'],
    [200, 'submit', '/openapi.json'],
    [403, 'read', '/metrics/v2/list'],
    [403, 'admin', '/pdb/admin/v1/summary-stats'],
  ])('gets %i with the scope %s from %s', async (status, scope, path) => {
    const token = tokenLine('webs', scope, 'certname=web-*')
    const isCommand = path.includes('/cmd/')
    const response = await closed({ TOKENS: token }).request(path, {
      headers: { 'x-authentication': 'webs', 'content-type': 'application/json' },
      ...(isCommand ? { method: 'POST', body: JSON.stringify({ certname: 'web-1' }) } : {}),
    })
    await response.arrayBuffer()
    expect(response.status).toBe(status)
  })

  it.each([
    ['/insight/v1/queries/oncall', 'PUT'],
    ['/insight/v1/queries/oncall', 'DELETE'],
  ])('may not change what everyone shares: %s %s', async (path, method) => {
    const saved = JSON.stringify({ title: 'On call', query: 'nodes { }' })
    await request('/insight/v1/queries/oncall', { method: 'PUT', body: saved })
    const response = await as(path, method, saved.replace('nodes', 'reports'))
    expect(response.status).toBe(403)
    const all = await (await request('/insight/v1/queries')).text()
    expect(all).toContain('"query":"nodes { }"')
  })

  it.each(['save', 'delete'])(
    'may not %s what everyone shares by the console either',
    async (action) => {
      const saved = JSON.stringify({ title: 'On call', query: 'nodes { }' })
      await request('/insight/v1/queries/oncall', { method: 'PUT', body: saved })
      const body = new URLSearchParams({
        do: action,
        name: 'oncall',
        title: 'Mine',
        q: 'reports { }',
        query: 'reports { }',
      })
      const response = await service.request('/console/queries', {
        method: 'POST',
        headers: { 'x-authentication': 'webs', origin: 'http://service.example' },
        body,
        redirect: 'manual',
      })
      expect([response.status, await response.text()]).toEqual([
        403,
        expect.stringContaining('Saved queries need the scope operate without restrictions.'),
      ])
      expect(await (await request('/insight/v1/queries')).text()).toContain('"query":"nodes { }"')
    },
  )

  it.each([
    ['environment=lab', 'You see only environment lab.'],
    ['environment=lab,test', 'You see only environments lab and test.'],
  ])('with %s reads in the console what it sees', async (restrictions, sentence) => {
    const tenant = closed({ TOKENS: tokenLine('tenant', 'read', restrictions) })
    const [status, html] = await tenant.as('tenant', '/console/nodes', {
      headers: { accept: 'text/html' },
    })
    expect([status, html]).toEqual([200, expect.stringContaining(sentence)])
  })

  it('learns that its report is stored, but not its cost', async () => {
    const parameters = 'command=store_report&version=8&certname=web-1'
    const payload = JSON.stringify(report({ certname: 'web-1' }))
    const response = await as(`/pdb/cmd/v1?${parameters}`, 'POST', payload)
    expect([response.status, response.headers.get('server-timing')]).toEqual([200, null])
    expect(await response.text()).toContain('uuid')
  })
})
