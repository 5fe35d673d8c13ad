/** How routes are found: kept as a tree, so that an isolate's first request does not have to compile an expression of each. */

import type { Env } from 'hono'
import { HonoBase } from 'hono/hono-base'
import type { Result } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/** A tree finds a route twice where the path is spelled as the route is, `/*` or `/nodes/:node`: as that word, and as what fits it. */
class RouteTree<Route> extends TrieRouter<Route> {
  override match(method: string, path: string): Result<Route> {
    const [found] = super.match(method, path) as [[Route, Record<string, string>][]]
    return [found.filter(([route], index) => route !== found[index - 1]?.[0])]
  }
}

/** An empty set of routes, which take a slash at their end or leave it. */
export const newRoutes = <Routed extends Env>(): HonoBase<Routed> =>
  new HonoBase<Routed>({ strict: false, router: new RouteTree() })
