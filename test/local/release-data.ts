/** Data folders as earlier releases left them: each release has stored the same seventeen reports. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { databaseFile } from '../../worker/local/backup/database-file.ts'

/**
 * Each release with its last migration. A new one gets a row and a folder of files when it is released: start it with `--empty`,
 * send it `npm run bench:generate -- --nodes 4 --runs 4 --seed 7` and `test/fixtures/failed-run.json`, and stop it.
 */
export const RELEASES = [
  ['0.1.0', '0001_reports.sql'],
  ['0.2.0', '0009_causes.sql'],
] as const
export type Release = (typeof RELEASES)[number][0]

/** Reports in each of the folders. */
export const REPORTS_OF_RELEASE = 17

/** Writes the data folder that a release left. @param root folder of the project @param data the folder */
export async function writeReleaseData(
  root: string,
  data: string,
  release: Release,
): Promise<void> {
  const files = join(root, `test/fixtures/release-${release}`)
  const objects = join(data, basename(dirname(databaseFile(data))))
  await mkdir(objects, { recursive: true })
  for (const name of await readdir(files))
    await writeFile(
      join(objects, basename(name, '.gz')),
      gunzipSync(await readFile(join(files, name))),
    )
}
