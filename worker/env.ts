/** The bindings of the Worker. */

import type { HistoryBucket } from './history/bucket.ts'
import type { HookNetworks } from './schema/hook-hosts.ts'

export interface Env {
  readonly DB: D1Database
  /** Limits how often commands about one node are accepted. Optional. */
  readonly SUBMISSIONS?: RateLimit
  /** Where reports go before retention deletes them: an R2 bucket, or a folder on `npm start`. Optional. */
  readonly HISTORY?: HistoryBucket
  /** The network for each route of HOOK_HOSTS, on a server of one's own. Optional. */
  readonly HOOK_NAMES?: Fetcher
  readonly HOOK_ADDRESSES?: Fetcher
  readonly HOOK_OTHERS?: Fetcher
  /** Sends mail, on a server of one's own. Optional. */
  readonly HOOK_MAIL?: Fetcher
  /** The network in which OIDC_ISSUER is, on a server of one's own. Optional. */
  readonly ISSUER_NETWORK?: Fetcher
  /** The files of `dist/assets`: style and scripts of the console. */
  readonly ASSETS: Fetcher
}

/** @returns null on Workers, which reach public addresses only */
export const hookNetworksOf = ({
  HOOK_NAMES: name,
  HOOK_ADDRESSES: address,
  HOOK_OTHERS: other,
  HOOK_MAIL: mail,
}: Env): HookNetworks | null =>
  name && address && other && mail ? { name, address, other, mail } : null
