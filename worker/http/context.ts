/** What handlers get with a request. They see no binding: app.ts puts what they need into Hono's context. */

import type { Context } from 'hono'
import type { Principal } from '../access/principal.ts'
import type { History } from '../history/history.ts'
import type { HookNetworks } from '../schema/hook-hosts.ts'
import type { Settings } from '../schema/settings.ts'
import type { Databases } from '../store/databases.ts'
import type { RequestTrace } from './request-trace.ts'

export interface Variables {
  readonly settings: Settings
  readonly databases: Databases
  readonly trace: RequestTrace
  /** Who sent the request. The guard sets it on every route whose scope is not `none`. */
  readonly principal: Principal
  /** What the route is mounted under: nothing, or `/pdb`. */
  readonly prefix: string
  /** Limits how often commands about one node are accepted; without it nothing does. */
  readonly submissions: RateLimit | undefined
  /** The history that housekeeping writes; null for none. */
  readonly history: History | null
  /** The networks that hooks reach beside public ones; null on Workers. */
  readonly hookNetworks: HookNetworks | null
  /** Fetches from the issuer with which people sign in, which may be in a private network. */
  readonly issuerFetch: typeof fetch
  /** Style and scripts of the console. */
  readonly assets: Fetcher
}

/** The environment hides its bindings: handlers can read settings of it, and nothing else. */
export interface Surroundings {
  readonly Bindings: object
  readonly Variables: Variables
}
export type Call = Context<Surroundings>
export type Handler = (call: Call) => Response | Promise<Response>
