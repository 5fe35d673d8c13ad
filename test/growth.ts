/** Finds work that grows faster than its input. */

/** Input lengths that are compared: eight times the input may cost about eight times the work; a quadratic loop costs 64 times. */
const TIMES_LONGER = 8
/** The noise of a shared machine, the logarithm of n log n, and caches that a longer input no longer fits into. */
const TOLERANCE = 3
/** Below this, a measurement says more about the machine than about the work, in microseconds. */
const LEAST = 20_000

/**
 * How many times more CPU the work takes for an input of the given length than for one of an eighth of it, divided by
 * eight: about 1 where the work is linear, about 8 where it is quadratic. Time of the process's CPU, the least of
 * three: other processes don't count.
 */
export function growth(work: (length: number) => unknown, length: number): number {
  const long = cpuOf(() => work(length))
  if (long < LEAST) return 1
  const short = cpuOf(() => work(Math.floor(length / TIMES_LONGER)))
  return long / Math.max(short, LEAST / TIMES_LONGER) / TIMES_LONGER
}

/** The most that growth of linear work measures. */
export const LINEAR = TOLERANCE

function cpuOf(work: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return least
}
