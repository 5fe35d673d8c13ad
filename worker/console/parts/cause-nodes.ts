/** The nodes of a cause, page by page, and its resources. */

import type { CausePage } from '../../insight/causes/cause-page.ts'
import { address, reportAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { location } from './cause.ts'
import { firstOf } from './found-cause.ts'
import { card, pager } from './list.ts'
import { icon } from './mark.ts'
import { table } from './table.ts'
import { when } from './time.ts'

export function nodesOfCause(visit: Visit, { affected, nodes }: CausePage): Html {
  const { now } = visit
  const from = firstOf(visit)
  const to = from + affected.length
  return card(
    { name: 'Nodes', note: `${counted(nodes, 'node')}, latest first`, id: 'nodes' },
    html`${table<CausePage['affected'][number]>(affected, [
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
    ${nodes > affected.length ? pager(visit, to < nodes ? String(to) : null, `${number(from + 1)} to ${number(to)} of ${counted(nodes, 'node')}`) : NONE}`,
  )
}

/** A single one stands below the heading of the page. */
export function resourcesOfCause({ resources, containing_class: name }: CausePage): Html {
  if (resources.length < 2) return NONE
  const failures = (of: Readonly<Record<string, string>>): string =>
    address('/console/changes', { ...of, kind: 'failure' })
  return card(
    { name: 'Resources' },
    html`${table<CausePage['resources'][number]>(resources, [
      [
        'Resource',
        'row',
        ({ resource, file, line }) =>
          html`<a href="${failures({ resource })}">${resource}</a>
            ${file === null ? '' : html`<br /><a class="mono small" href="${failures({ file })}">${location(file, line)}</a>`}`,
      ],
      'events',
    ])}
    ${name === null ? '' : html`<p>Class <a href="${failures({ class: name })}">${name}</a></p>`}`,
  )
}
