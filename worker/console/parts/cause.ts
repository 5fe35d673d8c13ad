/** A list of causes: affected nodes, reason, place, and reports per hour. */

import type { CauseList, CauseSummary } from '../../insight/causes/cause-list.ts'
import { short } from '../../lib/code-version.ts'
import { codeThatBegan, type Breakage } from '../../insight/deploys/breakages.ts'
import type { FailingNode, FailingNodes } from '../../insight/causes/failing-nodes.ts'
import { causeAddress, chosenOf, deployAddress, OF_RUNS, reportAddress } from '../address.ts'
import type { Visit } from '../visit.ts'
import { each, html, type Html } from '../html.ts'
import { sparkBars } from '../svg/spark.ts'
import { counted, listed, number } from '../format.ts'
import { DEFAULT_SPAN } from '../span.ts'
import { table } from './table.ts'
import { moment, when } from './time.ts'

/** `in 24 h`, where the span is one of the menu. */
export function spanPhrase({ since, from }: Readonly<Record<string, string | null>>): string {
  const length = /^(\d+)([hd])$/.exec(since || DEFAULT_SPAN)
  return from || length === null ? 'in this time' : `in ${length[1]} ${length[2]}`
}

interface ListOptions {
  /** The nodes that broke with their code, which the list then names. */
  readonly breakages?: readonly Breakage[]
  /** Nodes of each cause, which its row then names; it leaves out what the page of the cause says. */
  readonly failing?: FailingNodes | null
}

export const causeList = (
  { now, url }: Visit,
  { items }: CauseList,
  { breakages = [], failing = null }: ListOptions,
): Html => {
  // The page of a cause is of the same span and nodes.
  const chosen = chosenOf(url, OF_RUNS)
  const kept = { ...chosen, since: chosen['since'] || DEFAULT_SPAN }
  const span = spanPhrase(kept)
  const list = (causes: readonly CauseSummary[]): Html =>
    html`<ul class="causes">
      ${each(causes, (cause) => html`<li>${reach(cause, span)}${about(cause, { kept, now, breakages, failing })}${hours(cause)}</li>`)}
    </ul>`
  const groups = Object.groupBy(items, groupOf)
  const fold = (name: string, causes: readonly CauseSummary[] = []): Html =>
    causes.length === 0
      ? ''
      : html`<details class="fold">
          <summary>${counted(causes.length, `${name} cause`)}</summary>
          ${list(causes)}
        </details>`
  return html`${groups.open ? list(groups.open) : ''}${fold('acknowledged', groups.acknowledged)}${fold('resolved', groups.resolved)}`
}

const groupOf = ({ failing, acknowledged }: CauseSummary): 'open' | 'acknowledged' | 'resolved' =>
  failing === 0 ? 'resolved' : acknowledged?.holds ? 'acknowledged' : 'open'

/** How many nodes fail by the cause now, and in the span. */
const reach = ({ failing, nodes }: CauseSummary, span: string): Html =>
  html`<div class="now">
    <b class="${failing === 0 ? 'quiet' : 'failed'}">${number(failing ?? nodes)}</b
    >${failing === null ? 'nodes' : html`failing${failing === nodes ? '' : html` <span class="nowrap">${number(nodes)} ${span}</span>`}`}
  </div>`

interface Listed {
  readonly kept: Readonly<Record<string, string | null>>
  readonly now: number
  readonly breakages: readonly Breakage[]
  readonly failing: FailingNodes | null
}

function about(cause: CauseSummary, { kept, now, breakages, failing }: Listed): Html {
  // Facets have none, and pages list causes by their reasons.
  const id = cause.cause!
  const href = causeAddress(id, kept)
  return html`<div>
    <span class="head"
      ><a class="clamp" href="${href}">${cause.reason}</a>
      ${cause.new ? html`<span class="tag failed">new</span>` : ''}</span
    >
    <div class="meta">
      <p>${sinceOf(cause, now)}${codePart(cause, breakages)}${whereOf(cause, failing)}</p>
      ${cause.failing ? nodeFold(failing?.get(id) ?? [], cause.failing, { now, href }) : ''}
    </div>
    ${acknowledgement(cause, now)}
  </div>`
}

