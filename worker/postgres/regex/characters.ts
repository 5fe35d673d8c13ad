/** Sets of characters, and the named ones as PostgreSQL has them under the C locale. */
import type { CharacterSet, Range } from './tree.ts'

export const LAST_CHARACTER = 0x10ffff
export const NEWLINE: CharacterSet = [[10, 10]]
export const EVERYTHING: CharacterSet = [[0, LAST_CHARACTER]]

/** All characters of several sets; ranges may come in any order, overlap, and reach beyond Unicode. */
export function union(...sets: readonly CharacterSet[]): CharacterSet {
  const merged: [number, number][] = []
  for (const [first, last] of sets.flat().toSorted((a, b) => a[0] - b[0])) {
    if (first > LAST_CHARACTER) break
    const previous = merged.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged.map(([first, last]): Range => [first, Math.min(last, LAST_CHARACTER)])
}

/** Every character that is not in the set. */
export function complement(set: CharacterSet): CharacterSet {
  const starts = [0, ...set.map(([, last]) => last + 1)]
  const ends = [...set.map(([first]) => first - 1), LAST_CHARACTER]
  return starts.flatMap((start, index): Range[] => {
    const end = ends[index] ?? LAST_CHARACTER
    return start <= end ? [[start, end]] : []
  })
}

/** Whether a code point is half of a surrogate pair: no character, and as text it would match inside of one. */
export const isHalf = (point: number): boolean => point >= 0xd800 && point <= 0xdfff

const UPPER: Range = [65, 90]
const LOWER: Range = [97, 122]
const CASE_DISTANCE = 32

/** The set with both cases of its letters. Only ASCII has cases under the C locale. */
export function ignoringCase(set: CharacterSet): CharacterSet {
  return union(set, shared(set, UPPER, CASE_DISTANCE), shared(set, LOWER, -CASE_DISTANCE))
}

function shared(set: CharacterSet, [from, to]: Range, distance: number): CharacterSet {
  return set
    .map(([first, last]): Range => [Math.max(first, from), Math.min(last, to)])
    .filter(([first, last]) => first <= last)
    .map(([first, last]): Range => [first + distance, last + distance])
}

export const isEverything = (set: CharacterSet): boolean =>
  set.length === 1 && set[0]?.[0] === 0 && set[0][1] === LAST_CHARACTER

export function holds(set: CharacterSet, point: number): boolean {
  let low = 0
  let high = set.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((set[middle]?.[1] ?? 0) < point) low = middle + 1
    else high = middle
  }
  const range = set[low]
  return range !== undefined && range[0] <= point
}

const DIGIT: Range = [48, 57]
const TAB: Range = [9, 9]
const SPACE: Range = [32, 32]
const UNDERSCORE: Range = [95, 95]
/** From the tab to the carriage return. */
const BREAKS: Range = [9, 13]
const CONTROLS: CharacterSet = union([[0, 31]], [[127, 159]])
const SIGNS: CharacterSet = union([[33, 47]], [[58, 64]], [[91, 96]], [[123, 126]])

/** The names that `[[:name:]]` knows. */
export const CLASSES: ReadonlyMap<string, CharacterSet> = new Map<string, CharacterSet>([
  ['alnum', [DIGIT, UPPER, LOWER]],
  ['alpha', [UPPER, LOWER]],
  ['ascii', [[0, 127]]],
  ['blank', [TAB, SPACE]],
  ['cntrl', CONTROLS],
  ['digit', [DIGIT]],
  ['graph', [[33, 126]]],
  ['lower', [LOWER]],
  ['print', [[32, 126]]],
  ['punct', SIGNS],
  ['space', [BREAKS, SPACE]],
  ['upper', [UPPER]],
  ['word', [DIGIT, UPPER, UNDERSCORE, LOWER]],
  ['xdigit', [DIGIT, [65, 70], [97, 102]]],
])
