/** Reports as rows of lists, and what stands around one of them. */

import { sql, type SQL } from 'drizzle-orm'
import { isNotable, STATE_CODES } from '../../schema/states.ts'
import { equalsHash } from '../../sql/hash.ts'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { hashBytes } from '../../sql/encoding.ts'
import { producerTimestampOf } from '../../store/key.ts'
import { inSpan, whole, wordOf, type View } from '../fragments.ts'

/** Bytes of a body that is unpacked for its metrics alone: nearly all have a few hundred. */
const LONGEST_READ = 100_000

/** The columns of a report called `reports`, c0 to c15, in the order of `reportRow` in insight/reports.ts. */
export const REPORT_COLUMNS: SQL = sql`lower(hex(reports.hash)) as c0,
  (select n.certname from nodes n where n.id = reports.node) as c1, ${wordOf(sql`reports.environment`)} as c2,
  ${wordOf(sql`reports.status`)} as c3, reports.state as c4, reports.id as c5,
  ${sql.raw(producerTimestampOf('reports'))} as c6, reports.start_time as c7, reports.end_time as c8,
  ${wordOf(sql`reports.agent_version`)} as c9, ${wordOf(sql`reports.code_id`)} as c10, reports.configuration_version as c11,
  reports.failures as c12, reports.successes as c13, reports.noops as c14, reports.skips as c15`

export const NODE_NAMED = (certname: string): SQL =>
  sql`(select n.id from nodes n where n.certname = ${certname})`

/** The key of the report of that hash, if it may be seen. */
export const reportNamed = ({ rowPolicy }: View, hash: string): SQL =>
  sql`(select reports.id from reports where ${equalsHash(sql`reports.hash`, hashBytes(hash))} and ${rowPolicy})`

export interface ReportChoice {
  /** Numbers of states; null for all. */
  readonly states: readonly number[] | null
  readonly certname: string | null
}

/** A page of reports, newest first, below a key. */
export function reportPage(
  view: View,
  { states, certname }: ReportChoice,
  below: number | null,
  size: number,
): Statement {
  const ordinary = STATE_CODES.filter((code) => [0, 1, 4].includes(code))
  const notable = states !== null && !states.some((code) => ordinary.includes(code))
  const conditions = [
    inSpan(sql`reports.id`, view),
    view.where,
    ...(states ? [sql`reports.state in (${sql.raw(states.join(','))})`] : []),
    ...(notable ? [sql.raw(`reports.${isNotable('state')}`)] : []),
    ...(certname === null ? [] : [sql`reports.node = ${NODE_NAMED(certname)}`]),
    ...(below === null ? [] : [sql`reports.id < ${whole(below)}`]),
  ]
  const index = notable && certname === null ? sql` indexed by reports_notable` : sql``
  return render(sql`select ${REPORT_COLUMNS} from reports${index}
    where ${sql.join(conditions, sql` and `)} order by reports.id desc limit ${whole(size)}`)
}

/** The last runs of a node that may be seen, newest first. */
export const lastReports = ({ rowPolicy }: View, certname: string, size: number): Statement =>
  render(sql`select ${REPORT_COLUMNS} from reports indexed by reports_node
    where reports.node = ${NODE_NAMED(certname)} and ${rowPolicy} order by reports.id desc limit ${whole(size)}`)

/**
 * The heads of the reports whose keys are listed: the columns of a row, and [receive time, producer,
 * transaction and catalog UUID, cached catalog status, job, format, whether it is the latest, names of
 * metrics, first piece of the body].
 */
export const reportHeads = (keys: SQL): Statement =>
  render(sql`select ${REPORT_COLUMNS}, reports.receive_time as c16, ${wordOf(sql`reports.producer`)} as c17,
    ${uuidOf('transaction_uuid')} as c18, ${uuidOf('catalog_uuid')} as c19,
    ${wordOf(sql`reports.cached_catalog_status`)} as c20, reports.job_id as c21, reports.report_format as c22,
    reports.id = (select n.latest from nodes n where n.id = reports.node) as c23,
    (select m.names from metric_sets m where m.id = reports.metric_set) as c24, hex(reports.body) as c25
    from reports where reports.id in (${keys})`)

