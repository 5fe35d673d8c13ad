// Time as a catcher measures it and waits for it. Tests replace the clock by one that they turn.
import type { Socket } from 'node:net'

/** A clock, and the timers that follow it. */
export interface Clock {
  /** Milliseconds, as performance.now() counts them: they never go back. */
  now(): number
  /** The time of day. */
  date(): Date
  /** Calls `act` after so many milliseconds; gives the function that prevents it. */
  after(milliseconds: number, act: () => void): () => void
}

/** The clock of this machine. Its timers keep no process running. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** Settles after so many milliseconds of a clock. */
export const sleep = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => clock.after(milliseconds, resolve))

/** The delays before answers, which end early when the catcher is closed. */
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
