/** Causes: reports name only those that there are, and none was seen before it was first seen. */

import { FURTHEST_MS, SLOTS } from '../schema/key.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'

const PAGE = 500

/** Id of the last cause of the page; the last page reaches as far as ids do. */
const END = `coalesce((SELECT id FROM causes WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ${PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`
const READ_END = `SELECT count(*) AS c0, max(id) AS c1 FROM (SELECT id FROM causes WHERE id > ?1 ORDER BY id LIMIT ${PAGE})`

/** SQL for the first cause of report_causes behind another, which its key finds without walking its rows. */
const nextCause = (behind: string): string =>
  `(SELECT min(cause) FROM report_causes WHERE cause > ${behind} AND cause <= ${END})`

const FIRST_KEY = `max(${-FURTHEST_MS}, min(${FURTHEST_MS}, c.first)) * ${SLOTS}`

/** A rule, and what breaks it, as `c0`. ?1 the cause before the page. */
const RULES: readonly (readonly [invariant: string, sql: string])[] = [
  [
    'the causes of reports exist',
    `WITH RECURSIVE named (id) AS (
      SELECT ${nextCause('?1')} UNION ALL SELECT ${nextCause('named.id')} FROM named WHERE id IS NOT NULL
    ) SELECT 'cause ' || id AS c0 FROM named WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM causes c WHERE c.id = named.id)`,
  ],
  [
    // A report that had to move on to a later millisecond hides behind its key: the price of reading one row a cause.
    'no report of a cause is older than the cause',
    `SELECT 'cause ' || c.name || ' (' || c.id || '): report ' || rc.report AS c0
    FROM causes c CROSS JOIN report_causes rc ON rc.cause = c.id
      AND rc.report = (SELECT min(report) FROM report_causes WHERE cause = c.id)
    WHERE c.id > ?1 AND c.id <= ${END} AND rc.report < ${FIRST_KEY}`,
  ],
]

export async function checkCauses(database: Database, after: number): Promise<CheckedPage> {
  const statements = [READ_END, ...RULES.map(([, sql]) => sql)]
  const [end, ...found] = await database.batch(statements.map((sql) => ({ sql, params: [after] })))
  const problems = RULES.flatMap(([invariant], index) =>
    found[index]!.map(([where]) => ({ invariant, where: String(where) })),
  )
  const [checked, last] = end![0] as [number, number | null]
  return { checked, problems, next: checked < PAGE ? null : last }
}
