/** What the platform hands to the Worker. */
export interface Env {
  readonly DB: D1Database
  /** Bounds how often may be sent about a node; without it there is no such bound. */
  readonly SUBMISSIONS?: RateLimit
  /** What `dist/assets` holds: style and scripts of the console. */
  readonly ASSETS: Fetcher
}
