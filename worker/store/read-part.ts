/** The logs or the metrics of one report, by its hash. */

import { NotFound } from '../lib/errors.ts'
import { decodeBody } from '../report/body.ts'
import { isHash } from '../sql/hash.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Parameter } from '../sql/statement.ts'
import type { Database } from './database.ts'
import { hashBytes } from '../sql/encoding.ts'

const READ = `SELECT r.type, hex(r.body) AS c1, m.names
FROM reports r LEFT JOIN metric_sets m ON m.id = r.metric_set WHERE ${isHash('r.hash', '?1')}`
const READ_PARTS = `SELECT hex(p.data) AS c0
FROM reports r JOIN body_parts p ON p.report = r.id WHERE ${isHash('r.hash', '?1')} ORDER BY p.part`

/**
 * The part as JSON text. Reports of plans are hidden as they are from lists, where PuppetDB says `null` of their parts.
 *
 * @throws NotFound where no report has that hash
 */
export async function readPart(
  database: Database,
  hash: string,
  part: 'logs' | 'metrics',
): Promise<string> {
  const params = [hashBytes(hash)]
  const [rows] = await database.batch([{ sql: READ, params }])
  const [row] = rows
  if (!row) throw new NotFound('report', hash)
  const [type, body, names] = row
  if (type !== 0) return 'null'
  const whole = (body as string) + (await furtherPieces(database, body as string, params))
  return decodeBody(names as string | null, Buffer.from(whole, 'hex'))[part]
}

/** What follows a first piece that is as long as a piece can be. */
async function furtherPieces(
  database: Database,
  first: string,
  params: readonly Parameter[],
): Promise<string> {
  if (first.length < 2 * LONGEST_BODY) return ''
  const [rows] = await database.batch([{ sql: READ_PARTS, params }])
  return rows.map(([piece]) => piece).join('')
}
