/** The list of nodes: all, or those in a state; worst first. */

import {
  nodeListRead,
  nodeRowsRead,
  NODE_SORTS,
  type NodeListOptions,
} from '../../insight/nodes/node-list.ts'
import { flatNodeRow } from '../../insight/nodes/node-row.ts'
import { fleetCountsRead, type FleetCounts } from '../../insight/fleet.ts'
import { NO_READ } from '../../store/batch-read.ts'
import { address, changed, chosenOf, OF_NODES, pqlOf, quoted } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { DEFAULT_SPAN } from '../parts/cause.ts'
import {
  chip,
  exports,
  field,
  filters,
  nothing,
  pager,
  panel,
  selectField,
  title,
  type Choice,
} from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { nodeTable, STRIP_RUNS } from '../parts/node-rows.ts'
import { unknownEnvironment } from '../scope-bar.ts'
import {
  chosen,
  nodesIn,
  STATE_CHOICE_NAMES,
  STATE_CHOICES,
  stateChoice,
  stateFilter,
} from '../states.ts'
import {
  answerOf,
  everywhereRead,
  isScoped,
  nodeTerms,
  panels,
  resolveView,
  type Visit,
} from '../visit.ts'
import { capital, counted, number, part } from '../format.ts'

const SHOWN = 100
const EXPORTED = 500

const SORT_NAMES: Readonly<Record<(typeof NODE_SORTS)[number], string>> = {
  worst: 'worst first',
  certname: 'by name',
  time: 'last run first',
  oldest: 'longest without a run first',
  seconds: 'slowest first',
  fastest: 'fastest first',
}

function optionsOf({ url: { searchParams } }: Visit, limit: number): NodeListOptions {
  const choice = stateChoice(searchParams)
  return {
    ...stateFilter(choice),
    silent: choice.silent,
    search: searchParams.get('q') || null,
    sort: chosen(searchParams, 'sort', NODE_SORTS, 'worst'),
    cursor: searchParams.get('cursor'),
    limit,
    runs: STRIP_RUNS,
  }
}

export const STATE_OPTIONS: readonly Choice[] = [
  ['', 'any'],
  ...STATE_CHOICE_NAMES.map((name): Choice => [name, STATE_CHOICES[name].name]),
]

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const choice = stateChoice(visit.url.searchParams)
  const isPart = choice.name !== 'all' || !!visit.url.searchParams.get('q')
  const { nodes, fleet, everywhere } = await panels(visit, {
    nodes: (isPart ? nodeListRead : nodeRowsRead)(view, optionsOf(visit, SHOWN)),
    fleet: fleetCountsRead(view),
    // The same counts, unless the page shows some nodes only.
    everywhere: isScoped(visit) ? everywhereRead(view) : NO_READ,
  })
  const answer = answerOf(nodes)
  const counts = answerOf(fleet)
  const all = counts === null || !isPart ? null : counts.nodes
  const kind = choice.name === 'all' ? '' : ` ${choice.name}`
  const total = isPart ? (answer?.total ?? null) : (counts?.nodes ?? null)
  const found = `${total === null ? 'Nodes' : counted(total, 'node')}${kind}`
  const environments = (answerOf(everywhere) ?? counts)?.environments ?? null
  const unknown = unknownEnvironment(visit, environments)
  return {
    title: found,
    inTitle: ['state'],
    scope: { environments, span },
    body: html`${title(
      html`${found} ${all === null ? '' : html`<span class="muted">of ${number(all)}</span>`}`,
      '',
      [
        visit.url.searchParams.get('state') === 'would'
          ? html`<a
              class="btn"
              href="${address('/console/changes', { ...chosenOf(visit.url, OF_NODES), kind: 'noop' })}"
              >What would change</a
            >`
          : '',
        // Queries know neither fact errors nor silence.
        exports(visit, choice.fact_errors || choice.silent !== null ? null : queryOf(visit)),
      ],
    )}
    ${filters(
      visit,
      field(visit, 'q', 'Part of a name', 'Part of a name'),
      stateChips(visit, counts),
      selectField(visit, 'silent_after', 'Silent after', SILENCES, '2'),
      // Wide windows show the headings of the table, which sort it too.
      html`<span class="narrow-only"
        >${selectField(
          visit,
          'sort',
          'Order',
          NODE_SORTS.map((name): Choice => [name, SORT_NAMES[name]]),
          'worst',
        )}</span
      >`,
    )}${panel(visit, nodes, (list) =>
      list.items.length === 0
        ? nothing(
            unknown === ''
              ? html`${all ? `None of ${counted(all, 'node')}` : 'No node'} matches.
                  <a href="/console/nodes">All nodes</a>`
              : unknown,
          )
        : html`<section class="card">
            ${nodeTable(list.items, visit.now, (name) => sortHeading(visit, name))}${pager(visit, list.next, part(list.items.length, total ?? list.items.length, 'node'))}
          </section>`,
    )}`,
  }
}

