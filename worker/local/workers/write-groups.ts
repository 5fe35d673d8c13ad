/**
 * Lets the writes of requests under way happen at the same moment: the runtime then commits all of them by one sync of
 * the disk. Each is a separate transaction beforehand, so that none fails with another.
 */

/** How long a write waits for the requests that came with it. */
const LONGEST_WAIT_MS = 1

export class WriteGroups {
  /** Requests that may write. */
  #underWay = 0
  #waiting: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout> | null = null

  begin(): void {
    this.#underWay++
  }

  end(): void {
    this.#underWay--
    this.#release()
  }

  /** Resolves once all other requests under way wait as well, or have waited long enough. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#release()
      if (this.#waiting.length === 0) return
      this.#timer ??= setTimeout(() => this.#releaseAll(), LONGEST_WAIT_MS)
    })
  }

  #release(): void {
    if (this.#waiting.length > 0 && this.#waiting.length >= this.#underWay) this.#releaseAll()
  }

  #releaseAll(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const released = this.#waiting
    this.#waiting = []
    for (const resolve of released) resolve()
  }
}
