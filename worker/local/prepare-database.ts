/** Brings the database to the code's version through the runtime that has it open. */

import type { AdminRequest } from './host/unix-request.ts'
import { databaseDifferences, differencesSentence, type FoundDatabase } from './schema.ts'
import {
  copyBeforeUpgrade,
  requireNoFuture,
  upgradeSentence,
  type MigrationState,
} from './upgrade.ts'

export interface Preparation {
  /** Folder of the project. */
  readonly root: string
  /** Folder of the database; null for a temporary one, of which no copy is kept. */
  readonly data: string | null
  /** Names of the code's migrations. */
  readonly migrations: readonly string[]
  /** Whether a database is used that is not as the migrations make it. */
  readonly anySchema: boolean
  readonly administer: AdminRequest
  /** Called once all migrations are applied. */
  readonly onPrepared: () => void
  /** Called with a sentence about an upgrade. */
  readonly onChange: (sentence: string) => void
}

/** Keeps a copy where migrations are missing, and applies them. @throws Error for a later release's database, or another schema */
export async function prepareDatabase(preparation: Preparation): Promise<void> {
  const { root, data, migrations, anySchema, administer, onPrepared, onChange } = preparation
  const state = JSON.parse(await administer('/migrations')) as MigrationState
  if (!anySchema) requireNoFuture(state, migrations)
  const copy = data === null ? null : await copyBeforeUpgrade(root, data, state)
  const found = await administer('/prepare')
  onPrepared()
  if (data !== null && copy !== null) onChange(upgradeSentence(state.missing, copy, data))
  if (!anySchema) await requireSchema(root, found)
}

/** @throws Error naming what differs between the database and what the code's migrations make */
async function requireSchema(root: string, found: string): Promise<void> {
  const differences = await databaseDifferences(root, JSON.parse(found) as FoundDatabase)
  if (differences.length > 0) throw new Error(differencesSentence(differences))
}
