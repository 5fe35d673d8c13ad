// The delays before answers, which end early when the catcher is closed.
import { once } from 'node:events'
import type { Socket } from 'node:net'

/** The delays that are passing. */
export class Pauses {
  private readonly passing = new Set<{ readonly end: number; cut(): void }>()
  /** Until when delays may pass, in the time of performance.now(). */
  private deadline = Infinity

  /** Waits, but no longer than the sender does; false when the catcher was closed before. */
  async pass(milliseconds: number, socket: Socket): Promise<boolean> {
    const end = performance.now() + milliseconds
    if (end > this.deadline) return false
    const cutter = new AbortController()
    const pause = { end, cut: () => cutter.abort() }
    const signal = AbortSignal.any([AbortSignal.timeout(milliseconds), cutter.signal])
    this.passing.add(pause)
    await once(socket, 'close', { signal }).catch(() => {})
    this.passing.delete(pause)
    return !cutter.signal.aborted
  }

  /** Cuts the delays that would not end within `patience` milliseconds, now and from now on. */
  close(patience: number) {
    this.deadline = performance.now() + patience
    for (const { end, cut } of this.passing) if (end > this.deadline) cut()
  }
}
