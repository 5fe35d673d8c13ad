import type { Clock } from '../src/clock.js'

/** A clock that stands still until a test turns it. Its day begins at noon, UTC. */
export class TestClock implements Clock {
  private passed = 0
  private readonly timers = new Set<{ readonly due: number; readonly act: () => void }>()

  now() {
    return this.passed
  }

  date() {
    return new Date(Date.parse('2026-11-22T12:00:00Z') + this.passed)
  }

  after(milliseconds: number, act: () => void) {
    const timer = { due: this.passed + Math.max(0, milliseconds), act }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  /** How many timers wait for their time. */
  get waiting() {
    return this.timers.size
  }

  /** Turns the clock to the next timer that is due, if any is within so many milliseconds. */
  private next(most: number): boolean {
    const [first] = [...this.timers].sort((one, other) => one.due - other.due)
    if (!first || first.due > most) return false
    this.passed = Math.max(this.passed, first.due)
    this.timers.delete(first)
    first.act()
    return true
  }

  /** Lets milliseconds pass; timers act in their order, and what they began goes on in between. */
  async pass(milliseconds: number) {
    const end = this.passed + milliseconds
    while (this.next(end)) await turn()
    this.passed = end
  }

  /**
   * Lets time pass, from timer to timer, until something is settled; not while `isBusy` says that
   * something is on its way for which no time should pass.
   */
  async passUntil<Value>(settled: Promise<Value>, isBusy = () => false): Promise<Value> {
    let isOver = false
    const over = () => (isOver = true)
    settled.then(over, over)
    while (!isOver) {
      for (let turns = 0; turns < 4; turns++) await turn()
      if (!isBusy()) this.next(Infinity)
    }
    return settled
  }
}

/** Settles when everything that waits for its turn now has had it. */
const turn = () => new Promise((resolve) => setImmediate(resolve))