/** The choices of the hours after which a node is silent. */
const SILENCES: readonly Choice[] = [
  ['1', '1 hour'],
  ['2', '2 hours'],
  ['4', '4 hours'],
  ['12', '12 hours'],
  ['24', '1 day'],
  ['168', '7 days'],
]

/** Shorter names, where the glyph says the rest. */
const CHIPS: Readonly<Partial<Record<string, string>>> = {
  corrective: 'Drift',
  would: 'Pending',
  'fact-errors': 'Fact errors',
}

/** Each state with its number of nodes; the states of a fleet that could not be read have none. */
const stateChips = ({ url }: Visit, fleet: FleetCounts | null): Html[] => {
  const chosen = url.searchParams.get('state') || null
  return [
    chip(
      changed(url, { state: null }),
      chosen === null,
      'All',
      fleet === null ? undefined : number(fleet.nodes),
    ),
    ...STATE_CHOICE_NAMES.filter(
      (name) =>
        name !== 'eventful' &&
        // Few fleets have any, and the chips fill a line.
        (name !== 'fact-errors' || chosen === name || (fleet?.fact_errors ?? 0) > 0),
    ).map((name) => {
      const { glyph, hue, name: word } = STATE_CHOICES[name]
      return chip(
        changed(url, { state: name }),
        chosen === name,
        html`<span class="st ${hue}">${icon(glyph, name === 'would')}</span
          >${CHIPS[name] ?? capital(word)}`,
        fleet === null ? undefined : number(nodesIn(fleet, STATE_CHOICES[name])),
      )
    }),
  ]
}

/** Heading → the orders that it sorts by: that of the first click, and that of the next. */
const HEADING_SORTS: Readonly<
  Record<string, readonly (readonly [NodeListOptions['sort'], 'ascending' | 'descending'])[]>
> = {
  Node: [['certname', 'ascending']],
  State: [['worst', 'descending']],
  'Last run': [
    ['time', 'descending'],
    ['oldest', 'ascending'],
  ],
  Took: [
    ['seconds', 'descending'],
    ['fastest', 'ascending'],
  ],
}

function sortHeading({ url }: Visit, name: string): Html {
  const sorts = HEADING_SORTS[name] ?? []
  const now = chosen(url.searchParams, 'sort', NODE_SORTS, 'worst')
  const at = sorts.findIndex(([sort]) => sort === now)
  const [next] = sorts[(at + 1) % sorts.length] ?? [now]
  const numeric = name === 'Last run' || name === 'Took'
  return html`<th
    scope="col"
    ${numeric ? html` class="n${name === 'Took' ? ' hide' : ''}"` : ''}
    ${at < 0 ? '' : html` aria-sort="${sorts[at]![1]}"`}
  >
    <a href="${changed(url, { sort: next === 'worst' ? null : next })}"
      >${name}${at < 0 ? '' : sorts[at]![1] === 'ascending' ? ' ↑' : ' ↓'}</a
    >
  </th>`
}

/** A regular expression that finds the text in any case. */
const inAnyCase = (text: string): string => `(?i)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`

function queryOf(visit: Visit): string {
  const { searchParams } = visit.url
  const { pql } = stateChoice(searchParams)
  const name = searchParams.get('q')
  return pqlOf(
    'nodes',
    [
      pql?.replaceAll(/\b(status|corrective_change|noop_pending)\b/g, 'latest_report_$1') ?? null,
      name ? `certname ~ ${quoted(inAnyCase(name))}` : null,
      ...nodeTerms(visit, 'report_environment'),
    ],
    'order by certname',
  )
}

export const rows = (visit: Visit) =>
  exportedRows(
    visit,
    'all',
    (view, cursor) => nodeListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
    flatNodeRow,
  )
