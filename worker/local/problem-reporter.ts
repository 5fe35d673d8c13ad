/** Tells the runtime which problem the launcher found on the machine, for its status. */

import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 200

/**
 * Sends the newest problem, one message at a time and until the runtime has it. Two messages under way could arrive in the
 * wrong order, and one that is lost would leave the status wrong for as long as nothing else happens.
 */
export class ProblemReporter<Problem = string> {
  private problem: Problem | null = null
  /** What the present runtime was told. */
  private told: Problem | null = null
  private reporting: Promise<void> | null = null
  private stopped = false

  /** @param send sends the runtime a sentence, or null if all is well; fails while there is no runtime */
  constructor(private readonly send: (problem: Problem | null) => Promise<void>) {}

  /** Resolves when the runtime has been told the sentence, or a newer one. */
  report(problem: Problem | null): Promise<void> {
    this.problem = problem
    return this.catchUp()
  }

  /** To be called when a runtime begins: it knows of no problem. */
  reportToNewRuntime(): Promise<void> {
    this.told = null
    return this.catchUp()
  }

  stop(): void {
    this.stopped = true
  }

  private catchUp(): Promise<void> {
    return (this.reporting ??= this.sendNewest().finally(() => (this.reporting = null)))
  }

  private async sendNewest(): Promise<void> {
    while (this.told !== this.problem && !this.stopped) {
      const { problem } = this
      try {
        await this.send(problem)
        this.told = problem
      } catch {
        await sleep(RETRY_MS, undefined, { ref: false })
      }
    }
  }
}
