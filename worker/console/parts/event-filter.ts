/** Which events are shown: `show` in an address, as boxes to tick. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import { html, type Html } from '../html.ts'
import { oneOf } from '../states.ts'
import type { Visit } from '../visit.ts'
import { number } from '../words.ts'
import { shownKindOf, SHOWN_KINDS, type ShownKind } from './events.ts'
import { checkbox } from './list.ts'

/** All of them unless some are chosen. @throws QueryError for a kind that there is none of */
export function shownKinds({ url: { searchParams } }: Visit): readonly ShownKind[] {
  const asked = searchParams
    .getAll('show')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  return asked.length === 0 ? SHOWN_KINDS : asked.map((text) => oneOf(text, SHOWN_KINDS, 'show'))
}

/** A box for each kind that there is. */
export const kindFilter = (events: readonly EventRow[], chosen: readonly ShownKind[]): Html[] =>
  SHOWN_KINDS.flatMap((kind) => {
    const count = events.filter((event) => shownKindOf(event) === kind).length
    const label = `${kind === 'noop' ? 'would change' : kind} ${number(count)}`
    return count === 0 ? [] : [html`${checkbox('show', kind, label, chosen.includes(kind))}`]
  })
