/** Upgrades a database to this release: refuses one of a later release, and keeps a copy before the first migration. */

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { copyDatabase } from './backup/copy.ts'
import { fileSentence } from './backup/database-file.ts'
import { requireWhole } from './backup/require-whole.ts'
import { shellWord, typed } from './commands.mjs'

/** Migrations by name, in their order. */
export interface MigrationState {
  /** Those that made the database; none for a new one. */
  readonly applied: readonly string[]
  /** Migrations of this release that it lacks. */
  readonly missing: readonly string[]
}

/** @throws Error for a database of a later release, before anything is written */
export function requireNoFuture({ applied }: MigrationState, known: readonly string[]): void {
  const future = applied.filter((name) => !known.includes(name))
  if (future.length === 0) return
  throw new Error(
    `The database was made by a later release: this one lacks its ${future.length === 1 ? 'migration' : 'migrations'} ${future.join(', ')}. Start that release, or restore a backup that an earlier one made.`,
  )
}

/**
 * Keeps a verified copy of a database that migrations will change: the way back to the release that made it.
 *
 * @param root folder of the project @param data folder of the database, whose service runs and answers no requests yet
 * @returns the file of the copy; null where nothing is changed or there is no database yet
 * @throws Error with a sentence if no copy can be made, and then nothing has been changed
 */
export async function copyBeforeUpgrade(
  root: string,
  data: string,
  { applied, missing }: MigrationState,
): Promise<string | null> {
  const [first] = missing
  if (applied.length === 0 || first === undefined) return null
  const file = join(data, `before-${basename(first, '.sql')}.sqlite`)
  // An earlier start has made it, and was stopped before the migrations.
  if (existsSync(file)) return file
  try {
    await copyDatabase(data, file, async (draft) => {
      await requireWhole(root, draft, `The database in ${data}`)
    })
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
      ? fileSentence(error as Error, file)
      : (error as Error).message
    throw new Error(`No copy of the database can be kept before its upgrade. ${reason}`, {
      cause: error,
    })
  }
  return file
}

/** What an upgrade has done, and the way back. */
export const upgradeSentence = (missing: readonly string[], copy: string, data: string): string =>
  `Upgraded the database by the ${missing.length === 1 ? 'migration' : 'migrations'} ${missing.join(', ')}. To go back to the earlier release, stop the service and run ${typed('restore', `${shellWord(copy)} --data ${shellWord(data)}`)}. Reports that came since are lost then. Remove ${copy} once all is well.`
