/** The page of one cause: its nodes and resources, when and with which code it began, and a sample message. */

import { causePageRead, type CausePage } from '../../insight/causes/cause-page.ts'
import { readAll } from '../../store/batch-read.ts'
import { printed } from '../../insight/list-pages.ts'
import { address, nodeAddress, pqlOf, quoted, reportAddress } from '../address.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import { columns } from '../parts/plain-table.ts'
import { DEFAULT_SPAN, location } from '../parts/cause.ts'
import { card, exports } from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { exactly, when } from '../parts/time.ts'
import { share, sparkBars } from '../svg/spark.ts'
import { everywhereRead, mayAdminister, resolveView, type Visit } from '../visit.ts'
import { counted, part, number, short } from '../format.ts'

const NODES = 200
const QUERIED = 40

const ask = async (visit: Visit) => {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  return {
    span,
    ...(await readAll(visit.database, {
      cause: causePageRead(view, visit.names['cause'] ?? '', { limit: NODES }),
      everywhere: everywhereRead(view),
    })),
  }
}

async function show(visit: Visit): Promise<Page> {
  const { span, cause, everywhere } = await ask(visit)
  const still = cause.affected.filter((node) => node.still).length
  return {
    title: `${counted(cause.nodes, 'node')} · ${cause.reason}`,
    news: cause.new ? 1 : 0,
    live: true,
    newest: { time: visit.now },
    scope: { span, environments: everywhere.environments },
    body: html`<div class="title">
        <div>
          <p class="crumbs"><a href="/console/causes">Causes</a></p>
          <h1><span class="failed">${icon('cross')}</span> ${cause.reason}</h1>
        </div>
        <div class="acts">
          ${exports(visit, queryOf(cause), { span })}${mayAdminister(visit.reader) ? html`<a class="btn" href="${hookFormAddress(visit.names['cause'] ?? '')}">Notify me</a>` : NONE}
        </div>
      </div>
      <div class="facts">
        <span><b>${counted(cause.nodes, 'node')}</b>, ${number(still)} still failing</span
        ><span><b>${counted(cause.reports, 'run')}</b></span
        ><span><b>${counted(cause.events, 'event')}</b></span
        ><span
          >first seen
          <b>${exactly(cause.first_seen)}</b>
          ${cause.new ? html`<span class="tag failed">NEW</span>` : ''}</span
        ><span>last seen <b>${when(cause.last_seen, visit.now)}</b></span
        >${began(cause)}
      </div>
      ${cause.sample === null ? NONE : card({ name: 'Message' }, html`<pre class="msg">${cause.sample}</pre>`)}
      <div class="two">
        ${card({ name: 'Resources' }, where(cause))}
        ${card({ name: 'Time and environments' }, reach(cause))}
      </div>
      ${card({ name: 'Nodes', note: 'latest first' }, affected(visit, cause))}`,
  }
}

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

/** The code version that it began with, if the nodes agree on one. */
function began({ began_with, nodes }: CausePage): Html {
  const [first] = began_with
  return first === undefined
    ? ''
    : html`<span
        >began with code <b class="mono">${short(first.code_version)}</b> on ${number(first.nodes)}
        of ${number(nodes)}</span
      >`
}

const where = ({ resources, containing_class }: CausePage): Html =>
  html`<table>
      ${columns('Resource', 'File', '#Events')}
      <tbody>
        ${each(
          resources,
          ({ resource, file, line, events }) =>
            html`<tr>
              <td>
                <a href="${address('/console/changes', { resource, kind: 'failure' })}"
                  >${resource}</a
                >
              </td>
              <td class="mono">
                ${file === null ? '' : html`<a href="${address('/console/changes', { file, kind: 'failure' })}">${location(file, line)}</a>`}
              </td>
              <td class="n">${number(events)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${containing_class === null ? '' : html`<p>Class <a href="${address('/console/changes', { class: containing_class, kind: 'failure' })}">${containing_class}</a></p>`}`

function reach({ hours, environments, nodes }: CausePage): Html {
  const counts = hours.map(({ reports }) => reports)
  return html`<p>
      Runs per hour
      ${sparkBars(counts.slice(-96), `Runs with this cause per hour, most ${Math.max(0, ...counts)}`)}
    </p>
    <table>
      ${columns('Environment', '#Nodes', '~Share')}
      <tbody>
        ${each(
          environments,
          (one) =>
            html`<tr>
              <td>${one.environment}</td>
              <td class="n">${number(one.nodes)}</td>
              <td>${share(one.nodes / Math.max(1, nodes), 'f-failed')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

const affected = (visit: Visit, { affected, nodes }: CausePage): Html =>
  html`<table class="list cards">
      ${columns('Node', 'Now', '#Began', '#Last run with it', '#Runs')}
      <tbody>
        ${each(
          affected,
          (node) =>
            html`<tr>
              <th scope="row" class="name">
                <a href="${nodeAddress(node.certname)}">${node.certname}</a>
              </th>
              <td>
                ${node.still ? html`<span class="m failed">${icon('cross')}still failing</span>` : html`<span class="muted">over</span>`}
              </td>
              <td class="n" data-l="began">${when(node.first, visit.now)}</td>
              <td class="n" data-l="last">
                <a href="${reportAddress(node.report)}">${when(node.last, visit.now)}</a>
              </td>
              <td class="n" data-l="runs">${number(node.reports)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="foot">${part(affected.length, nodes, 'node')}</p>`

async function* rows(visit: Visit) {
  const { cause } = await ask(visit)
  yield printed(cause.affected)
}

export const causePage: PageRoute = { path: '/causes/:cause', show, rows }
