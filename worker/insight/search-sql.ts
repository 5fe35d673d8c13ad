/** Names that hold a text: those that are it first, then those that begin with it. */

import { sql, type SQL } from 'drizzle-orm'
import { STRING_KINDS } from '../schema/tables.ts'
import { beginsWith } from '../sql/hash.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { ACTIVE, whole, type View } from './fragments.ts'

/** Rows of [group, id, label] that hold the text, at most so many of each group. */
export function searchStatements(view: View, text: string, limit: number): Statement[] {
  const { restricted, rowPolicy } = view
  const found = (group: string, id: SQL, label: SQL, from: SQL): SQL =>
    sql`select ${group} as c0, id as c1, label as c2 from (select distinct ${id} as id, ${label} as label from ${from})
      where instr(lower(label), lower(${text})) > 0
      order by lower(label) = lower(${text}) desc, instr(lower(label), lower(${text})) = 1 desc, label limit ${whole(limit)}`
  const may = restricted
    ? sql` and exists (select 1 from reports where reports.id = n.latest and ${rowPolicy})`
    : sql``
  const seen = restricted
    ? sql` where exists (select 1 from report_causes rc join reports on reports.id = rc.report where rc.cause = c.id and ${rowPolicy})`
    : sql``
  const resource = sql`type || '[' || title || ']'`
  // What events are about is known for all reports together: under a row policy it can't be told whose it is.
  const dictionaries = restricted
    ? []
    : [
        found('class', sql`class`, sql`class`, sql`resources where class is not null`),
        found('resource', resource, resource, sql`resources`),
        found(
          'file',
          sql`value`,
          sql`value`,
          sql`strings where kind = ${whole(STRING_KINDS.file)}`,
        ),
      ]
  return [
    found('node', sql`n.certname`, sql`n.certname`, sql`nodes n where ${ACTIVE}${may}`),
    hashes(view, text, limit),
    found('cause', sql`c.name`, sql`c.reason`, sql`causes c${seen}`),
    ...(dictionaries.length > 0
      ? [
          sql.join(
            dictionaries.map((one) => sql`select * from (${one})`),
            sql` union all `,
          ),
        ]
      : []),
  ].map(render)
}

/** Reports whose hash begins so: a range of the index of hashes. */
function hashes({ rowPolicy }: View, text: string, limit: number): SQL {
  const digits = /^[0-9a-f]{4,40}$/i.test(text) ? text.toLowerCase() : null
  if (digits === null) return sql`select null as c0 where 0`
  return sql`select 'report' as c0, lower(hex(reports.hash)) as c1,
      (select n.certname from nodes n where n.id = reports.node) as c2 from reports
    where ${beginsWith(sql`reports.hash`, digits)} and ${rowPolicy} limit ${whole(limit)}`
}
