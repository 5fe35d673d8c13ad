/** A tree written in RE2's notation. */
import { EVERYTHING, LAST_CHARACTER, complement, isEverything } from './characters.ts'
import { children, type CharacterSet, type Place, type Tree } from './tree.ts'

/** RE2 refuses a count, or counts of counts, that ask for more copies than this. */
export const MAX_COPIES = 1000

/** Places that RE2 can say. It has no one-sided word boundaries. */
const PLACES: Readonly<Partial<Record<Place, string>>> = {
  'text-start': '\\A',
  'text-end': '\\z',
  'line-start': '(?m:^)',
  'line-end': '(?m:$)',
  'word-edge': '\\b',
  'no-word-edge': '\\B',
}

/** Whether RE2 can express the tree at all: no lookaround, no `\m`, no counts it finds too large. */
export function suitsRe2(tree: Tree, copies = 1): boolean {
  if (tree.kind === 'look') return false
  if (tree.kind === 'place') return PLACES[tree.place] !== undefined
  const inner = tree.kind === 'repeat' ? copies * Math.max(tree.most ?? tree.least, 1) : copies
  return inner <= MAX_COPIES && children(tree).every((child) => suitsRe2(child, inner))
}

/** Prints a tree that `suitsRe2`; its matches are the same whatever flags RE2 is compiled with. */
export function printRe2(tree: Tree): string {
  switch (tree.kind) {
    case 'set':
      return printSet(tree.set)
    case 'place':
      return PLACES[tree.place] ?? ''
    case 'sequence':
      return tree.parts
        .map((part) => (part.kind === 'choice' ? group(part) : printRe2(part)))
        .join('')
    case 'choice':
      return tree.branches.map(printRe2).join('|')
    case 'repeat':
      return `${group(tree.part)}${quantifier(tree.least, tree.most)}`
    case 'look':
      return ''
  }
}

const group = (tree: Tree) => (tree.kind === 'set' ? printSet(tree.set) : `(?:${printRe2(tree)})`)

function quantifier(least: number, most: number | null): string {
  if (most === null) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`
  return least === 0 && most === 1 ? '?' : `{${least},${most}}`
}

function printSet(set: CharacterSet): string {
  const [range] = set
  if (range && set.length === 1 && range[0] === range[1]) return printCharacter(range[0])
  if (isEverything(set)) return '(?s:.)'
  if (set.length === 0) return `[^${printRanges(EVERYTHING)}]`
  return set.at(-1)?.[1] === LAST_CHARACTER
    ? `[^${printRanges(complement(set))}]`
    : `[${printRanges(set)}]`
}

const printRanges = (set: CharacterSet): string =>
  set
    .map(([first, last]) =>
      first === last ? printCharacter(first) : `${printCharacter(first)}-${printCharacter(last)}`,
    )
    .join('')

const printCharacter = (point: number): string => {
  const character = String.fromCodePoint(point)
  return /[A-Za-z0-9_ /:@]/.test(character) ? character : `\\x{${point.toString(16)}}`
}
