/** Checks causes: that reports name existing ones, and that no report of a cause is older than the cause. */

import { isNameOfLabel, RULES_VERSION } from '../report/reason.ts'
import { integer, nullable, selectText, text, typed } from '../sql/columns.ts'
import { firstKeyOf, keyMillisecondOf } from '../sql/encoding.ts'
import { batchRead, readAll } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { type CheckedPage, readProblems, type SqlRule } from './checked-page.ts'

const PAGE = 500

/** Id of the last cause of the page; the last page has no upper bound. */
const END = `coalesce((select id from causes where id > ?1 order by id limit 1 offset ${PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`
const PAGE_END = { checked: integer('count(*)'), last: nullable(integer('max(id)')) }
const READ_PAGE_END = `select ${selectText(PAGE_END)} from (select id from causes where id > ?1 order by id limit ${PAGE})`

/** SQL for the next cause in report_causes, which the index finds without reading all rows of a cause. */
const nextCause = (after: string): string =>
  `(select min(cause) from report_causes where cause > ${after} and cause <= ${END})`

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

const CAUSE = { id: integer('c.id'), name: text('c.name'), reason: text('c.reason') }
const READ_CAUSES = `select ${selectText(CAUSE)} from causes c
where c.id > ?1 and c.id <= ${END} and c.rules = ${RULES_VERSION}
  and exists (select 1 from report_causes rc where rc.cause = c.id)`

export async function checkCauses(database: Database, after: number): Promise<CheckedPage> {
  const { end, problems, causes } = await readAll(database, {
    end: batchRead([typed(PAGE_END, { sql: READ_PAGE_END, params: [after] })], ([[end]]) => end!),
    problems: readProblems(RULES, [after]),
    causes: batchRead([typed(CAUSE, { sql: READ_CAUSES, params: [after] })], ([rows]) => rows),
  })
  const renamed = causes
    .filter(({ name, reason }) => !isNameOfLabel(name, reason))
    .map(({ id, name }) => ({
      invariant: 'the name of a cause is the digest of its reason',
      where: `cause ${name} (${id})`,
    }))
  const { checked, last } = end
  return { checked, problems: [...problems, ...renamed], next: checked < PAGE ? null : last }
}
