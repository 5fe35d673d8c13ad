/** Where in a text a place is. */
import { unreachable } from '../../lib/invariant.ts'
import { CLASSES, holds } from './characters.ts'
import type { Place } from './tree.ts'

const NEWLINE_POINT = 10
const WORD = CLASSES.get('word') ?? []

const isWord = (point: number | undefined) => point !== undefined && holds(WORD, point)

/** Whether the position before `points[position]` is such a place. */
export function isPlaceAt(place: Place, points: Int32Array, position: number): boolean {
  const before = points[position - 1]
  const after = points[position]
  switch (place) {
    case 'text-start':
      return before === undefined
    case 'text-end':
      return after === undefined
    case 'line-start':
      return before === undefined || before === NEWLINE_POINT
    case 'line-end':
      return after === undefined || after === NEWLINE_POINT
    case 'word-start':
      return !isWord(before) && isWord(after)
    case 'word-end':
      return isWord(before) && !isWord(after)
    case 'word-edge':
      return isWord(before) !== isWord(after)
    case 'no-word-edge':
      return isWord(before) === isWord(after)
    default:
      return unreachable(place)
  }
}
