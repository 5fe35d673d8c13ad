/** Finds the transitions that hooks report: nodes that changed state, new causes, nodes that fell silent. */

import { DAY, HOUR } from '../lib/time.ts'
import { sql, type SQL } from 'drizzle-orm'
import { codesOf, isDerivedCode, isFailedCode, isNotable } from '../schema/states.ts'
import { isOfReports, type ReportTransition, type Rule } from '../schema/transitions.ts'
import { integer, keyTimestamp, nullable, select, text, type RowOf } from '../sql/columns.ts'
import { firstKeyOf, literal, lowerHexOf } from '../sql/encoding.ts'
import { batchRead, readOne, type BatchRead } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { quiet } from './causes/acknowledgement.ts'
import { keyFrom, stringOf } from '../outcomes/fragments.ts'
import { nodesOf } from './fragments.ts'
import { readScope } from './scope.ts'
import { viewOf, type View } from './view.ts'

export interface Occurrences {
  readonly total: number
  /** Newest first; only the first of many. */
  readonly items: readonly Occurrence[]
}

/**
 * The occurrences of a rule's transition among the reports that arrived in a span, in ms.
 *
 * @throws QueryError where the rule's filter can't be understood
 */
export async function readOccurrences(
  database: Database,
  rule: Rule,
  span: { readonly since: number; readonly until: number },
  limit: number,
): Promise<Occurrences> {
  const { transition } = rule
  if (!isOfReports(transition)) return { total: 0, items: [] }
  const scope = { ...readScope({ filter: rule.filter }, span.until, null), ...span }
  return readOne(
    database,
    occurrencesRead(await viewOf(database, scope), { ...rule, transition }, limit),
  )
}

const PREVIEWED_DAYS = 7
const LONGEST_PREVIEW_MS = 5000

/** Occurrences of a rule in the last seven days. */
export interface OccurrencePreview extends Occurrences {
  /** Start of the period read, in ms: later than seven days ago if reading took too long. */
  readonly since: number
}

/** Reads a day at a time, the last day first, for a few seconds at most. */
export async function previewOccurrences(
  database: Database,
  rule: Rule,
  now: number,
  limit: number,
): Promise<OccurrencePreview> {
  const begun = Date.now()
  let [until, total] = [now, 0]
  let items: readonly Occurrence[] = []
  for (let day = 0; day < PREVIEWED_DAYS && Date.now() - begun < LONGEST_PREVIEW_MS; day++) {
    const since = until - DAY
    const found = await readOccurrences(database, rule, { since, until }, limit)
    total += found.total
    items = [...items, ...found.items].slice(0, limit)
    until = since
  }
  return { since: until, total, items }
}

/** A rule about reports. */
type ReportRule = Rule & { readonly transition: ReportTransition }

const OCCURRENCE = {
  certname: text(sql`n.certname`),
  environment: nullable(text(stringOf(sql`r.environment`))),
  /** Time of the run; for a silent node, of its last run. */
  time: keyTimestamp(sql`f.id`),
  report: text(lowerHexOf(sql`r.hash`)),
  /** The reason why the run failed, and the name of that cause; null if it did not fail. */
  reason: nullable(text(sql`c.reason`)),
  cause: nullable(text(sql`c.name`)),
}
export type Occurrence = RowOf<typeof OCCURRENCE>

function occurrencesRead(view: View, rule: ReportRule, limit: number): BatchRead<Occurrences> {
  const cause = rule.transition === 'failed' ? causeOf(view, rule, sql`f.id`) : sql`f.cause`
  const statement = select(
    { ...OCCURRENCE, total: integer(sql`f.total`) },
    sql`from (with quiet as materialized ${quiet(view)}
        select *, count(*) over () as total from (${FOUND[rule.transition](view, rule)}) order by id desc limit ${literal(limit)}) f
      cross join reports r on r.id = f.id cross join nodes n on n.id = f.node left join causes c on c.id = ${cause} order by f.id desc`,
  )
  return batchRead([statement], ([rows]) => ({
    total: rows[0]?.total ?? 0,
    items: rows.map(({ total: _, ...occurrence }) => occurrence),
  }))
}

/** Ignores reports of nodes whose clock differs from ours by more than this. */
const CLOCK_TOLERANCE_MS = HOUR

/** The state of the node's previous run; null without one. */
const BEFORE = sql`(select p.state from reports p indexed by reports_node
  where p.node = reports.node and p.type = 0 and p.id < reports.id order by p.id desc limit 1)`

const BEFORE_ID = sql`(select max(p.id) from reports p indexed by reports_node
  where p.node = reports.node and p.type = 0 and p.id < reports.id)`

