/** What the platform hands to the Worker. */
export interface Env {
  readonly DB: D1Database
  /** Bounds how often a node may send; without it there is no such bound. */
  readonly SUBMISSIONS?: RateLimit
  /** What `dist/assets` holds: style and scripts of the console. */
  readonly ASSETS: Fetcher
}
