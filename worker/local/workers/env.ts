/** What the host hands to its Workers, beside what the service itself is handed. */

import type { Env } from '../../env.ts'

/** A file of the folder of migrations: its name, as `wrangler d1 migrations apply` notes it, and its statements. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

export interface HostEnv extends Env {
  /** The folder of the built assets. */
  readonly DISK: Fetcher
  /** Whether everybody on this machine is let in, and by names of this machine only. */
  readonly TRUSTING: boolean
  readonly MIGRATIONS: readonly Migration[]
}
