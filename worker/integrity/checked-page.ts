/** What a page of the check answers: how many rows it looked at, and which invariants they break. */

export interface Problem {
  /** The rule that it breaks, as a sentence of what should be. */
  readonly invariant: string
  /** What breaks it, so that it can be found. */
  readonly where: string
}

/** What one page of a check found. */
export interface CheckedPage {
  readonly checked: number
  readonly problems: readonly Problem[]
  /** The position behind the page, a whole number; null at the end. */
  readonly next: number | null
}
