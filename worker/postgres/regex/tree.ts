/** The tree of a regular expression: options, escapes and classes are resolved into character sets and assertions. */

/** First and last code point of a run of characters. */
export type Range = readonly [first: number, last: number]

/** A set of characters: sorted ranges that neither overlap nor touch. */
export type CharacterSet = readonly Range[]

/** An assertion on a position in the text; it consumes no character. */
export type Assertion =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  | 'word-start'
  | 'word-end'
  | 'word-edge'
  | 'no-word-edge'

/** A lookaround: `part` matches ahead of or behind the position, or does not (`positive` is false). */
export type Lookaround = {
  readonly kind: 'lookaround'
  readonly ahead: boolean
  readonly positive: boolean
  readonly part: Tree
}

export type Tree =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'choice'; readonly branches: readonly Tree[] }
  | {
      readonly kind: 'repeat'
      readonly part: Tree
      readonly least: number
      /** `null` is without end. */
      readonly most: number | null
    }
  | Lookaround

/** The parts of a tree, one level down. */
export const children = (tree: Tree): readonly Tree[] => {
  switch (tree.kind) {
    case 'set':
    case 'assertion':
      return []
    case 'sequence':
      return tree.parts
    case 'choice':
      return tree.branches
    case 'repeat':
    case 'lookaround':
      return [tree.part]
  }
}
