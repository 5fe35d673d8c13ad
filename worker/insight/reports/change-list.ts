/** Lists what runs changed, newest first: the audit list of events. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { keyMilliseconds, literal, lowerHexOf } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import {
  answering,
  batchRead,
  type BatchRead,
  namedReads,
  NO_READ,
} from '../../store/batch-read.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import { inSpan, nodeNamed, stringId, stringOf } from '../../outcomes/fragments.ts'
import type { ListPage } from '../list-pages.ts'
import type { View } from '../view.ts'
import { EVENT } from './event-row.ts'
import { NODE_NAME } from './report-row.ts'
import { asChoice, asText } from '../../schema/readers.ts'
import { CERTNAME_PARAMETER, CURSOR_PARAMETER, limitParameter, defineListPanel } from '../panel.ts'

export const CHANGE_KINDS = ['intentional', 'corrective', 'noop', 'failure', 'any'] as const

/** The filters of the list; null means all. */
export interface ChangeFilter {
  /** `Type[title]`, `Type`, or a title. */
  readonly resource: string | null
  readonly class: string | null
  readonly file: string | null
  readonly certname: string | null
  readonly kind: (typeof CHANGE_KINDS)[number]
}

export interface ChangeListOptions extends ChangeFilter {
  readonly cursor: string | null
  readonly limit: number
  /** The view's node filter in PQL, for `query`. */
  readonly terms?: readonly (string | false)[]
}

/** Most runs that one page of a filtered list is looked for in. */
export const MOST_LOOKED_THROUGH = 10_000

/**
 * Newest first. A filter may match few changes, so a page ends after a bounded number of runs, with fewer items than asked
 * for or none: `next` is null only where the whole span was read. `query` is the same question in PQL, for /query/v4 and
 * exports.
 */
export interface ChangeList extends ListPage<ChangeRow> {
  readonly query: string
  /** The list was read from the end of the span, or the page before, back to this time. */
  readonly back_to: Timestamp
}

/** @throws QueryError for a cursor of another list */
export function changeListRead(view: View, options: ChangeListOptions): BatchRead<ChangeList> {
  const { cursor, limit } = options
  const below = cursor === null ? null : positionOf(cursor, [0, 0] as const)
  const runs = runsOfPage(view, options, below?.[0] ?? null)
  // Reads one more than the page holds, to know whether there is a next page.
  const page = changePage(view, options, { below, runs, size: limit + 1 })
  const next = runs === null ? NO_READ : batchRead([runs.next], ([[run]]) => run?.key ?? null)
  const reads = namedReads({ rows: batchRead([page], ([rows]) => rows), next })
  return answering(reads, ({ rows, next }) => {
    const last = rows.length > limit ? rows[limit - 1]! : null
    const end = last ?? (next === null ? null : { key: next, n: BEFORE_ITS_EVENTS })
    return {
      items: rows.slice(0, limit).map(changeOf),
      next: end && cursorOf([end.key, end.n]),
      query: queryOf(view, options),
      back_to: formatTimestamp(end === null ? view.since : keyMilliseconds(end.key)),
    }
  })
}

/** Index of no event: a page below it begins with the last event of its run. */
const BEFORE_ITS_EVENTS = 2 ** 31

/** The newest runs that a page is looked for in: the condition on `reports`, and the first run of the next page. */
interface RunsOfPage {
  readonly where: SQL
  readonly next: TypedStatement<{ readonly key: number }>
}

/** The runs of a list that few changes may match; null where all changes match, or those of a node, whose runs are few. */
function runsOfPage(view: View, filter: ChangeFilter, newest: number | null): RunsOfPage | null {
  const others = filtersOf({ ...filter, certname: null })
  const matchesMost = view.ofAll && filter.kind === 'any' && others.length === 0
  if (matchesMost || filter.certname !== null) return null
  const below = newest === null ? sql`` : sql` and reports.id <= ${literal(newest)}`
  const next = sql`from reports where ${inSpan(sql`reports.id`, view)}${below} order by reports.id desc limit 1 offset ${literal(MOST_LOOKED_THROUGH)}`
  return {
    next: select({ key: integer(sql`reports.id`) }, next),
    where: sql`reports.id > coalesce((select reports.id ${next}), ${literal(Number.MIN_SAFE_INTEGER)})`,
  }
}

/** The run of an event. */
const RUN = {
  certname: NODE_NAME,
  environment: text(stringOf(sql`reports.environment`)),
  report: text(lowerHexOf(sql`reports.hash`)),
}
const CHANGE = {
  ...EVENT,
  ...RUN,
  codeId: nullable(text(stringOf(sql`reports.code_id`))),
  configurationVersion: text(sql`reports.configuration_version`),
  key: integer(sql`reports.id`),
  n: integer(sql`e.n`),
}
type StoredChange = RowOf<typeof CHANGE>

/** An event without its index, with its run and the code version that the run applied. */
export type ChangeRow = RowOf<typeof EVENT> &
  RowOf<typeof RUN> & { readonly code_version: string | null }

