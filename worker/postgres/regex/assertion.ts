/**
 * Assertions on positions of a text (anchors, word edges): the two neighbours of a position decide
 * whether one holds.
 */
import { unreachable } from '../../lib/invariant.ts'
import { CLASSES, holds, NEWLINE } from './characters.ts'
import type { CharacterSet, Assertion } from './tree.ts'

/** The kinds of neighbours that assertions distinguish. */
export const NEIGHBOURS = ['none', 'newline', 'word', 'other'] as const
export type Neighbour = (typeof NEIGHBOURS)[number]

const WORD = CLASSES.get('word') ?? []

/** The sets of characters that an assertion distinguishes; none for the ends of the text. */
export function setsAround(assertion: Assertion): readonly CharacterSet[] {
  switch (assertion) {
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

/** The kind of neighbour that a character is for assertions that distinguish only these sets. */
export function neighbourAt(point: number, sets: readonly CharacterSet[]): Neighbour {
  if (sets.includes(NEWLINE) && holds(NEWLINE, point)) return 'newline'
  return sets.includes(WORD) && holds(WORD, point) ? 'word' : 'other'
}

/** Whether the assertion holds between two neighbours. */
export function holdsBetween(assertion: Assertion, before: Neighbour, after: Neighbour): boolean {
  switch (assertion) {
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
      return unreachable(assertion)
  }
}
