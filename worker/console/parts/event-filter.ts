/** The filter of events: checkboxes for the parameter `show`. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import { html, type Html } from '../html.ts'
import { oneOf } from '../states.ts'
import type { Visit } from '../visit.ts'
import { number } from '../format.ts'
import { shownKindOf, SHOWN_KINDS, type ShownKind } from './events.ts'
import { checkbox } from './list.ts'

/** The chosen kinds; all if none is chosen. @throws QueryError for an unknown kind */
export function shownKinds({ url: { searchParams } }: Visit): readonly ShownKind[] {
  const names = searchParams
    .getAll('show')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  return names.length === 0 ? SHOWN_KINDS : names.map((name) => oneOf(name, SHOWN_KINDS, 'show'))
}

/** A checkbox for each kind that the events have. */
export const kindFilter = (events: readonly EventRow[], chosen: readonly ShownKind[]): Html[] =>
  SHOWN_KINDS.flatMap((kind) => {
    const count = events.filter((event) => shownKindOf(event) === kind).length
    const label = `${kind === 'noop' ? 'would change' : kind} ${number(count)}`
    return count === 0 ? [] : [html`${checkbox('show', kind, label, chosen.includes(kind))}`]
  })
