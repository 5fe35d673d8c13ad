/** The address of a request as its sender knows it, where a proxy may have changed it on the way. */

import { Denied } from '../lib/errors.ts'
import type { Call } from './context.ts'

/**
 * The URL of a request with the origin of PUBLIC_URL, if that is set: a proxy that ends TLS asks by HTTP, and may
 * ask for another host. A form that a browser sent past the proxy keeps its own.
 */
export function publicAddressOf({ req, var: { settings } }: Call): URL {
  const asked = new URL(req.url)
  const { PUBLIC_URL } = settings
  if (PUBLIC_URL === '' || req.header('origin') === asked.origin) return asked
  return new URL(asked.pathname + asked.search, PUBLIC_URL)
}

/** @throws Denied unless a page of this service sent the request */
export function requireOwnOrigin(call: Call): void {
  if (call.req.header('origin') !== publicAddressOf(call).origin) throw crossSite(call)
}

/** The refusal of a request that a page of another site sent. An operator reads in it how the proxy changed the address. */
export function crossSite(call: Call): Denied {
  const from = call.req.header('origin')
  const { PUBLIC_URL } = call.var.settings
  const seen =
    from === undefined
      ? 'This one does not say which page sent it.'
      : PUBLIC_URL === ''
        ? `This one came from ${from}, and this service was asked as ${publicAddressOf(call).origin}. If a proxy serves it as the former, its operator sets PUBLIC_URL.`
        : `This one came from ${from}, and the service's PUBLIC_URL is ${PUBLIC_URL}.`
  return new Denied('forbidden', `Cross-site requests are refused. ${seen}`)
}
