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

/** The delays before answers. */
export function pauses(clock: Clock) {
  const waiting = new Set<Socket>()
  let closed = false
  return {
    /** Waits, but no longer than the connection is there. */
    pass: (milliseconds: number, socket: Socket): Promise<void> =>
      // No signals: the time-out of one that is made of others may be collected as garbage before it
      // is over (https://github.com/nodejs/node/issues/54614).
      new Promise((resolve) => {
        const end = () => {
          cancel()
          socket.off('close', end)
          waiting.delete(socket)
          resolve()
        }
        const cancel = clock.after(milliseconds, end)
        socket.on('close', end)
        waiting.add(socket)
        if (closed) socket.destroy()
      }),
    /** Closes the connections that wait, now and from now on. */
    close() {
      closed = true
      for (const socket of waiting) socket.destroy()
    },
  }
}