/** A UUID's 16 bytes as hex digits, or the text that was no UUID. */
const uuidOf = (column: string): SQL =>
  sql.raw(
    `iif(typeof(reports.${column}) = 'blob', lower(hex(reports.${column})), reports.${column})`,
  )

/** Further pieces of the bodies of reports: [key, piece]. */
export const bodyPieces = (keys: SQL): Statement =>
  render(sql`select p.report as c0, hex(p.data) as c1 from body_parts p
    where p.report in (${keys}) order by p.report, p.part`)

/** The events of reports in the order sent, [key, …]; of values that are longer than a row, their beginning. */
export const reportEvents = (keys: SQL): Statement =>
  render(sql`select e.report as c0, e.n as c1, ${EVENT_COLUMNS}
    from events e join resources s on s.id = e.resource where e.report in (${keys}) order by e.report, e.n`)

/** The columns of an event `e` with its resource `s`, c2 to c15, in the order of `eventOf` in insight/events.ts. */
export const EVENT_COLUMNS: SQL = sql`${wordOf(sql`e.status`)} as c2, s.type as c3, s.title as c4,
  ${wordOf(sql`e.property`)} as c5, ${wordOf(sql`e.name`)} as c6, e.old_value as c7, e.new_value as c8,
  e.message as c9, ${wordOf(sql`e.file`)} as c10, e.line as c11, s.path as c12, s.class as c13,
  e.corrective_change as c14, e.timestamp as c15`

/** Whatever stands around a report in time, of the same node: how its key compares, whether it must not have failed. */
const AROUND = {
  previous: sql`reports.id < k.id order by reports.id desc`,
  next: sql`reports.id > k.id order by reports.id`,
  good: sql`reports.id < k.id and reports.state & 3 <> 3 order by reports.id desc`,
} as const
export type Around = keyof typeof AROUND

/** The key of such a report; null where there is none. */
export const keyAround = ({ rowPolicy }: View, key: SQL, around: Around): SQL =>
  sql`(select (select reports.id from reports where reports.node = k.node and ${rowPolicy} and ${AROUND[around]} limit 1)
    from reports k where k.id = ${key})`

/** [previous, next or good; hash, state, time in ms] of those that there are. */
export const neighbours = (view: View, key: SQL): Statement =>
  render(sql`select a.around as c0, lower(hex(r.hash)) as c1, r.state as c2, ${sql.raw(producerTimestampOf('r'))} as c3
    from (${sql.join(
      (Object.keys(AROUND) as Around[]).map(
        (around) => sql`select ${around} as around, ${keyAround(view, key, around)} as id`,
      ),
      sql` union all `,
    )}) a join reports r on r.id = a.id`)

/** Several keys as the rows of one subselect. */
export const union = (keys: readonly SQL[]): SQL =>
  sql.join(
    keys.map((key) => sql`select ${key}`),
    sql` union all `,
  )

/** [key, hash, state, time in ms, names of metrics, body] of runs of a node, newest first; no body that is long. */
const bodies = ({ rowPolicy }: View, runs: SQL, size: number): Statement =>
  render(sql`select reports.id as c0, lower(hex(reports.hash)) as c1, reports.state as c2,
      ${sql.raw(producerTimestampOf('reports'))} as c3,
      (select m.names from metric_sets m where m.id = reports.metric_set) as c4,
      iif(length(reports.body) < ${whole(LONGEST_READ)}, hex(reports.body), null) as c5
    from reports indexed by reports_node
    where reports.node = ${runs} and ${rowPolicy} order by reports.id desc limit ${whole(size)}`)

/** Of its last runs that may be seen. */
export const lastBodies = (view: View, certname: string, size: number): Statement =>
  bodies(view, NODE_NAMED(certname), size)

/** Of those before the run with that key. */
export const bodiesBefore = (view: View, key: SQL, size: number): Statement =>
  bodies(
    view,
    sql`(select k.node from reports k where k.id = ${key}) and reports.id < ${key}`,
    size,
  )
