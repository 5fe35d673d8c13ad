/** Reduces a tree to a plain test (equality, prefix, list of words) where it is equivalent to one. */
import { unreachable } from '../../lib/invariant.ts'
import { isEverything } from './characters.ts'
import type { CharacterSet, Assertion, Tree } from './tree.ts'

/** Plain tests of a text, which SQL can express. */
export type Literal =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals' | 'prefix' | 'suffix' | 'contains'; readonly text: string }
  | { readonly kind: 'one-of'; readonly texts: readonly string[] }

/** An automaton is faster for more words than this. */
export const MAX_WORDS = 1000

/** The most characters of all words: counts make long words from short patterns, `(a{255}){255}` is one of 65,025. */
export const MAX_WORDS_LENGTH = 100_000

/**
 * The plain test that is equivalent to a tree: `^abc` is a prefix, `^(a|b)$` is one of two texts.
 * Undefined without one.
 */
export function readLiteral(tree: Tree): Literal | undefined {
  const { atStart, atEnd, middle } = peel(tree)
  const words = wordsOf(middle)
  if (!words) return wholeWords(tree)
  const [text, ...more] = words
  if (text === undefined) return undefined
  if (atStart && atEnd) return oneOf(words)
  if (more.length > 0) return undefined
  if (text === '') return { kind: 'any' }
  return { kind: atStart ? 'prefix' : atEnd ? 'suffix' : 'contains', text }
}

/** The tree of a plain test. */
export function treeOfLiteral(literal: Literal): Tree {
  switch (literal.kind) {
    case 'any':
      return { kind: 'sequence', parts: [] }
    case 'equals':
      return { kind: 'sequence', parts: [TEXT_START, ...charactersIn(literal.text), TEXT_END] }
    case 'prefix':
      return { kind: 'sequence', parts: [TEXT_START, ...charactersIn(literal.text)] }
    case 'suffix':
      return { kind: 'sequence', parts: [...charactersIn(literal.text), TEXT_END] }
    case 'contains':
      return { kind: 'sequence', parts: charactersIn(literal.text) }
    case 'one-of':
      return {
        kind: 'choice',
        branches: literal.texts.map((text) => treeOfLiteral({ kind: 'equals', text })),
      }
    default:
      return unreachable(literal)
  }
}

const TEXT_START: Tree = { kind: 'assertion', assertion: 'text-start' }
const TEXT_END: Tree = { kind: 'assertion', assertion: 'text-end' }

const charactersIn = (text: string): Tree[] =>
  Array.from(text, (character) => {
    const point = character.codePointAt(0)!
    return { kind: 'set', set: [[point, point]] }
  })

/** `^a$|^b$` as one list. */
function wholeWords(tree: Tree): Literal | undefined {
  if (tree.kind !== 'choice') return undefined
  const branches = tree.branches.map(peel)
  if (!branches.every(({ atStart, atEnd }) => atStart && atEnd)) return undefined
  const words = wordsOf({ kind: 'choice', branches: branches.map(({ middle }) => middle) })
  return words && oneOf(words)
}

function oneOf(words: readonly string[]): Literal | undefined {
  const [text, ...more] = new Set(words)
  if (text === undefined) return undefined
  return more.length === 0 ? { kind: 'equals', text } : { kind: 'one-of', texts: [text, ...more] }
}

/** Removes the anchors at both ends. `.*` at an end equals no anchor there. */
function peel(tree: Tree) {
  const parts = flatten(tree)
  let from = 0
  let to = parts.length
  let atStart = false
  let atEnd = false
  for (; isAssertion(parts[from], 'text-start'); from += 1) atStart = true
  for (; isAnything(parts[from]); from += 1) atStart = false
  for (; to > from && isAssertion(parts[to - 1], 'text-end'); to -= 1) atEnd = true
  for (; to > from && isAnything(parts[to - 1]); to -= 1) atEnd = false
  const middle: Tree = { kind: 'sequence', parts: parts.slice(from, to) }
  return { atStart, atEnd, middle }
}

const flatten = (tree: Tree): readonly Tree[] =>
  tree.kind === 'sequence' ? tree.parts.flatMap(flatten) : [tree]

const isAssertion = (tree: Tree | undefined, assertion: Assertion) =>
  tree?.kind === 'assertion' && tree.assertion === assertion

const isAnything = (tree: Tree | undefined) =>
  tree?.kind === 'repeat' &&
  tree.least === 0 &&
  tree.most === null &&
  tree.part.kind === 'set' &&
  isEverything(tree.part.set)

type Words = readonly string[] | undefined

/** Every text that the tree matches entirely; undefined where there are too many, or where a part isn't plain text. */
function wordsOf(tree: Tree): Words {
  switch (tree.kind) {
    case 'set':
      return charactersOf(tree.set)
    case 'sequence':
      return tree.parts.reduce<Words>((words, part) => words && joined(words, wordsOf(part)), [''])
    case 'choice':
      return tree.branches.reduce<Words>(
        (words, branch) => words && added(words, wordsOf(branch)),
        [],
      )
    case 'repeat':
      return tree.most === null ? undefined : repeated(wordsOf(tree.part), tree.least, tree.most)
    case 'assertion':
    case 'lookaround':
      return undefined
  }
}

const added = (words: readonly string[], more: Words): Words =>
  more &&
  words.length + more.length <= MAX_WORDS &&
  lengthOf(words) + lengthOf(more) <= MAX_WORDS_LENGTH
    ? [...words, ...more]
    : undefined

const joined = (words: readonly string[], more: Words): Words =>
  more &&
  words.length * more.length <= MAX_WORDS &&
  lengthOf(words) * more.length + lengthOf(more) * words.length <= MAX_WORDS_LENGTH
    ? words.flatMap((word) => more.map((ending) => word + ending))
    : undefined

const lengthOf = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + word.length, 0)

function repeated(words: Words, least: number, most: number): Words {
  let power: Words = ['']
  let all: Words = least === 0 ? power : []
  for (let count = 1; count <= most && power && all; count += 1) {
    power = joined(power, words)
    if (count >= least) all = power && added(all, power)
  }
  return power && all
}

function charactersOf(set: CharacterSet): Words {
  const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  // Halves of surrogate pairs aren't characters: as text they would match inside of one.
  if (size > MAX_WORDS || set.some(([first, last]) => last >= 0xd800 && first <= 0xdfff))
    return undefined
  return set.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
}
