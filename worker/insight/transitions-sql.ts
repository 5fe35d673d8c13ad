/** Runs at which a node came to be another than it was, new causes, and nodes that fell silent, by when they arrived. */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR } from '../schema/clocks.ts'
import { codesOf, isNotable } from '../schema/states.ts'
import type { Rule, Transition } from '../schema/transitions.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { keyFrom, nodesOf, whole, wordOf, type View } from './fragments.ts'

/** By how much the clock of a sender may differ from ours, either way: what differs by more is not told of. */
const STRAY_MS = HOUR

/** What the run of the same node before was; null where there was none. */
const BEFORE = sql`(select p.state from reports p indexed by reports_node
  where p.node = reports.node and p.type = 0 and p.id < reports.id order by p.id desc limit 1)`

const notable = (codes: readonly number[]): SQL =>
  sql`${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${sql.raw(codes.join(','))})`

/** Where such runs are looked for, and what they are: rank 3 is failed, 2 with bit 4 unset has corrected something. */
const RUNS: Readonly<
  Record<Exclude<Transition, 'new-cause' | 'silent'>, { from: SQL; where: SQL }>
> = {
  failed: {
    from: sql`reports indexed by reports_notable`,
    where: sql`${notable(codesOf(['failed']))} and coalesce(${BEFORE} & 3, 0) <> 3`,
  },
  recovered: {
    from: sql`reports not indexed`,
    where: sql`reports.state & 3 <> 3 and ${BEFORE} & 3 = 3`,
  },
  corrective: {
    from: sql`reports indexed by reports_notable`,
    where: sql`${notable(codesOf(['corrective'], false))} and coalesce(${BEFORE} & 7, 0) <> 2`,
  },
}

/** Reports that arrived in the view's span. */
const arrived = ({ since, until, where }: View): SQL =>
  sql`reports.id >= ${keyFrom(since - STRAY_MS)} and reports.id < ${keyFrom(until + STRAY_MS)}
    and reports.receive_time >= ${whole(since)} and reports.receive_time < ${whole(until)} and ${where}`

/** A cause that the report of that key has: the one that the rule asks for, or any. */
const causeOf = ({ cause }: Rule, report: SQL): SQL =>
  sql`(select c.id from causes c where ${cause === '' ? sql`true` : sql`c.name = ${cause}`}
    and exists (select 1 from report_causes rc where rc.cause = c.id and rc.report = ${report}) limit 1)`

function found(view: View, rule: Rule): SQL {
  const { transition, hours } = rule
  if (transition === 'silent') {
    const ago = hours * HOUR
    return sql`select reports.node, reports.latest as id, null as cause from ${nodesOf(view)}
      where ${view.where} and reports.latest >= ${keyFrom(view.since - ago)} and reports.latest < ${keyFrom(view.until - ago)}`
  }
  if (transition === 'new-cause') {
    return sql`select reports.node, reports.id, c.id as cause from causes c
      cross join report_causes rc on rc.cause = c.id and rc.report >= c.first * 1024 and rc.report < (c.first + 1) * 1024
      cross join reports on reports.id = rc.report
      where c.first >= ${whole(view.since - STRAY_MS)} and c.first < ${whole(view.until + STRAY_MS)} and ${arrived(view)} group by c.id`
  }
  const { from, where } = RUNS[transition]
  return sql`select reports.node, reports.id, null as cause from ${from} where ${arrived(view)} and ${where}
    and ${rule.cause === '' ? sql`true` : sql`${causeOf(rule, sql`reports.id`)} is not null`}`
}

/** [certname, environment, key, hash, reason or null, cause or null, all of them], newest first. */
export function transitionsStatement(view: View, rule: Rule, limit: number): Statement {
  const cause = rule.transition === 'failed' ? causeOf(rule, sql`f.id`) : sql`f.cause`
  return render(sql`select n.certname as c0, ${wordOf(sql`r.environment`)} as c1, f.id as c2, lower(hex(r.hash)) as c3,
      c.reason as c4, c.name as c5, f.total as c6
    from (select *, count(*) over () as total from (${found(view, rule)}) order by id desc limit ${whole(limit)}) f
    join reports r on r.id = f.id join nodes n on n.id = f.node left join causes c on c.id = ${cause} order by f.id desc`)
}
