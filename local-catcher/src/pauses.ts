// The delays before answers, which end early when the catcher is closed.
import type { Socket } from 'node:net'
import type { Clock } from './clock.js'

/** The delays that are passing. */
export class Pauses {
  private readonly passing = new Set<{ readonly end: number; cut(): void }>()
  /** Until when delays may pass, in the time of the clock. */
  private deadline = Infinity

  constructor(private readonly clock: Clock) {}

  /** Waits, but no longer than the sender does; false when the catcher was closed before. */
  pass(milliseconds: number, socket: Socket): Promise<boolean> {
    const end = this.clock.now() + milliseconds
    if (end > this.deadline) return Promise.resolve(false)
    // No signals: the time-out of one that is made of others may be collected as garbage before it
    // is over (https://github.com/nodejs/node/issues/54614).
    return new Promise((resolve) => {
      const settle = (passed: boolean) => {
        cancel()
        socket.off('close', leave)
        this.passing.delete(pause)
        resolve(passed)
      }
      const leave = () => settle(true)
      const pause = { end, cut: () => settle(false) }
      const cancel = this.clock.after(milliseconds, () => settle(true))
      socket.on('close', leave)
      this.passing.add(pause)
    })
  }

  /** Cuts the delays that would not end within `patience` milliseconds, now and from now on. */
  close(patience: number) {
    this.deadline = this.clock.now() + patience
    for (const { end, cut } of this.passing) if (end > this.deadline) cut()
  }
}
