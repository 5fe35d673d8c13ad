/** Shows which resources took the time of runs: the slowest resources of the fleet, from senders that report them. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import {
  integer,
  keyTimestamp,
  nullable,
  selectList,
  text,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import { integerOf, literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { inSpan } from '../../outcomes/fragments.ts'
import type { ListPage } from '../list-pages.ts'
import { rankedQuantile } from '../quantile.ts'
import type { View } from '../view.ts'
import { asChoice, asText } from '../../schema/readers.ts'
import { CERTNAME_PARAMETER, limitParameter, defineListPanel } from '../panel.ts'

export const SLOW_FACETS = ['resource', 'type'] as const

/** Most reports read, the newest first: a fleet may have a million a day. */
export const MOST_READ = 10_000

export interface SlowListOptions {
  readonly by: (typeof SLOW_FACETS)[number]
  /** Only resources of this type; null for all. */
  readonly type: string | null
  /** Only of this node; null for all. */
  readonly certname: string | null
  /** Most rows listed, those with the greatest total time first. */
  readonly limit: number
}

/** Computed from the ten slowest resources of each report, so a resource that is never among them is missing. */
export interface SlowList extends ListPage<SlowRow> {
  readonly by: SlowListOptions['by']
  /** Number of reports read, and how many of them say how long resources took. */
  readonly reports: number
  readonly timed: number
  /** Time of the oldest report read; null without any. */
  readonly oldest: Timestamp | null
}

/** Columns of a row, also for tables without rows. Times are of one resource in one run. */
export const SLOW_COLUMNS = [
  'resource_type',
  'resource_title',
  'runs',
  'nodes',
  'seconds',
  'p50',
  'p95',
  'max',
] as const

export interface SlowRow {
  readonly resource_type: string
  /** Null if grouped by type. */
  readonly resource_title: string | null
  readonly runs: number
  readonly nodes: number
  /** Sum over all runs. */
  readonly seconds: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

/** Takes one round trip with two statements. */
export const slowListRead = (view: View, options: SlowListOptions): BatchRead<SlowList> =>
  batchRead([readReports(view, options), slowRows(view, options)], ([[read], rows]) => ({
    by: options.by,
    reports: read!.reports,
    timed: read!.timed,
    oldest: read!.oldest,
    items: rows.map(rowOf),
    next: null,
  }))

/** The reports to read. */
const reportsRead = (view: View, { certname }: SlowListOptions): SQL =>
  sql`select reports.id, reports.node, reports.slowest from reports where ${inSpan(sql`reports.id`, view)} and ${view.where}${
    certname === null
      ? sql``
      : sql` and reports.node = (select n.id from nodes n where n.certname = ${certname})`
  } order by reports.id desc limit ${literal(MOST_READ)}`

const READ = {
  reports: integer(sql`count(*)`),
  timed: integer(sql`count(slowest)`),
  oldest: nullable(keyTimestamp(sql`min(id)`)),
}

const readReports = (view: View, options: SlowListOptions): TypedStatement<RowOf<typeof READ>> =>
  typed(READ, render(sql`select ${selectList(READ)} from (${reportsRead(view, options)})`))

const SLOW = {
  type: text(sql`type`),
  title: nullable(text(sql`title`)),
  runs: integer(sql`count(distinct report)`),
  nodes: integer(sql`count(distinct node)`),
  ms: integer(sql`sum(ms)`),
  p50: integer(rankedQuantile(0.5)),
  p95: integer(rankedQuantile(0.95)),
  max: integer(sql`max(ms)`),
}

function slowRows(view: View, options: SlowListOptions): TypedStatement<RowOf<typeof SLOW>> {
  const title = options.by === 'type' ? sql`null` : sql`s.title`
  const ofType = options.type === null ? sql`` : sql` where s.type = ${options.type}`
  return typed(
    SLOW,
    render(sql`with every as materialized (${reportsRead(view, options)}),
    slow as materialized (select s.type as type, ${title} as title, every.id as report, every.node, one.value as ms
      from every cross join json_each(every.slowest) one cross join resources s on s.id = ${integerOf(sql`one.key`)}${ofType}),
    ranked as (select slow.*, row_number() over (partition by type, title order by ms) as place,
      count(*) over (partition by type, title) as count from slow)
    select ${selectList(SLOW)} from ranked group by type, title order by sum(ms) desc, type, title limit ${literal(options.limit)}`),
  )
}

const rowOf = ({ type, title, runs, nodes, ms, p50, p95, max }: RowOf<typeof SLOW>): SlowRow => ({
  resource_type: type,
  resource_title: title,
  runs,
  nodes,
  seconds: ms / 1000,
  p50: p50 / 1000,
  p95: p95 / 1000,
  max: max / 1000,
})

export const SLOW_PANEL = defineListPanel({
  path: '/slow',
  summary: 'Resources that took the most time.',
  takes: {
    by: asChoice('What to group by.', 'resource', SLOW_FACETS),
    type: asText('Only resources of this type.'),
    certname: CERTNAME_PARAMETER,
    limit: limitParameter(50, 500),
  },
  read: slowListRead,
  columns: SLOW_COLUMNS,
})
