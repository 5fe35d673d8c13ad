/** Causes: reports name only those that there are, and none was seen before it was first seen. */

import { FURTHEST_MS, SLOTS } from '../schema/key.ts'
import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { batchRead, readAll } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'
import { readProblems, type SqlRule } from './sql-rules.ts'

const PAGE = 500

/** Id of the last cause of the page; the last page reaches as far as ids do. */
const END = `coalesce((SELECT id FROM causes WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ${PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`
const PAGE_END = { checked: integer('count(*)'), last: nullable(integer('max(id)')) }
const READ_PAGE_END = `SELECT ${selectText(PAGE_END)} FROM (SELECT id FROM causes WHERE id > ?1 ORDER BY id LIMIT ${PAGE})`

/** SQL for the first cause of report_causes behind another, which its key finds without walking its rows. */
const nextCause = (behind: string): string =>
  `(SELECT min(cause) FROM report_causes WHERE cause > ${behind} AND cause <= ${END})`

const FIRST_KEY = `max(${-FURTHEST_MS}, min(${FURTHEST_MS}, c.first)) * ${SLOTS}`

/** ?1 the cause before the page. */
const RULES: readonly SqlRule[] = [
  {
    invariant: 'the causes of reports exist',
    sql: `WITH RECURSIVE named (id) AS (
      SELECT ${nextCause('?1')} UNION ALL SELECT ${nextCause('named.id')} FROM named WHERE id IS NOT NULL
    ) SELECT 'cause ' || id AS violation FROM named WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM causes c WHERE c.id = named.id)`,
  },
  {
    // A report that had to move on to a later millisecond hides behind its key: the price of reading one row a cause.
    invariant: 'no report of a cause is older than the cause',
    sql: `SELECT 'cause ' || c.name || ' (' || c.id || '): report ' || rc.report AS violation
    FROM causes c CROSS JOIN report_causes rc ON rc.cause = c.id
      AND rc.report = (SELECT min(report) FROM report_causes WHERE cause = c.id)
    WHERE c.id > ?1 AND c.id <= ${END} AND rc.report < ${FIRST_KEY}`,
  },
]

export async function checkCauses(database: Database, after: number): Promise<CheckedPage> {
  const { end, problems } = await readAll(database, {
    end: batchRead([typed(PAGE_END, { sql: READ_PAGE_END, params: [after] })], ([[end]]) => end!),
    problems: readProblems(RULES, [after]),
  })
  const { checked, last } = end
  return { checked, problems, next: checked < PAGE ? null : last }
}