/** Names of the columns of a change, also for tables without rows. */
export const CHANGE_COLUMNS = [
  ...(Object.keys({ ...EVENT, ...RUN }) as (keyof typeof EVENT | keyof typeof RUN)[]),
  'code_version',
] as const

/** Assigned, because V8 takes twenty times as long for a spread before many further names. */
const changeOf = ({ codeId, configurationVersion, key: _, n: __, ...change }: StoredChange) =>
  Object.assign(change, { code_version: codeVersionOf({ codeId, configurationVersion }) })

const status = (name: string): SQL => sql`e.status = ${stringId('eventStatus', name)}`

/** The condition of each kind on an event `e`, in SQL and in PQL. */
const KINDS: Readonly<Record<ChangeFilter['kind'], { readonly event: SQL; readonly pql: string }>> =
  {
    intentional: {
      event: sql`${status('success')} and coalesce(e.corrective_change, 0) = 0`,
      pql: 'status = "success" and ! (corrective_change = true)',
    },
    corrective: {
      event: sql`${status('success')} and e.corrective_change = 1`,
      pql: 'status = "success" and corrective_change = true',
    },
    noop: { event: status('noop'), pql: 'status = "noop"' },
    failure: { event: status('failure'), pql: 'status = "failure"' },
    any: {
      event: sql`e.status is not ${stringId('eventStatus', 'skipped')}`,
      pql: '! (status = "skipped")',
    },
  }

/** The conditions of the other filters on an event `e`, its resource `s` and its `reports`, and their fields in PQL. */
const FILTERS = {
  type: { field: 'resource_type', is: (value: string) => sql`s.type = ${value}` },
  title: { field: 'resource_title', is: (value: string) => sql`s.title = ${value}` },
  class: { field: 'containing_class', is: (value: string) => sql`s.class = ${value}` },
  file: { field: 'file', is: (value: string) => sql`e.file = ${stringId('file', value)}` },
  certname: { field: 'certname', is: (value: string) => sql`reports.node = ${nodeNamed(value)}` },
} as const

/** The filters that are set, with their values. */
function filtersOf({ resource, ...others }: ChangeFilter) {
  const values = { ...others, ...typeAndTitleOf(resource ?? '') }
  return (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).flatMap((name) => {
    const value = values[name]
    return value === null ? [] : [{ ...FILTERS[name], value }]
  })
}

/** Types begin with a capital and hold no slash. */
export function typeAndTitleOf(resource: string): { type: string | null; title: string | null } {
  const both = /^([A-Z][\w:]*)\[(.*)\]$/s.exec(resource)
  if (both) return { type: both[1]!, title: both[2]! }
  return /^[A-Z][\w:]*$/.test(resource)
    ? { type: resource, title: null }
    : { type: null, title: resource || null }
}

interface PageOfChanges {
  /** Key of the report and index of the event that ended the page before. */
  readonly below: readonly [key: number, n: number] | null
  readonly runs: RunsOfPage | null
  readonly size: number
}

function changePage(
  view: View,
  filter: ChangeFilter,
  { below, runs, size }: PageOfChanges,
): TypedStatement<StoredChange> {
  const conditions = [
    inSpan(sql`reports.id`, view),
    ...(runs === null ? [] : [runs.where]),
    view.where,
    // Nearly all reports have none.
    sql`reports.events > 0`,
    KINDS[filter.kind].event,
    ...filtersOf(filter).map(({ is, value }) => is(value)),
    ...(below === null
      ? []
      : [
          sql`reports.id <= ${literal(below[0])} and (reports.id < ${literal(below[0])} or e.n < ${literal(below[1])})`,
        ]),
  ]
  return select(
    CHANGE,
    sql`from reports cross join events e on e.report = reports.id cross join resources s on s.id = e.resource
      where ${sql.join(conditions, sql` and `)} order by reports.id desc, e.n desc limit ${literal(size)}`,
  )
}

/** The same question in PQL; `terms` express the view's filter, a condition on reports, as far as PQL can. */
function queryOf(
  { since, until, environment }: View,
  { terms: nodes, ...filter }: ChangeListOptions,
): string {
  const equal = (field: string, value: string): string => `${field} = ${JSON.stringify(value)}`
  const terms = [
    KINDS[filter.kind].pql,
    ...filtersOf(filter).map(({ field, value }) => equal(field, value)),
    ...(nodes?.filter(Boolean) ??
      (environment === null ? [] : [equal('environment', environment)])),
    `report in reports[hash] { producer_timestamp >= "${formatTimestamp(since)}" and producer_timestamp < "${formatTimestamp(until)}" }`,
    'node_state = "any"',
  ]
  return `events { ${terms.join(' and ')} }`
}

export const CHANGES_PANEL = defineListPanel({
  path: '/changes',
  summary: 'What runs changed, newest first.',
  takes: {
    resource: asText('`Type[title]`, a type, or a title.'),
    class: asText('Only resources of this class.'),
    file: asText('Only resources of this file.'),
    certname: CERTNAME_PARAMETER,
    kind: asChoice('The kind of events.', 'any', CHANGE_KINDS),
    cursor: CURSOR_PARAMETER,
    limit: limitParameter(50, 500),
  },
  read: changeListRead,
  columns: CHANGE_COLUMNS,
})
