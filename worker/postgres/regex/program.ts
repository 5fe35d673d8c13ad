/** A tree as a nondeterministic automaton (Thompson's construction) whose conditions are numbered. */
import { sharingPrefixes } from './prefixes.ts'
import type { CharacterSet, Lookaround, Assertion, Tree } from './tree.ts'

/** Consumes a character of the set. */
export type Take = {
  readonly kind: 'take'
  readonly set: CharacterSet
  readonly next: number
}

export type Node =
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
