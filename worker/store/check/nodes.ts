/** Nodes: the latest report of each is the agent's report with the greatest producer timestamp. */

import { WORD_KINDS } from '../../schema/tables.ts'
import type { Database } from '../database.ts'
import { producerTimestampOf } from '../key.ts'
import type { CheckedPage, Problem } from './check.ts'

/** Nodes of a page: all reports of each are looked at. */
const PAGE = 50

/** ?1 the node before. */
const READ = `SELECT n.id AS c0, n.certname AS c1, n.latest AS c2, l.node AS c3, l.type AS c4, ${producerTimestampOf('l')} AS c5,
  (SELECT max(${producerTimestampOf('r')}) FROM reports r WHERE r.node = n.id AND r.type = 0) AS c6,
  ${['catalog', 'facts']
    .map(
      (which) =>
        `n.${which}_environment IS NOT NULL AND NOT EXISTS (SELECT 1 FROM words WHERE id = n.${which}_environment AND kind = ${WORD_KINDS.environment})`,
    )
    .join(' OR ')} AS c7
FROM nodes n LEFT JOIN reports l ON l.id = n.latest WHERE n.id > ?1 ORDER BY n.id LIMIT ${PAGE}`

export async function checkNodes(database: Database, after: number): Promise<CheckedPage> {
  const [rows] = await database.batch([{ sql: READ, params: [after] }])
  const problems: Problem[] = []
  for (const [id, certname, latest, ofNode, type, time, newest, lacksWord] of rows!) {
    const broken = (invariant: string, more = ''): void =>
      void problems.push({ invariant, where: `node ${String(certname)} (${String(id)})${more}` })
    if (latest !== null && ofNode === null)
      broken('the latest report of a node exists', `: report ${String(latest)}`)
    else if (latest !== null && (ofNode !== id || type !== 0))
      broken("the latest report of a node is its agent's", `: report ${String(latest)}`)
    else if (time !== newest)
      broken(
        'the latest report of a node has the greatest producer timestamp',
        `: latest is of ${String(time)}, the greatest is ${String(newest)}`,
      )
    if (lacksWord === 1) broken('an environment of a node is in the dictionary')
  }
  const last = rows!.at(-1)?.[0] as number | undefined
  return { checked: rows!.length, problems, next: rows!.length < PAGE ? null : last! }
}
