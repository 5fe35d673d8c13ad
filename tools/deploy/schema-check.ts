/** The check of `npm run deploy` after the migrations: compares the database with what they make, and notes their checksums. */

import { CHECKSUMS_QUERY, SCHEMA_QUERY } from '../../worker/local/schema-queries.ts'
import {
  databaseDifferences,
  differencesSentence,
  readChecksums,
} from '../../worker/local/schema.ts'
import { DeployError, remoteRows } from './wrangler.ts'

/** Both in one statement: each call of wrangler takes seconds. */
const BOTH = `select line, null name, null checksum from (${SCHEMA_QUERY})
union all select null, name, checksum from (${CHECKSUMS_QUERY})`

/** @throws DeployError naming what differs */
export async function requireSchema(root: string): Promise<void> {
  const released = await readChecksums(root)
  const rows = await remoteRows<{ line: string | null; name: string; checksum: string }>(BOTH)
  const lines = rows.flatMap(({ line }) => (line === null ? [] : [{ line }]))
  const checksums = rows.filter(({ line }) => line === null)
  const differences = await databaseDifferences(root, { lines, checksums })
  if (differences.length > 0) throw new DeployError(differencesSentence(differences))
  if (checksums.length >= released.size) return
  const values = [...released].map(([name, checksum]) => `('${name}', '${checksum}')`)
  await remoteRows(
    `insert or ignore into migration_checksums (name, checksum) values ${values.join(', ')}`,
  )
}
