/** A table of changes: when, what, from which value to which, on which node, by which code. */

import type { ChangeList, ChangeRow } from '../../insight/reports/change-list.ts'
import { address, changed, reportAddress, type Changes } from '../address.ts'
import { jsonText } from '../../lib/lossless.ts'
import { counted } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { codeLink } from './code-link.ts'
import { briefValue, lookOf, shownKindOf } from './events.ts'
import { listCard, type ListLooks } from './list-card.ts'
import { icon } from './mark.ts'
import { nodeNames } from './node-name.ts'
import { nodesOfSame, sameRows, type Same } from './same-rows.ts'
import { table } from './table.ts'
import { exactly, when } from './time.ts'

/** Most changes of a page. */
export const CHANGES_SHOWN = 100

/** Changes before those of the page are not counted: counting would read all of them. */
export const changeCount = ({ items, next }: ChangeList): string =>
  next === null
    ? counted(items.length, 'change')
    : items.length === 0
      ? 'Changes'
      : `The newest ${counted(items.length, 'change')}`

/** The card of the list. @param of the runs and the span in words */
export const changeCard = (
  visit: Visit,
  list: Pick<ListLooks<ChangeList>, 'scope' | 'found'>,
  of: string,
): Html =>
  listCard(visit, {
    ...list,
    show: ({ items }) => changeTable(visit, items),
    note: readBackTo,
    none: (found) => noChange(visit, found, of),
  })

/** How far back a page with few changes was read. */
const readBackTo = ({ items, next, back_to: backTo }: ChangeList): Html =>
  html`${counted(items.length, 'change')}${items.length < CHANGES_SHOWN && next !== null ? html`, back to ${exactly(backTo)}` : ''}`

/** Where no change matches in what was read. */
const noChange = ({ url }: Visit, { next, back_to: backTo }: ChangeList, of: string): Html =>
  next === null
    ? html`No change matches (${of}).
        <a href="${address('/console/changes', { since: 'all' })}">All changes</a>${ofPart(url)}`
    : html`No change matches back to ${exactly(backTo)}.
        <a href="${changed(url, { cursor: next })}" rel="next">Search further back</a
        >${ofPart(url)}`

/** The way from a part of a name to the whole names that have it. */
function ofPart({ searchParams }: URL): Html {
  const part = ['resource', 'class', 'file'].map((name) => searchParams.get(name)).find(Boolean)
  return part
    ? html` · <a href="${address('/console/search', { q: part })}">Names with ${part}</a>`
    : NONE
}

/** What a row says besides the node and the time. */
const SAID = [
  ...['status', 'corrective_change', 'resource_type', 'resource_title', 'property'],
  ...['old_value', 'new_value', 'containing_class', 'file', 'line', 'code_version', 'environment'],
] as readonly (keyof ChangeRow)[]

const contentOf = (change: ChangeRow): string => jsonText(SAID.map((name) => change[name]))

/** @param hint further parameters of the links to reports */
export function changeTable<Row extends ChangeRow>(
  { now, settings }: Visit,
  items: readonly Row[],
  hint: (item: Row) => Changes = () => ({}),
): Html {
  const nameOf = nodeNames(items)
  const timeOf = (item: Row): Html =>
    html`<a href="${reportAddress(item.report, '', hint(item))}">${when(item.timestamp, now)}</a>`
  return table<Same<Row>>(sameRows(items, contentOf), [
    ['Time', 't', timeOf],
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
      ({ same, environment }) =>
        html`${nodesOfSame(same, 'time', { nameOf, timeOf })} <small>${environment}</small>`,
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
