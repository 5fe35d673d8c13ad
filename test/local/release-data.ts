/** Data folders as earlier releases left them. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { databaseFile } from '../../worker/local/backup/database-file.ts'
import { withRuntime, type Ask } from '../../worker/local/backup/verify.ts'
import { readMigrations } from '../../worker/local/migrations.ts'

/** The last migration of each release; a new one gets a row when it is released. */
export const RELEASES = [
  ['0.1.0', '0001_reports.sql'],
  ['0.2.0', '0009_causes.sql'],
] as const

/** Reports in each of the folders. */
export const REPORTS_OF_RELEASE = 17

/**
 * Writes a data folder that the first release wrote, with the migrations of a later one.
 *
 * @param root folder of the project @param data the folder @param last name of the last migration
 */
export async function writeReleaseData(root: string, data: string, last: string): Promise<void> {
  const files = join(root, 'test/fixtures/miniflare-data')
  const objects = join(data, basename(dirname(databaseFile(data))))
  await mkdir(objects, { recursive: true })
  for (const name of await readdir(files))
    await writeFile(
      join(objects, basename(name, '.gz')),
      gunzipSync(await readFile(join(files, name))),
    )
  const migrations = await readMigrations(join(root, 'migrations'))
  const end = migrations.findIndex(({ name }) => name === last) + 1
  await withRuntime(root, data, async (ask: Ask) => {
    for (const { name, statements } of migrations.slice(1, end)) {
      for (const sql of statements) await ask(sql)
      await ask(`insert into d1_migrations (name) values ('${name}')`)
    }
  })
}
