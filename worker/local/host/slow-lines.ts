/** Remembers which requests took long, so that they leave a reader to others. */

/** Requests that are remembered, those that were met last. */
const MOST_LINES = 500

export class SlowLines {
  readonly #lines = new Set<string>()

  has(line: string): boolean {
    return this.#lines.has(line)
  }

  /** @param isSlow whether the request took long this time */
  note(line: string, isSlow: boolean): void {
    this.#lines.delete(line)
    if (!isSlow) return
    this.#lines.add(line)
    const [oldest] = this.#lines
    if (this.#lines.size > MOST_LINES) this.#lines.delete(oldest!)
  }
}
