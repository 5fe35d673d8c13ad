/** Says that the runtime answers late: to the launcher's own questions, or to a report, which may wait longer than any of them. */

/** An interval between lines, in units of the time from which on an answer is late. */
const SILENCE = 12

export class LateAnswers {
  #saidAt = -Infinity

  /** @param lateMs from when on an answer is late @param onTrouble called with a sentence, once in 12 times that */
  constructor(
    private readonly lateMs: number,
    private readonly onTrouble: (sentence: string) => void,
  ) {}

  /** @param tookMs how long the answer took */
  note(tookMs: number): void {
    const now = performance.now()
    if (tookMs < this.lateMs || now - this.#saidAt < SILENCE * this.lateMs) return
    this.#saidAt = now
    const seconds = Math.round(tookMs / 100) / 10
    this.onTrouble(
      `The runtime (workerd) took ${seconds} s to answer; reports waited. The disk is slow, or the machine is busy.`,
    )
  }
}
