/** Prints what became of the mutants. */

import { printTable } from '../../bench/table.ts'
import { mutationText, type Mutant } from './mutations.ts'
import { folderOf } from './sources.ts'

export type Fate = 'types' | 'killed' | 'timed out' | 'survived' | 'not covered'

export interface Outcome {
  readonly mutant: Mutant
  readonly fate: Fate
  /** The test or the error that killed it, or the test files that it survived. */
  readonly by: string
}

/** Of the mutants that compile, the share that must be killed, in percent. */
export const GOAL = 92

const FATES: readonly Fate[] = ['killed', 'timed out', 'survived', 'not covered']

/** @returns the share of the mutants that were killed, in percent, of those that compile */
export function printReport(outcomes: readonly Outcome[]): number {
  const folders = [...new Set(outcomes.map(({ mutant }) => folderOf(mutant.file)))].sort()
  const row = (name: string, own: readonly Outcome[]) => {
    const counts = FATES.map((fate) => own.filter((one) => one.fate === fate).length)
    const refused = own.length - counts.reduce((sum, one) => sum + one, 0)
    return [name, own.length - refused, ...counts, `${shareOf(own).toFixed(0)} %`, refused]
  }
  printTable(
    ['folder', 'mutants', 'killed', 'by time-out', 'survived', 'not covered', 'share', 'no types'],
    [
      ...folders.map((folder) =>
        row(
          folder,
          outcomes.filter(({ mutant }) => folderOf(mutant.file) === folder),
        ),
      ),
      row('all', outcomes),
    ],
  )
  for (const fate of ['survived', 'not covered', 'timed out'] as const) {
    const own = outcomes.filter((one) => one.fate === fate)
    if (own.length === 0) continue
    console.log(`\n${fate}:`)
    for (const { mutant, by } of own) {
      console.log(
        `  ${mutant.file}:${mutant.line}  ${mutationText(mutant)}\n      in: ${mutant.source}\n      ${by}`,
      )
    }
  }
  return shareOf(outcomes)
}

function shareOf(outcomes: readonly Outcome[]): number {
  const compiled = outcomes.filter(({ fate }) => fate !== 'types')
  const killed = compiled.filter(({ fate }) => fate === 'killed' || fate === 'timed out')
  return compiled.length === 0 ? 100 : (100 * killed.length) / compiled.length
}
