/** Notices a runtime that lives but answers late, and has one that answers nothing replaced. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Supervisor } from './host/supervisor.ts'
import type { LateAnswers } from './late-answers.ts'

export interface HeartbeatOptions {
  readonly supervisor: Supervisor
  /** Asks the runtime for an answer that needs nothing but a turn of its thread. */
  readonly alive: () => Promise<unknown>
  /** Between two questions, in ms. */
  readonly everyMs: number
  /** How long an answer may take, in ms. */
  readonly hungMs: number
  readonly late: LateAnswers
  /** Called with a sentence when the runtime is replaced. */
  readonly onTrouble: (sentence: string) => void
}

/** @returns a function that ends the watch */
export function watchHeartbeat(options: HeartbeatOptions): () => void {
  const { supervisor, alive, everyMs, hungMs, late, onTrouble } = options
  let isOver = false
  let next: NodeJS.Timeout | undefined
  const isHung = async (pid: number): Promise<boolean> => {
    const begun = performance.now()
    const answered = alive().then(
      () => true,
      () => true,
    )
    if (await Promise.race([answered, sleep(hungMs, false, { ref: false })])) {
      if (supervisor.pid === pid && !isOver) late.note(performance.now() - begun)
      return false
    }
    // Where the launcher itself stood still, the answer may have come.
    const stoodStill = performance.now() - begun > hungMs + everyMs
    return !stoodStill && supervisor.pid === pid && !isOver
  }
  const look = async (): Promise<void> => {
    const { pid } = supervisor
    if (pid !== null && (await isHung(pid))) {
      onTrouble(
        `The runtime (workerd) has answered nothing for ${hungMs / 1000} s. The service replaces it.`,
      )
      supervisor.replace()
    }
    if (!isOver) next = setTimeout(() => void look(), everyMs).unref()
  }
  void look()
  return () => {
    isOver = true
    clearTimeout(next)
  }
}
