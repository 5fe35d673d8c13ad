/** Mutants that need no case, each with why. `npm run test:mutants` leaves them out, and fails if one no longer exists. */

import type { Mutant } from './mutations.ts'
import { mutationText } from './mutations.ts'

export interface Accepted {
  readonly file: string
  /** The line, without indentation. */
  readonly source: string
  /** As the run prints it. */
  readonly mutation: string
  readonly why: string
}

export const ACCEPTED: readonly Accepted[] = [
  {
    file: 'worker/postgres/regex/frontier.ts',
    source: 'private round = 0',
    mutation: '0 → 1',
    why: 'Rounds are compared with each other only, and nodes that no round has seen have 0.',
  },
  {
    file: 'worker/postgres/to-char/layout.ts',
    source: 'return end < 0 ? cells : cells.slice(0, end)',
    mutation: '< → <=',
    why: 'No mask of up to five elements puts the terminating byte first, for any number.',
  },
]

const keyOf = ({ file, source, mutation }: Omit<Accepted, 'why'>): string =>
  JSON.stringify([file, source, mutation])

const keyOfMutant = (mutant: Mutant): string =>
  keyOf({ file: mutant.file, source: mutant.source, mutation: mutationText(mutant) })

/** Separates what is accepted. Entries without a mutant are outdated. */
export function withoutAccepted(
  mutants: readonly Mutant[],
  accepted: readonly Accepted[] = ACCEPTED,
): { readonly mutants: readonly Mutant[]; readonly outdated: readonly Accepted[] } {
  const existing = new Set(mutants.map(keyOfMutant))
  const keys = new Set(accepted.map(keyOf))
  return {
    mutants: mutants.filter((mutant) => !keys.has(keyOfMutant(mutant))),
    outdated: accepted.filter((one) => !existing.has(keyOf(one))),
  }
}
