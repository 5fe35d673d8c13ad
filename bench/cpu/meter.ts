/** Measures the CPU time of some work in this process, without the time for the database. */

export class Meter {
  #spent = 0
  #since = 0

  /** @returns milliseconds, including V8's background work */
  async time(work: () => Promise<void>): Promise<number> {
    this.#spent = 0
    this.#since = now()
    await work()
    return this.#spent + now() - this.#since
  }

  /** Does work that does not count. Several may run at the same time. */
  async without<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#stop()
    try {
      return await work()
    } finally {
      this.#goOn()
    }
  }

  #paused = 0

  #stop(): void {
    if (this.#paused++ === 0) this.#spent += now() - this.#since
  }

  #goOn(): void {
    if (--this.#paused === 0) this.#since = now()
  }
}

/** CPU time of this process so far, in ms. */
function now(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
