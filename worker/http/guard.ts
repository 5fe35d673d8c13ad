/** Stands before every route: who asks, and whether they may. */

import type { MiddlewareHandler } from 'hono'
import { authenticate, presentsAnything, type Presented } from '../access/authenticate.ts'
import type { PresentedCertificate } from '../access/certificates.ts'
import { requireAccess, type Requirement } from '../access/decide.ts'
import type { Principal } from '../access/principal.ts'
import { rulesOf, type Rules } from '../access/rules.ts'
import type { Scope } from '../access/scopes.ts'
import { Denied } from '../lib/errors.ts'
import { invariant } from '../lib/invariant.ts'
import { readSettings } from '../schema/settings.ts'
import { textResponse } from './respond.ts'
import { requirementOf } from './routes.ts'

/** What the guard leaves with a request. */
export interface Guarded {
  readonly Bindings: object
  readonly Variables: { principal: Principal | null }
}

/** Of Hono's context, as much as is needed to know who asks. */
interface Asked {
  readonly var: Readonly<Guarded['Variables']>
  readonly req: { readonly raw: Request }
}

/** Who asks. Only routes that are open to all have requests of nobody, and must not ask this. */
export function principalOf({ var: { principal } }: Asked): Principal {
  invariant(principal, 'a route that asks for the principal has a requirement')
  return principal
}

/** For what only some may of a route that more people may ask. @throws Denied */
export const requireScope = (c: Asked, scope: Scope): void =>
  requireAccess({ scope, allowsRestricted: true }, principalOf(c), circumstancesOf(c.req.raw, true))

/** The rules of access that the settings make. @throws Misconfigured */
export const rulesFor = (environment: object): Rules =>
  rulesOf(readSettings(environment), fetchText)

/** Lets through who meets the requirement of the path; nothing about a service is told to others, not even which paths it has. */
export const guard: MiddlewareHandler<Guarded> = async (c, next) => {
  const request = c.req.raw
  const rules = rulesFor(c.env)
  const requirement = requirementOf(c.req.path)
  const asked: Requirement = requirement ?? { scope: 'any', allowsRestricted: true }
  const principal = asked.scope === 'none' ? null : await identify(request, rules)
  requireAccess(asked, principal, circumstancesOf(request, rules.nobody))
  refuseOtherSites(request)
  if (requirement === null) return textResponse('Not Found', 404)
  c.set('principal', principal)
  await next()
}

/** Who a request says is asking; null where nobody is known by it. @throws Unavailable */
export const identify = (request: Request, rules: Rules): Promise<Principal | null> =>
  authenticate(presentedBy(request), rules, Date.now())

/** What a refusal says depends on it. */
export const circumstancesOf = (request: Request, nobody: boolean) => ({
  presentsAnything: presentsAnything(presentedBy(request)),
  nobody,
  // A script of a page says so; there a browser's own window would only be in the way.
  mayPrompt: (request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate',
})

function presentedBy(request: Request): Presented {
  const { headers } = request
  // Only Cloudflare's own front sets `cf`; no header stands for it.
  const cf = request.cf as { readonly tlsClientAuth?: PresentedCertificate } | undefined
  return {
    authorization: headers.get('authorization'),
    authentication: headers.get('x-authentication'),
    assertion: headers.get('cf-access-jwt-assertion'),
    certificate: cf?.tlsClientAuth ?? null,
  }
}

/**
 * A browser lends a person's sign-in, certificate or place in the network to any page that asks; what
 * changes something is not taken from another site's. To plain HTTP, but on its own machine, a browser
 * sends no `sec-fetch-site`; the origin tells there.
 */
function refuseOtherSites({ method, url, headers }: Request): void {
  const site = headers.get('sec-fetch-site') ?? headers.get('origin') ?? 'none'
  const own = ['none', 'same-origin', new URL(url).origin]
  if (['GET', 'HEAD'].includes(method) || own.includes(site)) return
  throw new Denied(403, 'This is not taken from the page of another site.')
}

/** Who asks waits no longer than this for what has to be fetched to know them, in ms. */
const FETCH_TIMEOUT_MS = 5000

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.text()
}
