/** The problem that the launcher found on the machine, for the status. */

let problem: string | null = null

/** A sentence; null if nothing is wrong. */
export const healthProblem = (): string | null => problem

export function setProblem(sentence: string | null): void {
  problem = sentence
}
