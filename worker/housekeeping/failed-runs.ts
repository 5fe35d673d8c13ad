/** Reads stored runs as their rules for states and causes saw them when they arrived. */

import type { Json } from '../lib/json.ts'
import { decodeBody } from '../report/body.ts'
import { causesOf, type Cause, type FailedEvent } from '../report/causes.ts'
import { runErrorsOf } from '../report/failure/log-lines.ts'
import { codeOf, isFailed } from '../schema/states.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import {
  flag,
  integer,
  json,
  nullable,
  selectText,
  text,
  typed,
  type RowOf,
} from '../sql/columns.ts'
import { bytesOfHex, hexOf, hourOfKey, timeOfRun } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'

/** Largest body that is read, in bytes. The runs with larger ones keep their state. */
const LONGEST_BODY = 200_000

/** The causes that a report has. */
const CAUSES = `(select json_group_array(json_array(c.id, c.name))
  from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause where rc.report = r.id)`

const RUN = {
  key: integer('r.id'),
  hour: integer(hourOfKey('r.id')),
  node: integer('r.node'),
  certname: text('n.certname'),
  state: integer('r.state'),
  status: nullable(text('(select value from strings where id = r.status)')),
  noop: nullable(flag('r.noop')),
  noopPending: nullable(flag('r.noop_pending')),
  correctiveChange: nullable(flag('r.corrective_change')),
  failures: integer('r.failures'),
  successes: integer('r.successes'),
  /** Whether its events are stored: retention deletes them, and keeps their numbers. */
  hasEvents: flag('r.failures = 0 or r.events > 0'),
  metricNames: nullable(text('(select names from metric_sets where id = r.metric_set)')),
  body: nullable(
    text(`iif(length(r.body) between 1 and ${LONGEST_BODY}, ${hexOf('r.body')}, null)`),
  ),
  time: integer(timeOfRun('r')),
  causes: json<[id: number, name: string][], string>(CAUSES),
}
const READ_RUNS = `select ${selectText(RUN)} from json_each(?1) k cross join reports r on r.id = k.value
cross join nodes n on n.id = r.node`

const FAILURE = {
  key: integer('e.report'),
  number: integer('e.n'),
  message: nullable(text('e.message')),
  resourceType: text('s.type'),
  resourceTitle: text('s.title'),
}
const READ_FAILURES = `select ${selectText(FAILURE)} from json_each(?1) k cross join events e on e.report = k.value
  and e.status = (select id from strings where kind = ${STRING_KINDS.eventStatus} and value = 'failure')
cross join resources s on s.id = e.resource order by e.report, e.n`

/** A run whose state or causes differ from what today's rules make of it. */
export interface RegroupedRun {
  readonly key: number
  readonly hour: number
  readonly node: number
  /** When it was, in ms. */
  readonly time: number
  /** Null where it stays. */
  readonly state: number | null
  /** The causes that it has no longer, by id and by name. */
  readonly dropped: readonly (readonly [id: number, name: string])[]
  readonly added: readonly Cause[]
}

type StoredRun = RowOf<typeof RUN>

/** The runs with these keys that today's rules see otherwise. Those whose logs or events were deleted stay as they are. */
export async function readRegrouped(
  database: Database,
  keys: readonly number[],
): Promise<RegroupedRun[]> {
  const params = [JSON.stringify(keys)]
  const [runs, failures] = await database.batch([
    typed(RUN, { sql: READ_RUNS, params }),
    typed(FAILURE, { sql: READ_FAILURES, params }),
  ])
  return runs.flatMap((run) => {
    const ofRun = failures.filter(({ key }) => key === run.key)
    return regrouped(run, ofRun) ?? []
  })
}

function regrouped(run: StoredRun, failures: readonly FailedEvent[]): RegroupedRun | null {
  const body = bodyOf(run)
  const state = body === null ? run.state : codeOf({ ...run, ...runErrorsOf(body) })
  if (!run.hasEvents || (body === null && failures.length === 0)) return null
  const causes = isFailed(state)
    ? causesOf({ certname: run.certname, logs: body?.logs ?? null, failures })
    : []
  const added = causes.filter(({ name }) => !run.causes.some(([, stored]) => stored === name))
  const dropped = run.causes.filter(([, stored]) => !causes.some(({ name }) => name === stored))
  if (state === run.state && added.length === 0 && dropped.length === 0) return null
  const { key, hour, node, time } = run
  return { key, hour, node, time, state: state === run.state ? null : state, dropped, added }
}

/** Null where retention has deleted them, or they are too long. */
function bodyOf({ metricNames, body }: StoredRun) {
  if (body === null) return null
  const { logs, metrics } = decodeBody(metricNames, bytesOfHex(body))
  return {
    logs: JSON.parse(logs) as readonly Json[] | null,
    metrics: JSON.parse(metrics) as readonly Json[] | null,
  }
}
