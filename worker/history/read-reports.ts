/** Reads the reports of a day for the history, ordered by node, in pages of bounded size. */

import { inTurns } from '../lib/turns.ts'
import { decodeForHistory } from '../report/body.ts'
import type { MetricMap } from '../report/body-metrics.ts'
import { causesByEvent } from '../report/causes.ts'
import { reportFields } from '../schema/report-fields.ts'
import { decodeState, EVENT_FAILURE, isFailedCode } from '../schema/states.ts'
import type { StoredField } from '../schema/stored-field.ts'
import {
  flag,
  integer,
  nullable,
  selectText,
  text,
  typed,
  uuid,
  type Column,
  type RowOf,
} from '../sql/columns.ts'
import {
  bytesOfHex,
  dayStart,
  firstKey,
  hexOf,
  integerOf,
  lowerHexOf,
  producerTimestampOf,
} from '../sql/encoding.ts'
import { bodyStatement } from '../sql/expand.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Database } from '../store/database.ts'
import { readEvents, type StoredEvent } from './read-events.ts'

/** A report as the history takes it: columns of `reports` by name, and its parts. */
export interface WholeReport {
  readonly values: Readonly<Record<string, string | number | boolean | null>>
  readonly events: readonly StoredEvent[]
  /** JSON text of its log entries, `null` for none. */
  readonly logs: string
  readonly metrics: MetricMap | null
  readonly causes: RunCauses
}

/** Why a run failed: the names of its causes, and which of them a failed event or a log line has, by its index. */
export interface RunCauses {
  readonly names: readonly string[]
  readonly ofEvent: ReadonlyMap<number, string>
  readonly ofLog: ReadonlyMap<number, string>
}

const NO_CAUSES: RunCauses = { names: [], ofEvent: new Map(), ofLog: new Map() }

/** A place in the order of a day: behind the report with that key of that node. */
export interface Place {
  readonly certname: string
  readonly report: number
}

/** The reports of a pass: all of the day, or those that arrived late, from a time in ms on. */
export interface Selection {
  readonly day: number
  readonly since: number | null
}

const LISTED = {
  key: integer('r.id'),
  certname: text('n.certname'),
  hash: text(lowerHexOf('r.hash')),
  events: integer('r.events'),
  bytes: integer('coalesce(length(r.body), 0)'),
}
/** A report of a page, before it is read. */
export type ListedReport = RowOf<typeof LISTED>

const MOST_LISTED = 2000
/** ?1 first key, ?2 the key after the last, ?3 node and ?4 report behind which the page begins. */
const IN_ORDER = `r.id >= ${integerOf('?1')} and r.id < ${integerOf('?2')}
and n.certname >= ?3 and (n.certname > ?3 or r.id > ${integerOf('?4')})`
const ORDER = `order by n.certname, r.id limit ${MOST_LISTED}`
const LIST_ALL = `select ${selectText(LISTED)} from nodes n indexed by nodes_certname
cross join reports r indexed by reports_node on r.node = n.id where ${IN_ORDER} ${ORDER}`
/** A report for a day that is over came late, so an index finds it. ?5 time. */
const LIST_LATE = `select ${selectText(LISTED)} from reports r indexed by reports_late
cross join nodes n on n.id = r.node where r.clock_flags & 2 and r.receive_time >= ?5 and ${IN_ORDER} ${ORDER}`

/** The next reports of a pass; fewer than a page's worth are the last ones. */
export async function listReports(
  database: Database,
  { day, since }: Selection,
  { certname, report }: Place,
): Promise<{ readonly reports: readonly ListedReport[]; readonly isLast: boolean }> {
  const span = [firstKey(dayStart(day)), firstKey(dayStart(day + 1)), certname, report]
  const [reports] = await database.batch([
    typed(
      LISTED,
      since === null
        ? { sql: LIST_ALL, params: span }
        : { sql: LIST_LATE, params: [...span, since] },
    ),
  ])
  return { reports, isLast: reports.length < MOST_LISTED }
}

/** Reports that are unpacked, or made rows, in one turn: some 20 ms. */
export const REPORTS_OF_TURN = 200
const MOST_RUN_BYTES = 3_000_000
const MOST_RUN_EVENTS = 5000

/** Splits reports into runs that can be read at once; a single report may be larger. */
export function readableRuns(reports: readonly ListedReport[]): ListedReport[][] {
  const runs: ListedReport[][] = []
  let [bytes, events] = [Infinity, 0]
  for (const one of reports) {
    if (bytes + one.bytes > MOST_RUN_BYTES || events + one.events > MOST_RUN_EVENTS) {
      runs.push([])
      ;[bytes, events] = [0, 0]
    }
    runs.at(-1)!.push(one)
    bytes += one.bytes
    events += one.events
  }
  return runs
}

