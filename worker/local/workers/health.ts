/** What the launcher has found wrong with the machine, which the status must tell. */

let problem: string | null = null

/** A sentence; null while nothing is wrong. */
export const healthProblem = (): string | null => problem

export function setProblem(sentence: string | null): void {
  problem = sentence
}
