/**
 * The check of `npm run deploy` behind the migrations: compares the database with what the migrations make, and notes
 * their checksums. Words go to `wrangler d1 execute`: `--remote`, or `--local`.
 */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CHECKSUMS_QUERY, SCHEMA_QUERY } from './schema-queries.ts'
import { databaseDifferences, differencesSentence, readChecksums } from './schema.ts'

const run = promisify(execFile)

/** The rows of a statement on the database that wrangler.toml binds. */
async function rowsOf<Row>(sql: string): Promise<Row[]> {
  const words = ['wrangler', 'd1', 'execute', 'DB', '--json', '--yes', '--command', sql]
  const { stdout } = await run('npx', [...words, ...process.argv.slice(2)], { maxBuffer: 1e8 })
  const [answer] = JSON.parse(stdout) as { results: Row[] }[]
  return answer?.results ?? []
}

const root = process.cwd()
const released = await readChecksums(root)
const lines = await rowsOf<{ line: string }>(SCHEMA_QUERY)
const checksums = await rowsOf<{ name: string; checksum: string }>(CHECKSUMS_QUERY)
const differences = await databaseDifferences(root, { lines, checksums })
if (differences.length > 0) {
  console.error(differencesSentence(differences))
  process.exitCode = 1
} else if (checksums.length < released.size) {
  const values = [...released].map(([name, checksum]) => `('${name}', '${checksum}')`)
  await rowsOf(
    `insert or ignore into migration_checksums (name, checksum) values ${values.join(', ')}`,
  )
}
