/** Events of a span, newest first: what was changed, where, by which run. */

import { sql, type SQL } from 'drizzle-orm'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { EVENT_COLUMNS, NODE_NAMED } from './report-row.ts'
import { idOfWord, inSpan, whole, wordOf, type View } from '../fragments.ts'

export interface ChangeChoice {
  readonly type: string | null
  readonly title: string | null
  readonly class: string | null
  readonly file: string | null
  readonly certname: string | null
  readonly kind: 'intentional' | 'corrective' | 'noop' | 'failure' | 'any'
}

const status = (name: string): SQL => sql`e.status = ${idOfWord('eventStatus', name)}`

const KINDS: Readonly<Record<ChangeChoice['kind'], SQL>> = {
  intentional: sql`${status('success')} and coalesce(e.corrective_change, 0) = 0`,
  corrective: sql`${status('success')} and e.corrective_change = 1`,
  noop: status('noop'),
  failure: status('failure'),
  any: sql`e.status is not ${idOfWord('eventStatus', 'skipped')}`,
}

/** [key, n, EVENT_COLUMNS, certname, environment, hash, code id, configuration version] */
export function changesPage(
  view: View,
  { type, title, class: inClass, file, certname, kind }: ChangeChoice,
  below: readonly [key: number, n: number] | null,
  size: number,
): Statement {
  const conditions = [
    inSpan(sql`reports.id`, view),
    view.where,
    // Nearly all reports have none.
    sql`reports.events > 0`,
    KINDS[kind],
    ...(type === null ? [] : [sql`s.type = ${type}`]),
    ...(title === null ? [] : [sql`s.title = ${title}`]),
    ...(inClass === null ? [] : [sql`s.class = ${inClass}`]),
    ...(file === null ? [] : [sql`e.file = ${idOfWord('file', file)}`]),
    ...(certname === null ? [] : [sql`reports.node = ${NODE_NAMED(certname)}`]),
    ...(below === null
      ? []
      : [
          sql`reports.id <= ${whole(below[0])} and (reports.id < ${whole(below[0])} or e.n < ${whole(below[1])})`,
        ]),
  ]
  return render(sql`select reports.id as c0, e.n as c1, ${EVENT_COLUMNS},
      (select n.certname from nodes n where n.id = reports.node) as c16, ${wordOf(sql`reports.environment`)} as c17,
      lower(hex(reports.hash)) as c18, ${wordOf(sql`reports.code_id`)} as c19, reports.configuration_version as c20
    from reports cross join events e on e.report = reports.id cross join resources s on s.id = e.resource
    where ${sql.join(conditions, sql` and `)} order by reports.id desc, e.n desc limit ${whole(size)}`)
}
