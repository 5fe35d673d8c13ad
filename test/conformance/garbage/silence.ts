/** How long whoever asks has waited at a time, before anything came or in the midst of it. */

export class Silence {
  /** In ms. */
  longest = 0
  private since = performance.now()

  /** Something has come. */
  broken(): void {
    const now = performance.now()
    this.longest = Math.max(this.longest, now - this.since)
    this.since = now
  }
}
