/** Upgrades a database to this release: refuses one of a later release, and keeps a copy before the first migration. */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
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
  const kept = join(data, `before-${basename(first, '.sql')}.sqlite`)
  const isThere = existsSync(kept)
  const file = isThere ? kept.replace(/sqlite$/, `${Date.now()}.sqlite`) : kept
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
  // An earlier start has made it, and was stopped before the migrations; or the database went back since, and was used.
  if (!isThere || !(await isSame(file, kept))) return file
  await rm(file)
  return kept
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(digestOf))
  return first === second
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** What an upgrade has done, and the way back. */
export const upgradeSentence = (missing: readonly string[], copy: string, data: string): string =>
  `Upgraded the database by the ${missing.length === 1 ? 'migration' : 'migrations'} ${missing.join(', ')}. To go back to the earlier release, stop the service and run ${typed('restore', `${shellWord(copy)} --data ${shellWord(data)}`)}. Reports that came since are lost then. Remove ${copy} once all is well.`
