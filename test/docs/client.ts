/** A client of the API by the types that openapi-typescript makes of its description (`api.d.ts`, made by the test). */

import type { components, paths } from './api.d.ts'

export type Report = components['schemas']['Report']
type NodePage =
  paths['/insight/v1/nodes/{certname}']['get']['responses'][200]['content']['application/json']
type FailingNodes = paths['/insight/v1/nodes']['get']
type Causes = paths['/insight/v1/causes']['get']['responses'][200]['content']['application/json']

/** Paths that are read without a name in them. */
type Plain = {
  [Path in keyof paths]: paths[Path] extends { get: { parameters: { path?: never } } }
    ? Path
    : never
}[keyof paths]
type Query<Path extends Plain> = paths[Path] extends {
  get: { parameters: { query?: infer Given } }
}
  ? Given
  : never
type Answer<Path extends Plain> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

export interface Connection {
  readonly url: string
  readonly headers: Record<string, string>
}

/** GET with checked parameters and a typed answer. */
async function get<Path extends Plain>(
  { url, headers }: Connection,
  path: Path,
  query: Query<Path>,
): Promise<Answer<Path>> {
  const parameters = Object.entries(query ?? {}).map(([name, value]) => [name, String(value)])
  const search = new URLSearchParams(parameters as [string, string][]).toString()
  const response = await fetch(`${url}${path}?${search}`, { headers })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Answer<Path>
}

/** Certnames of nodes that fail, and why the first of them does. */
export async function failing(connection: Connection): Promise<{ names: string[]; why: string[] }> {
  const state: NonNullable<NonNullable<FailingNodes['parameters']['query']>['state']> = ['failed']
  const { items } = await get(connection, '/insight/v1/nodes', { state, limit: 10 })
  const [first] = items
  if (!first) return { names: [], why: [] }
  const response = await fetch(`${connection.url}/insight/v1/nodes/${first.certname}`, {
    headers: connection.headers,
  })
  const node = (await response.json()) as NodePage
  return {
    names: items.map(({ certname }) => certname),
    why: node.causes.map(({ sample }) => sample),
  }
}

export async function causes(connection: Connection): Promise<Causes['items']> {
  return (await get(connection, '/insight/v1/causes', { since: '7d', kind: 'failure' })).items
}

export async function newestFailed(connection: Connection): Promise<Report[]> {
  return get(connection, '/query/v4/reports', {
    query: JSON.stringify(['=', 'status', 'failed']),
    order_by: JSON.stringify([{ field: 'producer_timestamp', order: 'desc' }]),
    limit: 2,
  })
}
