/** Where in a text a place is. What stands beside it decides: nothing, or a character of some kind. */
import { unreachable } from '../../lib/invariant.ts'
import { CLASSES, holds, NEWLINE } from './characters.ts'
import type { CharacterSet, Place } from './tree.ts'

/** What places tell apart about a neighbour. */
export const NEIGHBOURS = ['none', 'newline', 'word', 'other'] as const
export type Neighbour = (typeof NEIGHBOURS)[number]

const WORD = CLASSES.get('word') ?? []

/** The sets of characters that a place tells from others; none for the ends of the text. */
export function setsAround(place: Place): readonly CharacterSet[] {
  switch (place) {
    case 'text-start':
    case 'text-end':
      return []
    case 'line-start':
    case 'line-end':
      return [NEWLINE]
    default:
      return [WORD]
  }
}

/** What a character is to places that tell only these sets apart. */
export function neighbourAt(point: number, told: readonly CharacterSet[]): Neighbour {
  if (told.includes(NEWLINE) && holds(NEWLINE, point)) return 'newline'
  return told.includes(WORD) && holds(WORD, point) ? 'word' : 'other'
}

/** Whether the position between two neighbours is such a place. */
export function isPlaceBetween(place: Place, before: Neighbour, after: Neighbour): boolean {
  switch (place) {
    case 'text-start':
      return before === 'none'
    case 'text-end':
      return after === 'none'
    case 'line-start':
      return before === 'none' || before === 'newline'
    case 'line-end':
      return after === 'none' || after === 'newline'
    case 'word-start':
      return before !== 'word' && after === 'word'
    case 'word-end':
      return before === 'word' && after !== 'word'
    case 'word-edge':
      return (before === 'word') !== (after === 'word')
    case 'no-word-edge':
      return (before === 'word') === (after === 'word')
    default:
      return unreachable(place)
  }
}
