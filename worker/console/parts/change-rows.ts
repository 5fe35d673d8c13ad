/** A table of changes: when, what, from which value to which, on which node, by which code. */

import type { ChangeList, ChangeRow } from '../../insight/reports/change-list.ts'
import { address, changed, reportAddress, type Changes } from '../address.ts'
import { counted } from '../format.ts'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { codeLink } from './code-link.ts'
import { briefValue, lookOf, shownKindOf } from './events.ts'
import { icon } from './mark.ts'
import { nodeNames } from './node-name.ts'
import { table } from './table.ts'
import { exactly, when } from './time.ts'

/** Most changes of a page. */
export const CHANGES_SHOWN = 100

/** Events beyond the page are not counted: counting would read all of them. */
export const changeCount = ({ items, next }: ChangeList): string =>
  `${next === null ? '' : 'More than '}${counted(items.length, 'change')}`

/** How far back a page with few changes was read. */
export const readBackTo = ({ items, next, back_to: backTo }: ChangeList): Html =>
  html`${counted(items.length, 'change')}${items.length < CHANGES_SHOWN && next !== null ? html`, back to ${exactly(backTo)}` : ''}`

/** Where no change matches in what was read. @param of the runs and the span in words */
export const noChange = ({ url }: Visit, { next, back_to: backTo }: ChangeList, of: string): Html =>
  next === null
    ? html`No change matches (${of}).
        <a href="${address('/console/changes', { since: 'all' })}">All changes</a>`
    : html`No change matches back to ${exactly(backTo)}.
        <a href="${changed(url, { cursor: next })}" rel="next">Search further back</a>`

/** @param hint further parameters of the links to reports */
export function changeTable<Row extends ChangeRow>(
  { now, settings }: Visit,
  items: readonly Row[],
  hint: (item: Row) => Changes = () => ({}),
): Html {
  const nameOf = nodeNames(items)
  return table<Row>(items, [
    [
      'Time',
      't',
      (item) =>
        html`<a href="${reportAddress(item.report, '', hint(item))}"
          >${when(item.timestamp, now)}</a
        >`,
    ],
    ['What', 'state', what],
    [
      'Resource',
      'name long',
      ({ resource_type: type, resource_title: title, property }) =>
        html`${type}[${title}] <small>${property ?? ''}</small>`,
    ],
    [
      'From → to',
      'mono value last',
      ({ old_value: old, new_value: value }) =>
        old === null && value === null ? '' : html`${briefValue(old)} → ${briefValue(value)}`,
    ],
    [
      'Node',
      'broad last',
      ({ certname, environment }) => html`${nameOf(certname)} <small>${environment}</small>`,
    ],
    [
      'Where',
      'broad last',
      (change) =>
        html`<small>${change.containing_class ?? ''}</small>
          <span class="mono">${codeLink(settings.CODE_URL, change)}</span>`,
    ],
    'code_version',
  ])
}

function what(change: ChangeRow): Html {
  const [glyph, hue, word] = lookOf(change)
  return html`<span class="m ${hue}">${icon(glyph, shownKindOf(change) === 'noop')}${word}</span>`
}
