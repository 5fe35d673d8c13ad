/** What a regular expression says, freed of its notation: options, escapes and classes are resolved into sets and places. */

/** First and last code point of a run of characters. */
export type Range = readonly [first: number, last: number]

/** A set of characters: sorted ranges that neither overlap nor touch. */
export type CharacterSet = readonly Range[]

/** A condition on a position in the text; none of them takes a character. */
export type Place =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  | 'word-start'
  | 'word-end'
  | 'word-edge'
  | 'no-word-edge'

/** A position that is followed (`ahead`) or preceded by `part`, or that isn't (`wanted` is false). */
export type Look = {
  readonly kind: 'look'
  readonly ahead: boolean
  readonly wanted: boolean
  readonly part: Tree
}

export type Tree =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'choice'; readonly branches: readonly Tree[] }
  | {
      readonly kind: 'repeat'
      readonly part: Tree
      readonly least: number
      /** `null` is without end. */
      readonly most: number | null
    }
  | Look

/** The parts of a tree, one level down. */
export const children = (tree: Tree): readonly Tree[] => {
  switch (tree.kind) {
    case 'set':
    case 'place':
      return []
    case 'sequence':
      return tree.parts
    case 'choice':
      return tree.branches
    case 'repeat':
    case 'look':
      return [tree.part]
  }
}
