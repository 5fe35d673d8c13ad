/** One closed service with the sample fleet, for all tests of what its documentation says. */

import { createHash } from 'node:crypto'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import type { Service } from '../../worker/local/service.ts'
import { load } from '../conformance/server.ts'
import { startLocalService } from '../local/local-service.ts'

/** Token → its line in TOKENS without the digest. */
const TOKENS = {
  admin: 'admin,submit,read',
  reader: 'read',
  sender: 'submit',
  tenant: 'read certname=web*',
} as const
export type TokenName = keyof typeof TOKENS

export const tokenOf = (name: TokenName): string => `rqs_${name}`

export interface FleetService extends Service {
  /** Headers with a token. */
  readonly as: (name: TokenName) => Record<string, string>
}

export async function fleetService(): Promise<FleetService> {
  const lines = Object.entries(TOKENS).map(([name, rights]) => {
    const [scopes, ...restrictions] = rights.split(' ')
    const digest = createHash('sha256')
      .update(tokenOf(name as TokenName))
      .digest('hex')
    return [name, scopes, digest, ...restrictions].join(' ')
  })
  const service = await startLocalService({
    ACCESS: 'closed',
    TOKENS: lines.join('\n'),
    LOCAL_HOOKS: 'on',
    // Pages make a hook that mails, and none that they test.
    SMTP_URL: 'smtp://localhost:1',
    SMTP_FROM: 'reports@example.com',
  })
  const as = (name: TokenName) => ({ authorization: `Bearer ${tokenOf(name)}` })
  // One after the other: a cause is named by the report that is stored first.
  for (const command of sampleFleet(new Date()))
    await load(`${service.url}/pdb`, [command as never], as('sender'))
  return { ...service, as }
}

/** The rows of a query, in PQL or as a tree. */
export async function rowsOf(
  service: FleetService,
  query: string,
): Promise<Record<string, string>[]> {
  const url = new URL('/pdb/query/v4', service.url)
  url.searchParams.set('query', query)
  const response = await fetch(url, { headers: service.as('reader') })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${query}: ${text}`)
  return JSON.parse(text) as Record<string, string>[]
}
