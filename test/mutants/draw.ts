/** Draws mutants: the same seed gives the same ones of the same sources. */

import { randomOf } from '../local/kill/random.ts'
import type { Mutant } from './mutations.ts'

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}

/**
 * All mutants in the order of the draw, so that any number of the first ones is even: folders have shares as the square
 * roots of their sizes, and the files of a folder take turns.
 *
 * @param folderOf the folder whose share a file counts to
 */
export function drawOrder(
  mutants: readonly Mutant[],
  folderOf: (file: string) => string,
  seed: number,
): readonly Mutant[] {
  const random = randomOf(seed)
  const drawn = [...groups(mutants, ({ file }) => folderOf(file)).values()].flatMap((ofFolder) => {
    const files = shuffled(
      [...groups(ofFolder, ({ file }) => file).values()].map((one) => shuffled(one, random)),
      random,
    )
    const turns = Math.max(...files.map((one) => one.length))
    const inTurns = Array.from({ length: turns }, (_, turn) =>
      files.flatMap((one) => one.slice(turn, turn + 1)),
    ).flat()
    const share = Math.sqrt(ofFolder.length)
    return inTurns.map((mutant, index) => ({ mutant, at: (index + random()) / share }))
  })
  return drawn.sort((one, other) => one.at - other.at).map(({ mutant }) => mutant)
}

function groups<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const group = found.get(key(item))
    if (group) group.push(item)
    else found.set(key(item), [item])
  }
  return found
}
