/** Notices a runtime that lives but answers late, and has one that answers nothing replaced. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Supervisor } from './host/supervisor.ts'

export interface HeartbeatOptions {
  readonly supervisor: Supervisor
  /** Asks the runtime for an answer that needs nothing but a turn of its thread. */
  readonly alive: () => Promise<unknown>
  /** Between two questions, in ms. */
  readonly everyMs: number
  /** How long an answer may take, in ms. */
  readonly hungMs: number
  /** From when on an answer is late, in ms. Late answers are told of once in 12 times this. */
  readonly lateMs: number
  /** Called with a sentence when an answer was late and when the runtime is replaced. */
  readonly onTrouble: (sentence: string) => void
}

/** @returns a function that ends the watch */
export function watchHeartbeat(options: HeartbeatOptions): () => void {
  const { supervisor, alive, everyMs, hungMs, lateMs, onTrouble } = options
  let isOver = false
  let next: NodeJS.Timeout | undefined
  let toldAt = -Infinity
  const sayLate = (begun: number): void => {
    const now = performance.now()
    if (now - begun < lateMs || now - toldAt < 12 * lateMs || isOver) return
    toldAt = now
    const seconds = Math.round((now - begun) / 100) / 10
    onTrouble(
      `The runtime (workerd) took ${seconds} s to answer; reports waited. The disk is slow, or the machine is busy.`,
    )
  }
  const isHung = async (pid: number): Promise<boolean> => {
    const begun = performance.now()
    const answered = alive().then(
      () => true,
      () => true,
    )
    if (await Promise.race([answered, sleep(hungMs, false, { ref: false })])) {
      if (supervisor.pid === pid) sayLate(begun)
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
