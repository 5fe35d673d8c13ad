/** Finds work that grows faster than its input. */

/** Input lengths that are compared: eight times the input may cost about eight times the work; a quadratic loop costs 64 times. */
const TIMES_LONGER = 8
/** The noise of a shared machine, the logarithm of n log n, and caches that a longer input no longer fits into. */
const TOLERANCE = 3
/** Below this, a measurement says more about the machine than about the work, in microseconds. */
const LEAST = 20_000

/** Rounds after which work that still seems to grow does. */
const ROUNDS = 12

/**
 * How many times more CPU the work takes for an input of the given length than for one of an eighth of it, divided by
 * eight: about 1 where the work is linear, about 8 where it is quadratic. Time of the process's CPU, the least of three
 * rounds, so that other processes don't count; of up to twelve where compilation or a collection fell into these.
 */
export function growth(work: (length: number) => unknown, length: number): number {
  let [long, short] = [Infinity, Infinity]
  for (let round = 1; round <= ROUNDS; round += 1) {
    long = Math.min(
      long,
      cpuOf(() => work(length)),
    )
    short = Math.min(
      short,
      cpuOf(() => work(Math.floor(length / TIMES_LONGER))),
    )
    if (long < LEAST) return 1
    if (round >= FIRST_ROUNDS && ratio(long, short) < TOLERANCE) break
  }
  return ratio(long, short)
}

/** The most that growth of linear work measures. */
export const LINEAR = TOLERANCE

const FIRST_ROUNDS = 3

const ratio = (long: number, short: number): number =>
  long / Math.max(short, LEAST / TIMES_LONGER) / TIMES_LONGER

/** In microseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
