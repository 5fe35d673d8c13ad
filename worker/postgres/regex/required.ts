/** A text that every match contains, so that texts without it need no further test. */
import { isHalf } from './characters.ts'
import type { Tree } from './tree.ts'

/** The longest such text outside of alternatives; `''` without one. */
export const requiredText = (tree: Tree): string =>
  runsOf(tree, ['']).reduce((longest, run) => (run.length > longest.length ? run : longest))

/**
 * Characters that follow one another in every match, run by run. @param runs those before the tree; the
 * last one can continue
 */
function runsOf(tree: Tree, runs: string[]): string[] {
  switch (tree.kind) {
    case 'set': {
      const [range, ...others] = tree.set
      if (range && others.length === 0 && range[0] === range[1] && !isHalf(range[0]))
        runs.push(runs.pop()! + String.fromCodePoint(range[0]))
      else runs.push('')
      return runs
    }
    case 'sequence':
      return tree.parts.reduce((before, part) => runsOf(part, before), runs)
    case 'repeat':
      runs.push('')
      if (tree.least > 0) runsOf(tree.part, runs).push('')
      return runs
    case 'choice':
      runs.push('')
      return runs
    // Assertions consume no character.
    case 'assertion':
    case 'lookaround':
      return runs
  }
}
