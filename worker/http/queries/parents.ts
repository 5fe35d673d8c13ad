/** Checks the environments, producers, reports and nodes that the path of a query names. */

import { requireVisible } from '../../answer/visible.ts'
import type { Endpoint } from './endpoints.ts'
import type { QueryRequest } from './request.ts'

/** @throws NotFound for the first that does not exist or is hidden from the reader */
export async function requireParents(
  endpoint: Endpoint,
  { call, database, rowPolicy }: QueryRequest,
): Promise<void> {
  if (!('parents' in endpoint) || endpoint.parents.length === 0) return
  const names: Record<string, string> = call.req.param()
  const entities = endpoint.parents.map(({ kind, parameter }) => ({
    kind,
    name: names[parameter] ?? '',
  }))
  await requireVisible(database, entities, rowPolicy)
}