/** Condition that the report with that key failed by acknowledged causes alone. Its rows `quiet` are the ids of those. */
const isQuiet = (report: SQL): SQL =>
  sql`coalesce((select min(rc.cause in quiet) from report_causes rc indexed by report_causes_report where rc.report = ${report}), 0)`

const notable = (codes: readonly number[]): SQL =>
  sql`${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${sql.raw(codes.join(','))})`

const FAILED = (column: string): SQL => sql.raw(`(${isFailedCode(column)})`)
const DERIVED = (column: string): SQL => sql.raw(`(${isDerivedCode(column)})`)

/** Condition that a report arrived in the view's span. */
const arrived = ({ since, until, where }: View): SQL =>
  sql`reports.id >= ${keyFrom(since - CLOCK_TOLERANCE_MS)} and reports.id < ${keyFrom(until + CLOCK_TOLERANCE_MS)}
    and reports.receive_time >= ${literal(since)} and reports.receive_time < ${literal(until)} and ${where}`

/** A cause of the report with that key: the rule's cause if it has one, else any, unacknowledged ones first. */
const causeOf = (view: View, { cause }: Rule, report: SQL): SQL =>
  sql`(select c.id from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
    where rc.report = ${report} and ${cause === '' ? sql`true` : sql`c.name = ${cause}`} order by c.id in ${quiet(view)} limit 1)`

/** The runs that are occurrences: among these reports, with this condition on the bits of their state. */
const runs = (view: View, rule: ReportRule, from: SQL, where: SQL): SQL =>
  sql`select reports.node, reports.id, null as cause from ${from} where ${arrived(view)} and ${where}
    and ${rule.cause === '' ? sql`true` : sql`${causeOf(view, rule, sql`reports.id`)} is not null`}`

/** The latest runs that fail by causes whose acknowledgement ended within the span: nobody was told of them. */
const cameBack = (view: View, rule: ReportRule): SQL =>
  sql`select reports.node, reports.latest as id, null as cause
    from (select c.id, c.name from acknowledgements a cross join causes c on c.name = a.cause
      where (coalesce(a.back, a.until) >= ${literal(view.since)} and coalesce(a.back, a.until) < ${literal(view.until)})) back
    cross join ${nodesOf(view)} cross join report_causes rc on rc.cause = back.id and rc.report = reports.latest
    where ${view.where} and ${FAILED('reports.state')} and ${rule.cause === '' ? sql`true` : sql`back.name = ${rule.cause}`}`

const RUNS = sql`reports not indexed`
const NOTABLE_RUNS = sql`reports indexed by reports_notable`

/** What finds the occurrences of each transition: rows of node, id of the report, cause. Rank 3 of a state is failed, rank 2 without bit 4 corrected drift. */
const FOUND: Readonly<Record<ReportTransition, (view: View, rule: ReportRule) => SQL>> = {
  failed: (view, rule) => {
    const failing = sql`${notable(codesOf(['failed']))} and not ${isQuiet(sql`reports.id`)} and not exists (
      select 1 from (select ${BEFORE} as state, ${BEFORE_ID} as id) before
      where ${FAILED('before.state')} and (not ${DERIVED('before.state')} or ${DERIVED('reports.state')}) and not ${isQuiet(sql`before.id`)})`
    return sql`${runs(view, rule, NOTABLE_RUNS, failing)} union ${cameBack(view, rule)}`
  },
  recovered: (view, rule) => {
    const recovering = sql`not ${FAILED('reports.state')} and exists (select 1 from (select ${BEFORE} as state) before where ${FAILED('before.state')})`
    return runs(view, rule, RUNS, recovering)
  },
  corrective: (view, rule) => {
    const correcting = sql`${notable(codesOf(['corrective'], false))} and coalesce(${BEFORE} & 7, 0) <> 2`
    return runs(view, rule, NOTABLE_RUNS, correcting)
  },
  'new-cause': (view) =>
    sql`select reports.node, reports.id, c.id as cause from causes c
      cross join report_causes rc on rc.cause = c.id and rc.report >= ${firstKeyOf(sql`c.first`)} and rc.report < ${firstKeyOf(sql`(c.first + 1)`)}
      cross join reports on reports.id = rc.report
      where c.first >= ${literal(view.since - CLOCK_TOLERANCE_MS)} and c.first < ${literal(view.until + CLOCK_TOLERANCE_MS)} and ${arrived(view)}
        and c.id not in quiet group by c.id`,
  silent: (view, { hours }) => {
    const ago = hours * HOUR
    return sql`select reports.node, reports.latest as id, null as cause from ${nodesOf(view)}
      where ${view.where} and reports.latest >= ${keyFrom(view.since - ago)} and reports.latest < ${keyFrom(view.until - ago)}`
  },
}
