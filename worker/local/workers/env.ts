/** Bindings of the helper Workers, beside the service's. */

import type { Env } from '../../env.ts'

/** A migration: its file name, as `wrangler d1 migrations apply` records it, and its statements. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
  /** SHA-256 of the file. */
  readonly checksum: string
}

export interface HostEnv extends Env {
  /** The setting, where it has a value. */
  readonly TOKENS?: string
  /** The namespace of the one object that holds the database, and in which the service runs. */
  readonly OBJECTS: DurableObjectNamespace
  /** The folder of the built assets. */
  readonly DISK: Fetcher
  /** Whether everyone on this machine has access, by names of this machine only. */
  readonly TRUSTING: boolean
  /** What a body that fails ends with, for the launcher to cut the connection there. */
  readonly FAILURE_MARK: string
  /** Whether this process only reads, beside the one that writes. */
  readonly READER?: true
  /** The operations of the process that writes, for a reader. */
  readonly WRITER?: Fetcher
  readonly MIGRATIONS: readonly Migration[]
}
