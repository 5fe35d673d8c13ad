/** The bindings of the Worker. */
export interface Env {
  readonly DB: D1Database
  /** Limits how often commands about one node are accepted. Optional. */
  readonly SUBMISSIONS?: RateLimit
  /** The files of `dist/assets`: style and scripts of the console. */
  readonly ASSETS: Fetcher
}
