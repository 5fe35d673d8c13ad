// Time as a catcher measures it and waits for it. Tests replace the clock by one that they turn.

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
