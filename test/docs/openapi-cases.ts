/** The answers of a running service fit their description, and a generated client works with it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AnswerJudge, describedBy, DOCUMENT } from './document.ts'
import type { FleetService, TokenName } from './fleet-service.ts'
import { compilerMessages } from './typed-client.ts'

interface Connection {
  readonly url: string
  readonly headers: Record<string, string>
}

/** What client.ts exports. Its types need those that the test makes, so that this file can't import them. */
interface Client {
  readonly failing: (to: Connection) => Promise<{ names: string[]; why: string[] }>
  readonly causes: (to: Connection) => Promise<readonly unknown[]>
  readonly newestFailed: (to: Connection) => Promise<readonly { readonly status: string }[]>
}

export function openApiCases(service: () => FleetService): void {
  const get = (path: string, name: TokenName = 'admin') =>
    fetch(service().url + path, { headers: service().as(name) })
  const json = async <Body>(path: string): Promise<Body> => (await get(path)).json()

  it('is served to everyone with a token, and changes with the routes alone', async () => {
    const response = await get('/openapi.json', 'tenant')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(DOCUMENT)))
    expect((await fetch(`${service().url}/openapi.json`)).status).toBe(401)
  })

  it('describes every answer that is read', async () => {
    const [report] = await json<{ hash: string; certname: string; environment: string }[]>(
      '/query/v4/reports?limit=1&query=["=","status","failed"]',
    )
    const { items } = await json<{ items: { cause: string }[] }>('/insight/v1/causes?since=7d')
    const deploys = await json<{ items: { code_version: string }[] }>(
      `/insight/v1/deploys?since=30d&environment=${report!.environment}`,
    )
    const names: Record<string, string> = {
      version: deploys.items[0]!.code_version,
      hash: report!.hash,
      certname: report!.certname,
      node: report!.certname,
      environment: report!.environment,
      producer: 'puppet.example.com',
      cause: items[0]!.cause,
      service: 'puppetdb-status',
      request: 'list',
    }
    const required: Record<string, string> = {
      '/query/v4': 'query=nodes{}',
      '/query/v4/event-counts': 'summarize_by=resource',
      '/query/v4/aggregate-event-counts': 'summarize_by=certname',
      '/insight/v1/changes/years': 'resource=File[/etc/motd]',
      '/insight/v1/search': 'q=web',
      '/insight/v1/logs': 'q=catalog&since=7d',
      '/insight/v1/complete': 'q=nodes',
      '/insight/v1/explain': 'query=nodes{}',
    }
    const judge = new AnswerJudge(true)
    const problems: string[] = []
    let requests = 0
    for (const [template, { get: operation }] of Object.entries(DOCUMENT.paths)) {
      if (!operation?.responses['200']?.content?.['application/json']) continue
      const unnamed = [...template.matchAll(/\{(\w+)\}/g)].some(([, name]) => !names[name!])
      if (unnamed || template === '/openapi.json') continue
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(names[name]!),
      )
      const parameters = required[template.replace(/\.json$/, '')] ?? ''
      const response = await get(`${path}?${parameters}`)
      // Single catalogs and factsets are never there.
      if (response.status === 404 && /catalogs|factsets|producers/.test(template)) continue
      requests++
      const text = await response.text()
      expect(response.status, `${path}: ${text}`).toBe(200)
      problems.push(...judge.problems('GET', path, JSON.parse(text)))
    }
    expect(problems).toEqual([])
    expect(requests).toBeGreaterThan(60)
  })

  it('has all fields of whole rows, and no others', async () => {
    const names = { reports: 'Report', events: 'Event', nodes: 'Node', environments: 'Environment' }
    for (const [path, schema] of Object.entries(names)) {
      for (const prefix of ['', '/pdb']) {
        const [row] = await json<object[]>(`${prefix}/query/v4/${path}?limit=1`)
        const { properties } = DOCUMENT.components.schemas[schema] as { properties: object }
        const other = prefix === '' ? 'puppet_version' : 'agent_version'
        const described = Object.keys(properties).filter((name) => name !== other)
        expect(Object.keys(row!).sort(), prefix + path).toEqual(described.sort())
      }
    }
  })

  it.each([
    ['BadQuery', 'GET', '/query/v4/reports?limt=5', 'admin'],
    ['BadCommand', 'POST', '/admin/v1/cmd', 'admin'],
    ['Unauthenticated', 'GET', '/query/v4/reports', null],
    ['Forbidden', 'GET', '/admin/v1/retention', 'reader'],
    ['NotFound', 'GET', '/query/v4/nodes/web9.example.com', 'reader'],
    ['UnsupportedMediaType', 'POST', '/query/v4/reports', 'reader'],
    ['NotAcceptable', 'GET', '/query/v4/reports', 'reader'],
  ] as const)('describes the failure %s', async (name, method, path, token) => {
    const response = await fetch(service().url + path, {
      method,
      headers: {
        ...(token === null ? { authorization: 'Bearer wrong' } : service().as(token)),
        ...(method === 'POST'
          ? { 'content-type': name === 'BadCommand' ? 'application/json' : 'text/plain' }
          : {}),
        ...(name === 'NotAcceptable' ? { accept: 'image/png' } : {}),
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    const [[type, content]] = Object.entries(DOCUMENT.components.responses[name]!.content) as [
      [string, { example: unknown }],
    ]
    const template = describedBy(method, path.split('?')[0]!)!
    const described = DOCUMENT.paths[template]![method.toLowerCase()]!.responses
    expect(Object.keys(described)).toContain(String(response.status))
    expect(response.headers.get('content-type')).toContain(type)
    if (name === 'Forbidden') return
    const text = await response.text()
    expect(type === 'text/plain' ? text : JSON.parse(text)).toEqual(content.example)
  })

  it('makes types by which a client compiles and runs', async () => {
    const source = readFileSync(join(import.meta.dirname, 'client.ts'), 'utf8')
    const wrong = source.replace("kind: 'failure'", "kind: 'failures'")
    expect(await compilerMessages([source, wrong])).toEqual([[], [expect.any(String)]])
    const path = join(import.meta.dirname, 'client.ts')
    const client = (await import(path)) as Client
    const connection = { url: service().url, headers: service().as('reader') }
    const { names, why } = await client.failing(connection)
    expect(names).toHaveLength(5)
    expect(why[0]).toMatch(/\w/)
    expect((await client.causes(connection)).length).toBeGreaterThan(1)
    expect((await client.newestFailed(connection)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
    ])
  })
}
