/** What the platform hands to the Worker. */
export interface Env {
  readonly DB: D1Database
  /** Bounds how often a node may send; without it there is no such bound. */
  readonly SUBMISSIONS?: RateLimit
}
