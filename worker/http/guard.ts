/** Determines the principal of every request, and checks its access to the route. */

import { authenticate, presentsAnything, type Presented } from '../access/authenticate.ts'
import { certificateFault, type PresentedCertificate } from '../access/certificates.ts'
import {
  requireAccess,
  unauthenticated,
  type Circumstances,
  type Requirement,
} from '../access/decide.ts'
import type { Principal } from '../access/principal.ts'
import { rulesOf, type AccessRules } from '../access/rules.ts'
import type { Settings } from '../schema/settings.ts'
import type { Call } from './context.ts'
import { crossSite, publicAddressOf } from './public-address.ts'

/** The access rules that the settings make. @throws Misconfigured */
export const rulesFor = (settings: Settings): AccessRules => rulesOf(settings, fetchText)

/**
 * Admits a request that meets the requirement of its route, and puts its principal into the context.
 *
 * @throws Denied, which tells outsiders nothing about the service, not even which paths it has;
 *   Unavailable where the keys of Cloudflare Access are needed and can't be fetched; Misconfigured on every route
 */
export async function admit(call: Call, requirement: Requirement): Promise<void> {
  const request = call.req.raw
  const rules = rulesFor(call.get('settings'))
  if (requirement.scope !== 'none') {
    const principal = await identify(request, rules)
    if (principal === null) throw unauthenticated(circumstancesOf(request, rules))
    call.set('principal', principal)
    requireAccess(requirement, principal)
  }
  refuseOtherSites(call)
}

/** The principal of a request; null without valid credentials. @throws Unavailable */
export const identify = (request: Request, rules: AccessRules): Promise<Principal | null> =>
  authenticate(presentedBy(request), rules, Date.now())

/** Facts about a request without a principal that its refusal depends on. */
export function circumstancesOf(request: Request, { nobody }: AccessRules): Circumstances {
  const presented = presentedBy(request)
  return {
    presentsAnything: presentsAnything(presented),
    certificateFault: presented.certificate && certificateFault(presented.certificate),
    nobody,
    // For a script of a page the browser's own sign-in window would only be in the way.
    mayPrompt: (request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate',
  }
}

/** Each credential is read when it is asked for: most requests are known by their first. */
function presentedBy(request: Request): Presented {
  const { headers } = request
  return {
    get authorization() {
      return headers.get('authorization')
    },
    get authentication() {
      return headers.get('x-authentication')
    },
    get assertion() {
      return headers.get('cf-access-jwt-assertion')
    },
    get certificate() {
      // Only Cloudflare sets `cf`; no header can fake it.
      const cf = request.cf as { readonly tlsClientAuth?: PresentedCertificate } | undefined
      return cf?.tlsClientAuth ?? null
    },
    headers,
  }
}

/**
 * Refuses changes sent by pages of other sites. A browser adds the reader's sign-in, certificate and
 * place in the network to every request. Over plain HTTP to another machine it sends no
 * `sec-fetch-site`, and the origin decides.
 */
function refuseOtherSites(call: Call): void {
  const { method, headers } = call.req.raw
  if (method === 'GET' || method === 'HEAD') return
  const site = headers.get('sec-fetch-site') ?? headers.get('origin') ?? 'none'
  if (['none', 'same-origin', publicAddressOf(call).origin].includes(site)) return
  throw crossSite(call)
}

/** The longest wait for the keys of Cloudflare Access. */
const FETCH_TIMEOUT_MS = 5000

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.text()
}
