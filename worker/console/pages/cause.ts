/** The page of one cause: its nodes and resources, when and with which code it began, and a sample message. */

import type { CauseStretch } from '../../insight/causes/all-stretches.ts'
import { causePageRead, type CausePage } from '../../insight/causes/cause-page.ts'
import { traitsRead } from '../../insight/causes/traits.ts'
import { inOneStatement, namedReads, readAll } from '../../store/batch-read.ts'
import { printed } from '../../insight/list-pages.ts'
import {
  incidentOfCause,
  nextInLine,
  type Incident,
  type NextNode,
} from '../../insight/incident/incident.ts'
import { mapRead } from '../../insight/nodes/node-map.ts'
import { address, pqlOf, quoted, reportAddress } from '../address.ts'
import { html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { acknowledgementPart } from '../parts/acknowledgement.ts'
import { heldIncident, incidentOfPage, runsOfCause } from '../parts/incident.ts'
import { message } from '../parts/message.ts'
import { table } from '../parts/table.ts'
import { location, place } from '../parts/cause.ts'
import { nextPart } from '../parts/next-in-line.ts'
import { card, exports, pager } from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { moment, when } from '../parts/time.ts'
import { traitsPart } from '../parts/traits.ts'
import { spreadChart } from '../svg/spread.ts'
import { everywhereRead, mayAdminister, resolveView, type Visit } from '../visit.ts'
import { age, counted, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'

/** Most nodes on the page, and in its export. */
const NODES = 50
const EXPORTED = 500
const QUERIED = 40

/** Nodes of the pages before this one. */
const firstOf = ({ url }: Visit): number =>
  Math.max(0, Math.floor(Number(url.searchParams.get('cursor')) || 0))

const ask = async (visit: Visit, limit: number, from: number) => {
  const { view, span } = await resolveView(visit)
  return {
    span,
    view,
    ...(await readAll(visit.database, {
      found: causePageRead(view, visit.names['cause'] ?? '', { limit, from }),
      fleet: inOneStatement(
        namedReads({
          everywhere: everywhereRead(view),
          traitsOf: traitsRead(view, visit.names['cause'] ?? ''),
        }),
      ),
      map: mapRead(view, { by: 'group', drawn: false }),
    })),
  }
}

export const show = (visit: Visit): Promise<Page> => showCause(visit, null)

/** @param problem why the form of the acknowledgement was refused; null where it was not sent */
export async function showCause(
  visit: Visit,
  problem: Parameters<typeof acknowledgementPart>[2],
): Promise<Page> {
  const { view, span, found: answer, fleet, map } = await ask(visit, NODES, firstOf(visit))
  const { cause, breakages } = answer
  const { everywhere, traitsOf } = fleet
  const found = incidentOfCause(view, cause, { breakages, map })
  const next = found === null ? [] : nextInLine(view, found, map)
  const isHeld = cause.acknowledged?.holds === true
  return {
    title: `${counted(cause.failing, 'node')} failing now${isHeld ? ', acknowledged' : ''} · ${cause.reason}`,
    isMarked: cause.failing > 0 && !isHeld,
    live: true,
    newest: { time: visit.now },
    scope: { span, environments: everywhere.environments },
    body: html`<div class="title">
        <div>
          <p class="crumbs"><a href="/console/causes">Causes</a></p>
          <h1>
            <span class="${cause.failing === 0 || isHeld ? 'muted' : 'failed'}"
              >${icon('cross')}</span
            >
            ${cause.reason}
          </h1>
          <p>${cause.new ? html`<span class="tag failed">new</span> ` : ''}${place(cause)}</p>
        </div>
        <div class="acts">
          ${exports(visit, queryOf(cause), { span })}${mayAdminister(visit.reader) ? html`<a class="btn" href="${hookFormAddress(visit.names['cause'] ?? '')}">Notify me</a>` : NONE}
        </div>
      </div>
      ${sentence(visit, cause, found)}
      <div class="cols">
        <div class="col">
          ${spreadPart(cause, found, next, visit.now)}
          ${cause.sample === null ? NONE : card({ name: 'What Puppet said', note: 'a sample message' }, html`<div class="in">${message(cause.sample, cause.reason)}</div>`)}
          ${card({ name: 'Nodes', note: `${counted(cause.nodes, 'node')}, latest first`, id: 'nodes' }, affected(visit, cause))}
        </div>
        <div class="col">
          ${acknowledgementPart(visit, cause, problem)} ${traitsPart(traitsOf(map))}
          ${nextPart(next, visit.now)} ${lastTime(visit, cause)} ${stretchesPart(visit, cause)}
          ${cause.resources.length < 2 ? NONE : card({ name: 'Resources' }, where(cause))}
        </div>
      </div>`,
  }
}

/** What burns, with what comes next; who works on it; or since when it is over. */
function sentence({ now }: Visit, cause: CausePage, found: Incident | null): Html {
  const { acknowledged } = cause
  if (found !== null)
    return acknowledged?.holds
      ? heldIncident(found, cause, acknowledged, now)
      : incidentOfPage(found, cause, now)
  return html`<section class="incident calm" aria-label="Incident" data-live="sentence">
    ${icon('ok')}
    <p class="lead">
      <b>No node fails because of this now.</b> ${runsOfCause(cause, now)}${heldNote(cause, now)}
    </p>
  </section>`
}

/** Who acknowledged a cause by which nothing fails at the moment. */
const heldNote = ({ acknowledged }: CausePage, now: number): Html =>
  acknowledged?.holds
    ? html` Acknowledged by ${acknowledged.by} until ${moment(acknowledged.until, now)}:
      “${acknowledged.note}”`
    : NONE

/** Fewer nodes spread nothing. */
const LEAST_SPREAD = 3

function spreadPart(
  { spread }: CausePage,
  found: Incident | null,
  next: readonly NextNode[],
  now: number,
): Html {
  if (Math.max(...spread.map(({ nodes }) => nodes)) < LEAST_SPREAD) return NONE
  const due = next.flatMap(({ due }) => (due === null ? [] : [Date.parse(due)]))
  const deployed =
    found === null || found.deploy === null || found.since === null ? null : Date.parse(found.since)
  return card(
    { name: 'How it spreads', note: 'nodes from their first to their last run with it' },
    html`<div class="in">
      ${spreadChart({ steps: spread, deployed, due }, now)}
      ${due.length === 0 ? '' : html`<p class="muted small">Dotted: when the next nodes are due to run its code.</p>`}
    </div>`,
  )
}

/** How it ended the last time that nodes failed by it. */
function lastTime({ now }: Visit, { last_time, failing }: CausePage): Html {
  if (last_time === null) return NONE
  const { since, until, seconds, nodes, certname, report, code_version, code_changed } = last_time
  return card(
    { name: failing > 0 ? 'Last time' : 'How it ended' },
    html`<div class="in">
      <p>
        ${counted(nodes, 'node')} failed because of it from ${moment(since, now)}, for
        ${age(seconds * 1000)}. It ended at ${moment(until, now)} with
        <a href="${reportAddress(report)}">a run of ${certname}</a>${
          code_version === null
            ? ''
            : code_changed
              ? html`, on new code: <b class="mono">${short(code_version)}</b>`
              : html`, on the same code (<b class="mono">${short(code_version)}</b>)`
        }.
      </p>
    </div>`,
  )
}

/** Each time that nodes failed by it, also before the reports that are stored. */
const stretchesPart = ({ now }: Visit, { stretches, stretches_since }: CausePage): Html =>
  stretches.length < 2
    ? NONE
    : card(
        {
          name: 'Stretches',
          note: `each ends before a day without a run${stretches_since === null ? '' : `; not kept before ${stretches_since.slice(0, 10)}`}`,
        },
        table<CauseStretch>(stretches, [
          ['From', 'name', ({ since }) => moment(since, now)],
          ['To', 'n labelled', ({ until }) => moment(until, now)],
          ['Runs', 'n labelled', ({ runs }) => number(runs)],
          ['Nodes, at least', 'n labelled', ({ nodes }) => number(nodes)],
        ]),
      )

/** PQL has no causes, so the query names the last run of each node, up to the length of an address. */
const queryOf = ({ affected }: CausePage): string =>
  pqlOf('reports', [
    `hash in [${affected
      .slice(0, QUERIED)
      .map(({ report }) => quoted(report))
      .join(', ')}]`,
  ])

/** The address of the hook form, filled in for nodes that fail by this cause. */
const hookFormAddress = (cause: string): string =>
  address('/console/settings', {
    name: `cause-${cause.slice(0, 8)}`,
    transition: 'failed',
    cause,
  })

const where = ({ resources, containing_class }: CausePage): Html =>
  html`${table<CausePage['resources'][number]>(resources, [
    [
      'Resource',
      'row',
      ({ resource, file, line }) =>
        html`<a href="${address('/console/changes', { resource, kind: 'failure' })}">${resource}</a>
          ${file === null ? '' : html`<br /><a class="mono small" href="${address('/console/changes', { file, kind: 'failure' })}">${location(file, line)}</a>`}`,
    ],
    ['Events', 'n labelled', ({ events }) => number(events)],
  ])}
  ${containing_class === null ? '' : html`<p>Class <a href="${address('/console/changes', { class: containing_class, kind: 'failure' })}">${containing_class}</a></p>`}`

function affected(visit: Visit, { affected, nodes }: CausePage): Html {
  const { now } = visit
  const from = firstOf(visit)
  return html`${table<CausePage['affected'][number]>(affected, [
    'certname',
    [
      'Now',
      '',
      ({ still }) =>
        still
          ? html`<span class="m failed">${icon('cross')}still failing</span>`
          : html`<span class="muted">over</span>`,
    ],
    ['First run with it', 'n labelled', ({ first }) => when(first, now)],
    [
      'Last run with it',
      'n labelled',
      ({ report, last }) => html`<a href="${reportAddress(report)}">${when(last, now)}</a>`,
    ],
    ['Runs', 'n labelled', ({ reports }) => number(reports)],
  ])}
  ${nodes > affected.length ? pager(visit, from + affected.length < nodes ? String(from + affected.length) : null, `${number(from + 1)} to ${number(from + affected.length)} of ${counted(nodes, 'node')}`) : NONE}`
}

export async function* rows(visit: Visit) {
  const { found } = await ask(visit, EXPORTED, 0)
  yield printed(found.cause.affected)
}