/** The column of a field that senders send. */
function fieldColumn({ name, kind, stored }: StoredField): Column<unknown, string> {
  const column = `r.${name}`
  switch (stored.form) {
    case 'uuid':
      return nullable(uuid(column))
    case 'code':
      return {
        expression: column,
        convert: (value: number) => stored.codes[value]!,
      }
    case 'reference':
      return text(`(select s.value from strings s where s.id = ${column})`)
    case 'key':
      return integer(producerTimestampOf('r'))
    default:
      return kind === 'boolean' ? nullable(flag(column)) : text(column)
  }
}

const FIELDS = Object.fromEntries(
  reportFields.map(([, field]) => [field.name, fieldColumn(field)]),
) as Readonly<Record<string, Column<string | number | boolean | null, string>>>
const REPORT = {
  ...FIELDS,
  key: integer('r.id'),
  receive_time: integer('r.receive_time'),
  event_count: integer('r.events'),
  metricNames: nullable(text('(select m.names from metric_sets m where m.id = r.metric_set)')),
  body: nullable(text(hexOf('r.body'))),
  slowest: nullable(
    text(`(select json_group_array(json_array(x.type, x.title, j.value))
    from json_each(r.slowest) j cross join resources x on x.id = j.key)`),
  ),
  warnings: nullable(text('r.warnings')),
  state: integer('r.state'),
  causes: nullable(
    text(`iif(${isFailedCode('r.state')}, (select json_group_array(json_array(name, log)) from
    (select c.name, rc.log from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
    where rc.report = r.id order by rc.event is null, rc.event, c.name)), null)`),
  ),
}
/** ?1 list of keys. */
const READ_REPORTS = `select ${selectText(REPORT)} from json_each(?1) listed cross join reports r on r.id = listed.value`

/** Reads reports whole, in their order. Those that were deleted meanwhile are left out. */
export async function readReports(
  database: Database,
  listed: readonly ListedReport[],
): Promise<WholeReport[]> {
  const keys = listed.map(({ key }) => key)
  const [rows] = await database.batch([
    typed(REPORT, { sql: READ_REPORTS, params: [JSON.stringify(keys)] }),
  ])
  const events = await readEvents(
    database,
    listed.filter((one) => one.events > 0).map(({ key }) => key),
  )
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const whole: WholeReport[] = []
  const turn = inTurns(REPORTS_OF_TURN)
  for (const { key, certname, hash } of listed) {
    await turn(1)
    const row = byKey.get(key)
    if (row === undefined) continue
    const { metricNames, body, key: _, state, causes, ...values } = row
    const parts = decodeForHistory(metricNames, await wholeBody(database, key, body ?? ''))
    const own = events.get(key) ?? []
    whole.push({
      values: {
        ...values,
        hash,
        certname,
        event_count: own.length,
        state: decodeState(state).state,
      },
      events: own,
      causes: causes === null ? NO_CAUSES : causesOfRun(certname, own, causes),
      ...parts,
    })
  }
  return whole
}

/** @param listed JSON list of `[name, index of the log line or null]` */
function causesOfRun(certname: string, events: readonly StoredEvent[], listed: string): RunCauses {
  const rows = JSON.parse(listed) as [name: string, log: number | null][]
  const names = rows.map(([name]) => name)
  const failures = events
    .filter(({ status }) => status === EVENT_FAILURE)
    .map((event) => ({
      number: Number(event['number']),
      message: event['message'] as string | null,
      resourceType: String(event['resource_type']),
      resourceTitle: String(event['resource_title']),
    }))
  // A run that waits to be grouped by newer rules has other names.
  const ofEvent = [...causesByEvent({ certname, failures })].filter(([, name]) =>
    names.includes(name),
  )
  const ofLog = rows.flatMap(([name, log]) => (log === null ? [] : [[log, name] as const]))
  return { names, ofEvent: new Map(ofEvent), ofLog: new Map(ofLog) }
}

/** A body of the greatest length has further pieces. */
async function wholeBody(database: Database, key: number, first: string): Promise<Uint8Array> {
  if (first.length < 2 * LONGEST_BODY) return bytesOfHex(first)
  const [pieces] = await database.batch([bodyStatement(key)])
  return bytesOfHex(pieces.map(({ piece }) => piece).join(''))
}
