// The delays before answers, which end early when the catcher is closed.
import type { Socket } from 'node:net'
import type { Clock } from './clock.js'

/** The delays that are passing. */
export class Pauses {
  private readonly cuts = new Set<() => void>()
  private closed = false

  constructor(private readonly clock: Clock) {}

  /** Waits, but no longer than the sender does; false when the catcher was closed before. */
  pass(milliseconds: number, socket: Socket): Promise<boolean> {
    if (this.closed) return Promise.resolve(false)
    // No signals: the time-out of one that is made of others may be collected as garbage before it
    // is over (https://github.com/nodejs/node/issues/54614).
    return new Promise((resolve) => {
      const settle = (passed: boolean) => {
        cancel()
        socket.off('close', leave)
        this.cuts.delete(cut)
        resolve(passed)
      }
      const leave = () => settle(true)
      const cut = () => settle(false)
      const cancel = this.clock.after(milliseconds, leave)
      socket.on('close', leave)
      this.cuts.add(cut)
    })
  }

  /** Cuts the delays, now and from now on. */
  close() {
    this.closed = true
    for (const cut of this.cuts) cut()
  }
}
