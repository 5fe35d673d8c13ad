/** Alternatives that begin alike share their beginning: a thousand host names are then as many ways as they have first letters. */
import type { Tree } from './tree.ts'

/** The branches of a choice, with what several of them begin with taken out of these. Matches the same. */
export const sharingPrefixes = (branches: readonly Tree[]): readonly Tree[] =>
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

/** How many parts all branches begin with. */
function commonLength(branches: readonly Parts[]): number {
  const [first, ...others] = branches
  const differs = first!.findIndex((part, index) => {
    const name = nameOf(part)
    return name === null || others.some((other) => nameOf(other[index]) !== name)
  })
  return differs < 0 ? first!.length : differs
}

/** What tells a part from others, where that is simple: parts of one name match the same. */
const nameOf = (part: Tree | undefined): string | null =>
  part?.kind === 'set' && part.set.length === 1 ? part.set[0]!.join() : null
