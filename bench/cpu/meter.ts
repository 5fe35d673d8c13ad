/** CPU time that this process spends on some work, without what it spends on asking a database for it. */

export class Meter {
  #spent = 0
  #since = 0

  /** @returns milliseconds, with what V8 does beside the work */
  async time(work: () => Promise<void>): Promise<number> {
    this.#spent = 0
    this.#since = now()
    await work()
    return this.#spent + now() - this.#since
  }

  /** Does what is not counted. Such works may run beside each other. */
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
