/** Checks causes: that reports name existing ones, and that no report of a cause is older than the cause. */

import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { firstKeyOf, keyMillisecondOf } from '../sql/encoding.ts'
import { batchRead, readAll } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'
import { readProblems, type SqlRule } from './sql-rules.ts'

const PAGE = 500

/** Id of the last cause of the page; the last page has no upper bound. */
const END = `coalesce((select id from causes where id > ?1 order by id limit 1 offset ${PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`
const PAGE_END = { checked: integer('count(*)'), last: nullable(integer('max(id)')) }
const READ_PAGE_END = `select ${selectText(PAGE_END)} from (select id from causes where id > ?1 order by id limit ${PAGE})`

/** SQL for the next cause in report_causes, which the index finds without reading all rows of a cause. */
const nextCause = (behind: string): string =>
  `(select min(cause) from report_causes where cause > ${behind} and cause <= ${END})`

const FIRST_KEY = firstKeyOf(keyMillisecondOf('c.first'))

/** ?1 the cause before the page. */
const RULES: readonly SqlRule[] = [
  {
    invariant: 'acknowledged causes exist',
    sql: `select 'acknowledgement of ' || a.cause as violation from acknowledgements a
    where ?1 <= 0 and not exists (select 1 from causes c where c.name = a.cause)`,
  },
  {
    invariant: 'the causes of reports exist',
    sql: `with recursive named (id) as (
      select ${nextCause('?1')} union all select ${nextCause('named.id')} from named where id is not null
    ) select 'cause ' || id as violation from named where id is not null and not exists (select 1 from causes c where c.id = named.id)`,
  },
  {
    // Misses a report that had to move on to a later millisecond, in exchange for reading one row a cause.
    invariant: 'no report of a cause is older than the cause',
    sql: `select 'cause ' || c.name || ' (' || c.id || '): report ' || rc.report as violation
    from causes c cross join report_causes rc on rc.cause = c.id
      and rc.report = (select min(report) from report_causes where cause = c.id)
    where c.id > ?1 and c.id <= ${END} and rc.report < ${FIRST_KEY}`,
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
