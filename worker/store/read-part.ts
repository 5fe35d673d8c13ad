/** Reads the logs or the metrics of one report, by its hash. */

import { NotFound } from '../lib/errors.ts'
import { integer, nullable, selectText, text, typed } from '../sql/columns.ts'
import { isHash } from '../sql/hash.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Parameter } from '../sql/statement.ts'
import type { Database } from './database.ts'
import { hashBytes, hexOf } from '../sql/encoding.ts'
import { printBody } from './printed-bodies.ts'

const REPORT = {
  type: integer('r.type'),
  /** The first piece of its body, in hex. */
  body: text(hexOf('r.body')),
  metricNames: nullable(text('m.names')),
}
const READ_REPORT = `select ${selectText(REPORT)}
from reports r left join metric_sets m on m.id = r.metric_set where ${isHash('r.hash', '?1')}`

const PIECE = { data: text(hexOf('p.data')) }
const READ_PIECES = `select ${selectText(PIECE)}
from reports r cross join body_parts p on p.report = r.id where ${isHash('r.hash', '?1')} order by p.part`

/**
 * The part as JSON text. For a report of a plan it is `null`, as in PuppetDB, because lists hide such reports.
 *
 * @throws NotFound where no report has that hash
 */
export async function readPart(
  database: Database,
  hash: string,
  part: 'logs' | 'metrics',
): Promise<string> {
  const params = [hashBytes(hash)]
  const [[report]] = await database.batch([typed(REPORT, { sql: READ_REPORT, params })])
  if (!report) throw new NotFound('report', hash)
  if (report.type !== 0) return 'null'
  const whole = report.body + (await furtherPieces(database, report.body, params))
  return printBody(database.memory, report.metricNames, whole)[part]
}

/** The pieces after the first; there are none unless the first has the greatest length. */
async function furtherPieces(
  database: Database,
  first: string,
  params: readonly Parameter[],
): Promise<string> {
  if (first.length < 2 * LONGEST_BODY) return ''
  const [pieces] = await database.batch([typed(PIECE, { sql: READ_PIECES, params })])
  return pieces.map(({ data }) => data).join('')
}
