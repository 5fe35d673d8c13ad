/** A tree as a nondeterministic automaton (Thompson's construction) whose conditions are numbered. */

import type { CharacterSet, Lookaround, Assertion, Tree } from './tree.ts'

/** Consumes a character of the set. */
type Take = {
  readonly kind: 'take'
  readonly set: CharacterSet
  readonly next: number
}

type Node =
  | Take
  | { readonly kind: 'when'; readonly condition: number; readonly next: number }
  | { readonly kind: 'split'; readonly next: number[] }
  | { readonly kind: 'match' }

export type Program = {
  readonly nodes: readonly Node[]
  readonly start: number
  readonly conditions: readonly (Assertion | Lookaround)[]
  /** Whether it reads a text from its end. */
  readonly backwards: boolean
}

/** Compiles a tree. @param backwards whether the program reads the text from its end; it matches the same texts */
export function compileProgram(tree: Tree, backwards: boolean): Program {
  const nodes: Node[] = [{ kind: 'match' }]
  const conditions: (Assertion | Lookaround)[] = []

  const add = (node: Node): number => nodes.push(node) - 1

  const conditionOf = (condition: Assertion | Lookaround): number => {
    const index = conditions.indexOf(condition)
    return index < 0 ? conditions.push(condition) - 1 : index
  }

  /** The first node of `part`, which continues at `next`. */
  const enter = (part: Tree, next: number): number => {
    switch (part.kind) {
      case 'set':
        return add({ kind: 'take', set: part.set, next })
      case 'assertion':
        return add({ kind: 'when', condition: conditionOf(part.assertion), next })
      case 'lookaround':
        return add({ kind: 'when', condition: conditionOf(part), next })
      case 'sequence':
        return backwards
          ? part.parts.reduce((entry, inner) => enter(inner, entry), next)
          : part.parts.reduceRight((entry, inner) => enter(inner, entry), next)
      case 'choice':
        return add({
          kind: 'split',
          next: sharingPrefixes(part.branches).map((branch) => enter(branch, next)),
        })
      case 'repeat':
        return repeat(part.part, part.least, part.most, next)
    }
  }

  const repeat = (part: Tree, least: number, most: number | null, next: number): number => {
    let entry = next
    if (most === null) {
      const ways = [next]
      const loop = add({ kind: 'split', next: ways })
      const body = enter(part, loop)
      ways.push(body)
      // The last required copy is the one that repeats: another one would double `((a+)+)+` at each
      // level.
      entry = least === 0 ? loop : body
      for (let count = 1; count < least; count += 1) entry = enter(part, entry)
      return entry
    }
    for (let count = least; count < most; count += 1)
      entry = add({ kind: 'split', next: [next, enter(part, entry)] })
    for (let count = 0; count < least; count += 1) entry = enter(part, entry)
    return entry
  }

  const start = enter(tree, 0)
  return { nodes, start, conditions, backwards }
}

/**
 * The branches of a choice with their common prefixes factored out: a thousand host names then branch once per letter.
 * Matches the same texts.
 */
const sharingPrefixes = (branches: readonly Tree[]): readonly Tree[] =>
  branches.length < 2 ? branches : shared(branches.map(flatten)).map(sequence)

type Parts = readonly Tree[]

const flatten = (tree: Tree): Parts =>
  tree.kind === 'sequence' ? tree.parts.flatMap(flatten) : [tree]

const sequence = (parts: Parts): Tree =>
  parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }

function shared(branches: readonly Parts[]): Parts[] {
  const groups = new Map<string | Parts, Parts[]>()
  for (const branch of branches) {
    const key = nameOf(branch[0]) ?? branch
    const group = groups.get(key)
    if (group) group.push(branch)
    else groups.set(key, [branch])
  }
  return [...groups.values()].map((group) => {
    if (group.length === 1) return group[0]!
    const length = commonLength(group)
    const rests = shared(group.map((branch) => branch.slice(length)))
    return [...group[0]!.slice(0, length), { kind: 'choice', branches: rests.map(sequence) }]
  })
}

/** The number of leading parts that all branches share. */
function commonLength(branches: readonly Parts[]): number {
  const [first, ...others] = branches
  const differs = first!.findIndex((part, index) => {
    const name = nameOf(part)
    return name === null || others.some((other) => nameOf(other[index]) !== name)
  })
  return differs < 0 ? first!.length : differs
}

/** A name for a simple part: parts of one name match the same texts. */
const nameOf = (part: Tree | undefined): string | null =>
  part?.kind === 'set' && part.set.length === 1 ? part.set[0]!.join() : null
