/** A site around a service: an authority, a port for HTTPS, an agent, and the server that may speak for all nodes. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { startService, type Service } from '../../worker/local/service.ts'
import { Agent, CERTNAME } from './agent.ts'
import { Authority } from './certificates.ts'
import type { Ask } from './proxy.ts'
import type { Target } from './query.ts'
import type { Workplace } from './workplace.ts'

/** The server's name in its certificate. */
export const SERVER = 'puppet.clients.example'

/** The node that sends without PuppetDB's terminus. */
const DIRECT = 'direct.clients.example'

/** The node whose catalogs a puppetserver compiles. */
const COMPILED = 'compiled.clients.example'

/** The token of the closed service, and its name. */
export const TOKEN = { text: 'rqs_of_programs_that_read_and_deactivate', name: 'programs' } as const

/** Who may come in: as docs/how-to/control-access.md has it, so that agents may send and not ask. */
export const CLOSED = {
  ACCESS: 'closed',
  TOKENS: `${TOKEN.name} submit,read ${createHash('sha256').update(TOKEN.text).digest('hex')}`,
  CLIENT_CERTIFICATES: `${SERVER} submit,read certname=*
*.clients.example submit`,
}

export interface Site {
  /** The service's port for plain HTTP, which no certificate gets to. */
  readonly target: Target
  /** The service's port for HTTPS. */
  readonly secureUrl: string
  /** Asks the service as its port for HTTPS does. */
  readonly ask: Ask
  readonly authority: Authority
  /** An authority that the service knows nothing of. */
  readonly stranger: Authority
  readonly agent: Agent
  /** Sends without PuppetDB's terminus. */
  readonly direct: Agent
  /** Has a puppetserver compile its catalogs. */
  readonly compiled: Agent
  readonly server: Agent
  /** Folder of the programs in other languages. */
  readonly scripts: string
}

interface StartedTarget {
  readonly target: Target
  readonly service: Service
}

/** Starts a service, open or closed, without anything in it. @param root folder of the project */
export async function startTarget(
  workplace: Workplace,
  root: string,
  access: 'open' | 'closed',
): Promise<StartedTarget> {
  const settings = access === 'open' ? { ACCESS: 'open' } : CLOSED
  const service = await startService({ root, host: '127.0.0.1', port: 0, data: null, settings })
  workplace.defer(service.stop)
  const token = access === 'open' ? null : TOKEN.text
  return { target: { url: service.url, token }, service }
}

/** Makes what stands around a service. @param name of the site's own folder */
export async function settleSite(
  workplace: Workplace,
  name: string,
  scripts: string,
  { target, service }: StartedTarget,
): Promise<Site> {
  const folder = join(workplace.folder, name)
  const authority = await Authority.create(join(folder, 'authority'))
  const stranger = await Authority.create(join(folder, 'stranger'))
  const own = await authority.issue('service', ['IP:127.0.0.1', 'DNS:localhost'])
  const secureUrl = await service.listenOn({
    host: '127.0.0.1',
    port: 0,
    tls: {
      cert: own.certificate,
      key: own.key,
      clientCa: authority.certificate,
      clientCrl: null,
    },
  })
  const settle = (place: string, certname: string): Promise<Agent> =>
    Agent.settle(join(folder, place), certname, join(scripts, 'site.pp'), authority, secureUrl)
  const agent = await settle('agent', CERTNAME)
  const direct = await settle('direct', DIRECT)
  const compiled = await settle('compiled', COMPILED)
  const server = await settle('server', SERVER)
  const ask = service.askOverTls
  return { target, secureUrl, ask, authority, stranger, agent, direct, compiled, server, scripts }
}
