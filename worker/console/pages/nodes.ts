/** The list of nodes: all, or those in a state; worst first. */

import { NO_READ } from '../../store/batch-read.ts'
import {
  nodeCountRead,
  nodeListRead,
  NODE_SORTS,
  type NodeListOptions,
} from '../../insight/nodes/node-list.ts'
import { SILENT_AFTER_MS } from '../../insight/scope.ts'
import { MOST_RUNS } from '../../store/runs.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { pqlOf, quoted } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import {
  exports,
  field,
  filters,
  nothing,
  pager,
  panel,
  selectField,
  without,
  type Choice,
} from '../parts/list.ts'
import { axisOf, nodeTable } from '../parts/node-rows.ts'
import { chosen, STATE_CHOICE_NAMES, STATE_CHOICES, stateChoice } from '../states.ts'
import { answerOf, resolveView, nodeTerms, panels, type Visit } from '../visit.ts'
import { counted, number, part } from '../format.ts'
import { STRIP_RUNS } from './fleet.ts'

const SHOWN = 100
const EXPORTED = 500

const STRIPS = ['runs', 'time'] as const
const SORT_NAMES: Readonly<Record<(typeof NODE_SORTS)[number], string>> = {
  worst: 'worst first',
  certname: 'by name',
  time: 'last run first',
  seconds: 'slowest first',
}

function optionsOf({ url: { searchParams } }: Visit, limit: number): NodeListOptions {
  const { states, noop, silent } = stateChoice(searchParams)
  return {
    states,
    noop,
    silent,
    search: searchParams.get('q') || null,
    sort: chosen(searchParams, 'sort', NODE_SORTS, 'worst'),
    cursor: searchParams.get('cursor'),
    limit,
    runs: isTimed(searchParams) ? MOST_RUNS : STRIP_RUNS,
  }
}

const isTimed = (parameters: URLSearchParams): boolean =>
  chosen(parameters, 'strip', STRIPS, 'runs') === 'time'

export const STATE_OPTIONS: readonly Choice[] = [
  ['', 'any'],
  ...STATE_CHOICE_NAMES.map((name): Choice => [name, STATE_CHOICES[name].name]),
]

async function show(visit: Visit): Promise<Page> {
  const { view } = await resolveView(visit, 'all')
  const choice = stateChoice(visit.url.searchParams)
  const isPart = choice.name !== 'all' || !!visit.url.searchParams.get('q')
  const { nodes, every } = await panels(visit, {
    nodes: nodeListRead(view, optionsOf(visit, SHOWN)),
    every: isPart ? nodeCountRead(view) : NO_READ,
  })
  const answer = answerOf(nodes)
  const all = answerOf(every)
  const kind = choice.name === 'all' ? '' : ` ${choice.name}`
  const found = `${answer === null ? 'Nodes' : counted(answer.total, 'node')}${kind}`
  return {
    title: found,
    inTitle: ['state'],
    body: html`<div class="title">
        <h1>${found} ${all === null ? '' : html`<span class="muted">of ${number(all)}</span>`}</h1>
        <span class="right">${exports(visit, queryOf(visit))}</span>
      </div>
      ${filters(
        visit,
        field(visit, 'q', 'name', 'part of a name'),
        selectField(visit, 'state', 'state', STATE_OPTIONS),
        field(visit, 'env', 'environment', 'all'),
        selectField(
          visit,
          'sort',
          'order',
          NODE_SORTS.map((name): Choice => [name, SORT_NAMES[name]]),
          'worst',
        ),
        selectField(
          visit,
          'strip',
          'history',
          [
            ['runs', 'per run'],
            ['time', 'by time'],
          ],
          'runs',
        ),
        without(visit),
      )}${panel(visit, nodes, (list) =>
        list.items.length === 0
          ? nothing(
              html`${all ? `None of ${counted(all, 'node')}` : 'No node'} matches.
                <a href="/console/nodes">All nodes</a>`,
            )
          : html`${nodeTable(list.items, visit.now, isTimed(visit.url.searchParams) ? axisOf(list.items, visit.now) : STRIP_RUNS)}${pager(visit, list.next, part(list.items.length, list.total, 'node'))}`,
      )}`,
  }
}

/** A regular expression that finds the text in any case. */
const inAnyCase = (text: string): string => `(?i)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`

function queryOf(visit: Visit): string {
  const { searchParams } = visit.url
  const { pql, silent } = stateChoice(searchParams)
  const name = searchParams.get('q')
  return pqlOf(
    'nodes',
    [
      pql?.replaceAll(/\b(status|corrective_change|noop_pending)\b/g, 'latest_report_$1') ?? null,
      silent &&
        `latest_report_hash in reports[hash] { producer_timestamp < ${quoted(formatTimestamp(visit.now - SILENT_AFTER_MS))} }`,
      name ? `certname ~ ${quoted(inAnyCase(name))}` : null,
      ...nodeTerms(visit, 'report_environment'),
    ],
    'order by certname',
  )
}

const rows = (visit: Visit) =>
  exportedRows(
    visit,
    'all',
    (view, cursor) => nodeListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
    ({ certname, run, strip: _, events, ...node }) => ({
      certname,
      state: run?.state ?? null,
      noop: run?.noop ?? null,
      derived: run?.derived ?? null,
      ...node,
      ...events,
    }),
  )

export const nodesPage: PageRoute = {
  path: '/nodes',
  menu: { name: 'Nodes', key: 'n' },
  show,
  rows,
}
