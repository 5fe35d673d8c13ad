/** The filter of events: chips for the parameter `show`. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import { changed } from '../address.ts'
import type { Html } from '../html.ts'
import { oneOf } from '../states.ts'
import type { Visit } from '../visit.ts'
import { number } from '../format.ts'
import { shownKindOf, SHOWN_KINDS, type ShownKind } from './events.ts'
import { chip } from './list.ts'

/** The chosen kinds; all if none is chosen. @throws QueryError for an unknown kind */
export function shownKinds({ url: { searchParams } }: Visit): readonly ShownKind[] {
  const names = searchParams
    .getAll('show')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  return names.length === 0 ? SHOWN_KINDS : names.map((name) => oneOf(name, SHOWN_KINDS, 'show'))
}

/** A chip for each kind that the events have; a click shows this kind only, and the next one all. */
export const kindFilter = (
  { url }: Visit,
  events: readonly EventRow[],
  shown: readonly ShownKind[],
): Html[] =>
  SHOWN_KINDS.flatMap((kind) => {
    const count = events.filter((event) => shownKindOf(event) === kind).length
    if (count === 0) return []
    const only = shown.length === 1 && shown[0] === kind
    return [
      chip(
        `${changed(url, { show: only ? null : kind })}#events`,
        only,
        kind === 'noop' ? 'pending' : kind,
        number(count),
      ),
    ]
  })
