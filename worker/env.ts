/** The bindings of the Worker. */

import type { HistoryBucket } from './history/bucket.ts'

export interface Env {
  readonly DB: D1Database
  /** Limits how often commands about one node are accepted. Optional. */
  readonly SUBMISSIONS?: RateLimit
  /** Where reports go before retention deletes them: an R2 bucket, or a folder on `npm start`. Optional. */
  readonly HISTORY?: HistoryBucket
  /** The files of `dist/assets`: style and scripts of the console. */
  readonly ASSETS: Fetcher
}
