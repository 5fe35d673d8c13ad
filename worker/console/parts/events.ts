/** The events of a report in groups: failures first, skipped resources folded away. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import type { Json } from '../../lib/json.ts'
import { address } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { counted } from '../format.ts'
import { location } from './cause.ts'
import { icon } from './mark.ts'

type ShownKind = 'failed' | 'changed' | 'noop' | 'audited' | 'skipped'

const KIND_OF: Readonly<Record<string, ShownKind>> = {
  failure: 'failed',
  success: 'changed',
  noop: 'noop',
  audit: 'audited',
  skipped: 'skipped',
}

export const shownKindOf = ({ status }: Pick<EventRow, 'status'>): ShownKind =>
  KIND_OF[status] ?? 'changed'

/** Where the resource stands in the catalog. */
const pathOf = ({ containment_path: path }: EventRow): string =>
  path?.slice(0, -1).join(' › ') || 'no class'

/**
 * Groups with failures come first, and failures come first in their group. Otherwise events keep the
 * report's order.
 *
 * @param prefix of the events' ids; each report on a page has its own
 */
export function eventTree(
  events: readonly EventRow[],
  prefix = 'e',
  looks: Partial<EventLooks> = {},
): Html {
  const rowsOf = (some: readonly EventRow[]) =>
    each(some, (event) => eventRow(event, prefix, { placeOf, saysOf: eventMessage, ...looks }))
  const groups = Object.entries(Object.groupBy(events, pathOf)) as [string, EventRow[]][]
  const sorted = groups.toSorted(([, one], [, other]) => failures(other) - failures(one))
  return html`<ul class="tree">
    ${each(
      sorted,
      ([name, members]) =>
        html`<li>
          <div class="path"><span>${name}</span><span class="mono">${fileOf(members)}</span></div>
          ${rowsOf(members.filter((event) => shownKindOf(event) === 'failed'))}${rowsOf(members.filter((event) => !['failed', 'skipped'].includes(shownKindOf(event))))}${skipped(
            members.filter((event) => shownKindOf(event) === 'skipped'),
            rowsOf,
          )}
        </li>`,
    )}
  </ul>`
}

const failures = (events: readonly EventRow[]): number =>
  Math.min(1, events.filter((event) => shownKindOf(event) === 'failed').length)

/** The file of the members, if they share one. */
function fileOf(members: readonly EventRow[]): string {
  const files = new Set(members.map(({ file }) => file))
  const [file] = files
  return files.size === 1 && file != null ? location(file, null) : ''
}

const GLYPHS: Readonly<Record<ShownKind, readonly [glyph: string, hue: string]>> = {
  failed: ['cross', 'failed'],
  changed: ['disc', 'changed'],
  noop: ['disc', 'changed'],
  audited: ['dash', 'unchanged'],
  skipped: ['skip', 'unchanged'],
}

interface EventLooks {
  /** Shows the place of an event in its manifest. */
  readonly placeOf: (event: EventRow) => Html
  /** What the agent said of it. */
  readonly saysOf: (event: EventRow) => Html
}

const placeOf: EventLooks['placeOf'] = ({ file, line }) =>
  file === null ? '' : html`${location(file, line)}`

function eventRow(event: EventRow, prefix: string, { placeOf, saysOf }: EventLooks): Html {
  const kind = shownKindOf(event)
  const [glyph, hue, word] = lookOf(event)
  const resource = `${event.resource_type}[${event.resource_title}]`
  return html`<div
    class="event ${hue}${kind === 'failed' ? ' failure' : ''}"
    id="${prefix}${event.n}"
  >
    ${icon(glyph, kind === 'noop')}<span
      ><a href="${address('/console/changes', { resource, kind: 'any' })}">${resource}</a>
      ${event.property ?? ''} <small>${word}</small></span
    ><span
      >${values(event)}${
        event.file === null ? '' : html`<small class="mono"> ${placeOf(event)}</small>`
      }${saysOf(event)}</span
    >
  </div>`
}

/** The glyph, hue and word of an event. */
export function lookOf(
  event: Omit<EventRow, 'n'>,
): readonly [glyph: string, hue: string, word: string] {
  const kind = shownKindOf(event)
  if (kind !== 'failed' && event.corrective_change === true)
    return ['diamond', 'corrective', kind === 'noop' ? 'drift pending (noop)' : 'drift corrected']
  return [...GLYPHS[kind], kind === 'noop' ? 'pending (noop)' : kind]
}

export const shownValue = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const DIGEST = /^(\{\w+\}[0-9a-f]{8})[0-9a-f]{24,}$/

/** A value for a narrow cell: digests are shortened, with the whole value in the title. */
export function briefValue(value: Json): Html {
  const text = shownValue(value)
  const beginning = DIGEST.exec(text)?.[1]
  return beginning === undefined ? html`${text}` : html`<span title="${text}">${beginning}…</span>`
}

const values = ({ old_value, new_value }: EventRow): Html =>
  old_value === null && new_value === null
    ? ''
    : html`<span class="mono">${briefValue(old_value)} → ${briefValue(new_value)}</span>`

/** The message of an event, except of skipped ones. */
export function eventMessage(event: EventRow): Html {
  const { message } = event
  const kind = shownKindOf(event)
  if (message === null || message === '' || kind === 'skipped') return ''
  return kind === 'failed' ? html`<pre>${message}</pre>` : html`<br /><small>${message}</small>`
}

const skipped = (
  events: readonly EventRow[],
  rowsOf: (events: readonly EventRow[]) => Html[],
): Html =>
  events.length === 0
    ? ''
    : html`<details class="muted">
        <summary>
          ${icon('skip')} ${counted(events.length, 'resource')} skipped because of failed
          dependencies:
          ${events
            .slice(0, 3)
            .map(({ resource_type, resource_title }) => `${resource_type}[${resource_title}]`)
            .join(', ')}${events.length > 3 ? ' …' : ''}
        </summary>
        ${rowsOf(events)}
      </details>`
