/** A site around a service: an authority, a front that looks at certificates, an agent, and the server that may speak for all nodes. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { startService } from '../../worker/local/service.ts'
import { Agent, CERTNAME } from './agent.ts'
import { Authority } from './certificates.ts'
import { startProxy, type Ask, type Proxy } from './proxy.ts'
import type { Target } from './query.ts'
import type { Workplace } from './workplace.ts'

/** The server's name in its certificate. */
export const SERVER = 'puppet.clients.example'

const TOKEN = 'rqs_of_programs_that_read_and_deactivate'

/** Who may come in: as the README's section "Access" has it, so that agents may send and not ask. */
const CLOSED = {
  ACCESS: 'closed',
  TOKENS: `programs submit,read ${createHash('sha256').update(TOKEN).digest('hex')}`,
  CLIENT_CERTIFICATES: `${SERVER} submit,read certname=*
*.clients.example submit`,
}

export interface Site {
  /** The service's own port, which no certificate gets to. */
  readonly target: Target
  readonly proxy: Proxy
  /** Asks the service as Cloudflare's front would. */
  readonly ask: Ask
  readonly authority: Authority
  /** An authority that the front knows nothing of. */
  readonly stranger: Authority
  readonly agent: Agent
  readonly server: Agent
  /** Folder of the programs in other languages. */
  readonly scripts: string
}

/** Starts a service, open or closed, without anything in it. @param root folder of the project */
export async function startTarget(
  workplace: Workplace,
  root: string,
  access: 'open' | 'closed',
): Promise<{ readonly target: Target; readonly ask: Ask }> {
  const settings = access === 'open' ? { ACCESS: 'open' } : CLOSED
  const service = await startService({ root, host: '127.0.0.1', port: 0, data: null, settings })
  workplace.defer(service.stop)
  const token = access === 'open' ? null : TOKEN
  return { target: { url: service.url, token }, ask: service.askOverTls }
}

/** Makes what stands around a service. @param name of the site's own folder */
export async function settleSite(
  workplace: Workplace,
  name: string,
  scripts: string,
  { target, ask }: Awaited<ReturnType<typeof startTarget>>,
): Promise<Site> {
  const folder = join(workplace.folder, name)
  const authority = await Authority.create(join(folder, 'authority'))
  const stranger = await Authority.create(join(folder, 'stranger'))
  const own = await authority.issue('service', ['IP:127.0.0.1', 'DNS:localhost'])
  const proxy = await startProxy(ask, authority, own)
  workplace.defer(proxy.stop)
  const settle = (place: string, certname: string): Promise<Agent> =>
    Agent.settle(join(folder, place), certname, join(scripts, 'site.pp'), authority, proxy.url)
  const agent = await settle('agent', CERTNAME)
  const server = await settle('server', SERVER)
  return { target, proxy, ask, authority, stranger, agent, server, scripts }
}