/** Where it fails, unless its heading says so. */
function whereOf(cause: CauseSummary, failing: Listed['failing']): Html {
  const { reason, resource } = cause
  const isNamed = resource !== null && reason.startsWith(resource)
  const where = place({
    ...cause,
    ...(isNamed && { resource: null }),
    ...(failing !== null && { containing_class: null, file: null }),
  })
  return where === '' ? '' : html` · ${where}`
}

/** Names that stand beside the fold. */
const NAMED = 3

/** The nodes of one cause as one row that opens: some of them with their last run, and the way to all. */
export function nodeFold(
  nodes: readonly FailingNode[],
  all: number,
  { now, href }: { readonly now: number; readonly href: string },
): Html {
  if (nodes.length === 0) return ''
  const named = nodes.slice(0, NAMED)
  const more = all - named.length
  return html`<details class="nodes">
    <summary>
      <b
        >${listed(named.map(({ certname }) => certname.split('.', 1)[0]!)).replace(' and ', more > 0 ? ', ' : ' and ')}</b
      >${more > 0 ? ` and ${number(more)} more` : ''}
    </summary>
    ${table<FailingNode>(
      nodes,
      [
        'certname',
        [
          'Last run',
          'n',
          (one) => html`<a href="${reportAddress(one.report)}">${when(one.time, now)}</a>`,
        ],
      ],
      { look: '', hasHead: false },
    )}
    ${all > nodes.length ? html`<p><a href="${href}">All ${counted(all, 'node')}</a></p>` : ''}
  </details>`
}

/** The deploy by which nodes fail so now. */
function codePart(cause: CauseSummary, breakages: readonly Breakage[]): Html {
  const code = codeThatBegan(breakages, cause)
  return code === null
    ? ''
    : html` with
        <a href="${deployAddress(code)}"
          ><code>${short(code.code_version)}</code> in ${code.environment}</a
        >`
}

/** The present stretch; a cause that was over and is back began before. */
function sinceOf({ failing, since, first_seen, last_seen }: CauseSummary, now: number): Html {
  if (failing === 0) return html`last ${when(last_seen, now)}`
  const firstSeen = first_seen === null ? null : html`first seen ${when(first_seen, now)}`
  if (since === null) return firstSeen ?? html`last ${when(last_seen, now)}`
  return html`began
  ${when(since, now)}${firstSeen === null || since === first_seen ? '' : html`, ${firstSeen}`}`
}

function acknowledgement({ acknowledged }: CauseSummary, now: number): Html {
  if (acknowledged === null) return ''
  const { note, by, until, holds, nodes } = acknowledged
  return html`<p>
    ${
      holds
        ? html`acknowledged by ${by} until ${moment(until, now)}`
        : acknowledged.ended === 'grown'
          ? html`<span class="tag failed">back</span> grown beyond
              ${nodes === null ? 'what' : html`the ${counted(nodes, 'node')} that`} ${by}
              acknowledged`
          : html`<span class="tag failed">back</span> the acknowledgement by ${by} ended
              ${moment(until, now)}`
    }:
    ${note}
  </p>`
}

/** The resource, class and file of a cause. */
export const place = ({
  resource,
  more_resources,
  containing_class,
  file,
  line,
}: Pick<
  CauseSummary,
  'resource' | 'more_resources' | 'containing_class' | 'file' | 'line'
>): string =>
  [
    resource === null ? null : `${resource}${more_resources > 0 ? ` +${more_resources}` : ''}`,
    containing_class,
    file === null ? null : location(file, line),
  ]
    .filter((part) => part !== null)
    .join(' · ')

/** The end of a path, starting at its module, with the line. The code of `puppet apply -e` has lines and no path. */
export function location(file: string, line: number | null): string {
  if (file === '') return line === null ? 'no file' : `line ${line}`
  const tail = /(?:^|\/)(?:modules|site|manifests)\/(.*)$/.exec(file)?.[1] ?? file
  return line === null ? tail : `${tail}:${line}`
}

const hours = ({ hours, last_seen }: CauseSummary): Html =>
  html`<div>${sparkBars(hours, `Reports per hour, last ${last_seen.slice(11, 16)} UTC`)}</div>`
