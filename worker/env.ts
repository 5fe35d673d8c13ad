/** What the platform hands to the Worker. */
export interface Env {
  readonly DB: D1Database
}
