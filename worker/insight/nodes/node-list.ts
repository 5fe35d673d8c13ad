/** Lists active nodes, each with the state of its latest report and the strip of its last runs. */

import { sql, type SQL } from 'drizzle-orm'
import { codesFound, severityOf, STATE_NAMES, type StateFilter } from '../../schema/states.ts'
import { integer, select } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { MOST_RUNS } from '../../store/runs.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import { isSilentNode, nodesOf } from '../fragments.ts'
import type { CountedPage } from '../list-pages.ts'
import type { View } from '../view.ts'
import { flatNodeRow, nodeColumns, nodeRowOf, type NodeRow } from './node-row.ts'
import { asChoice, asChoices, asFlag, asText } from '../../schema/readers.ts'
import {
  CURSOR_PARAMETER,
  FACT_ERRORS_PARAMETER,
  limitParameter,
  defineListPanel,
  NOOP_PARAMETER,
  runsParameter,
} from '../panel.ts'

/** `worst`: by state, failed first, then silent nodes before others, then by certname. `oldest` and `fastest` reverse `time` and `seconds`. */
export const NODE_SORTS = ['worst', 'certname', 'time', 'oldest', 'seconds', 'fastest'] as const

/** The filters of the list; null means all. */
export interface NodeFilter extends StateFilter {
  /** True for silent nodes only, false for the others. */
  readonly silent: boolean | null
  /** A part of the certname; ignores case. */
  readonly search: string | null
}

export interface NodeListOptions extends NodeFilter {
  readonly sort: (typeof NODE_SORTS)[number]
  readonly cursor: string | null
  readonly limit: number
  /** Runs in each strip, at most 32. */
  readonly runs: number
}

/** @throws QueryError for a cursor of another list */
export function nodeListRead(
  view: View,
  options: NodeListOptions,
): BatchRead<CountedPage<NodeRow>> {
  const { cursor, limit, runs } = options
  const after = cursor === null ? null : positionOf(cursor, [0, ''] as const)
  // Reads one more than the page holds, to know whether there is a next page.
  return batchRead(
    [nodePage(view, options, after, limit + 1), nodeTotal(view, options)],
    ([rows, [counted]]) => {
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1)! : null
      return {
        total: counted!.total,
        items: page.map((node) => nodeRowOf(node, runs)),
        next: last && cursorOf([last.sortedBy, last.certname]),
      }
    },
  )
}

/** A page of the list whose `total` is null, for pages that know it. */
export function nodeRowsRead(
  view: View,
  options: NodeListOptions,
): BatchRead<Omit<CountedPage<NodeRow>, 'total'> & { readonly total: null }> {
  const { statements, read } = nodeListRead(view, options)
  return {
    statements: statements.slice(0, 1),
    read: ([rows]) => ({ ...read([rows!, [{ total: 0 }]]), total: null }),
  }
}

/** The filter's condition on a row of `nodesOf`. */
function isListed(view: View, filter: NodeFilter): SQL {
  const { silent, search } = filter
  const codes = codesFound(filter)
  const conditions = [
    view.where,
    ...(codes ? [sql`reports.state in (${sql.raw(codes.join(','))})`] : []),
    ...(silent === null ? [] : [sql`reports.silent = ${literal(Number(silent))}`]),
    ...(search === null ? [] : [sql`instr(lower(reports.certname), lower(${search})) > 0`]),
  ]
  return sql.join(conditions, sql` and `)
}

const SECONDS = sql`(select r.end_time - r.start_time from reports r where r.id = reports.latest)`

/** The value that sorts before the certname, greatest first. For `worst`: states by rank, real before noop, then silent ones. */
const SORTED_BY: Readonly<Record<NodeListOptions['sort'], (view: View) => SQL>> = {
  worst: () =>
    sql`(case when reports.state is null then -1 else ${sql.raw(severityOf('reports.state'))} + ${isSilentNode(sql`reports`)} end)`,
  certname: () => sql`0`,
  time: () => sql`coalesce(reports.latest, -9007199254740991)`,
  oldest: () => sql`coalesce(-reports.latest, 9007199254740991)`,
  seconds: () => sql`coalesce(${SECONDS}, -9007199254740991)`,
  fastest: () => sql`coalesce(-${SECONDS}, -9007199254740991)`,
}

const TOTAL = { total: integer(sql`count(*)`) }

const nodeTotal = (view: View, filter: NodeFilter): TypedStatement<{ readonly total: number }> =>
  select(TOTAL, sql`from ${nodesOf(view)} where ${isListed(view, filter)}`)

/** @param after sort value and certname of the last node of the page before */
function nodePage(
  view: View,
  options: NodeListOptions,
  after: readonly [sortedBy: number, certname: string] | null,
  size: number,
) {
  const value = SORTED_BY[options.sort](view)
  const behind =
    after === null
      ? sql``
      : sql` and (${value} < ${literal(after[0])} or (${value} = ${literal(after[0])} and reports.certname > ${after[1]}))`
  // Behind a LIMIT, a sort reads a row again for each further one; that of a union is read as far as the page goes.
  const sorted = sql`select reports.row, reports.certname, ${value} as value from ${nodesOf(view)}
    where ${isListed(view, options)}${behind} union all select null, null, null where 0 order by value desc, certname`
  const page = sql`select reports.certname, reports.node, reports.latest, reports.good, reports.runs, reports.silent, reports.clock_off, s.value
    from (select * from (${sorted}) limit ${literal(size)}) s cross join ${nodesOf(view)} on reports.row = s.row`
  return select(
    { ...nodeColumns(view), sortedBy: integer(sql`p.value`) },
    sql`from (${page}) p left join reports r on r.id = p.latest order by p.value desc, p.certname`,
  )
}

export const NODES_PANEL = defineListPanel({
  path: '/nodes',
  summary: 'Nodes with their latest run and a strip of their last runs.',
  takes: {
    state: asChoices('Only these states, separated by commas.', STATE_NAMES),
    noop: NOOP_PARAMETER,
    fact_errors: FACT_ERRORS_PARAMETER,
    silent: asFlag('Only silent nodes, or only the others.', null),
    q: asText('The text to look for.'),
    sort: asChoice('The order of nodes.', 'worst', NODE_SORTS),
    runs: runsParameter(24, MOST_RUNS),
    cursor: CURSOR_PARAMETER,
    limit: limitParameter(50, 500),
  },
  read: (view, { state, q, ...others }) =>
    nodeListRead(view, { ...others, states: state, search: q }),
  row: (node) => flatNodeRow(node),
  columns: [
    'certname',
    'state',
    'noop',
    'derived',
    'silent',
    'environment',
    'time',
    'report',
    'seconds',
    'agent_version',
    'code_version',
    'reason',
    'last_good',
    'failures',
    'successes',
    'noops',
    'skips',
  ],
})
