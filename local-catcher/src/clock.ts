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
export function pauses(clock: Clock) {
  const cuts = new Set<() => void>()
  let closed = false
  return {
    /** Waits, but no longer than the sender does; false when the catcher was closed before. */
    pass: (milliseconds: number, socket: Socket): Promise<boolean> =>
      // No signals: the time-out of one that is made of others may be collected as garbage before it
      // is over (https://github.com/nodejs/node/issues/54614).
      new Promise((resolve) => {
        const settle = (passed: boolean) => {
          cancel()
          socket.off('close', leave)
          cuts.delete(cut)
          resolve(passed)
        }
        const leave = () => settle(true)
        const cut = () => settle(false)
        const cancel = clock.after(milliseconds, leave)
        socket.on('close', leave)
        cuts.add(cut)
        if (closed) cut()
      }),
    /** Cuts the delays, now and from now on. */
    close() {
      closed = true
      for (const cut of cuts) cut()
    },
  }
}
