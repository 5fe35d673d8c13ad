/** Factors common prefixes out of alternatives: a thousand host names then branch once per letter. */
import type { Tree } from './tree.ts'

/** The branches of a choice with their common prefixes factored out. Matches the same texts. */
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
