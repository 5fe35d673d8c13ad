/** The result of checking a page: how many rows were read, and which invariants they break. */

export interface Problem {
  /** The broken rule, as a sentence that should be true. */
  readonly invariant: string
  /** The row that breaks it, so that an operator can find it. */
  readonly where: string
}

/** The result of one page. */
export interface CheckedPage {
  readonly checked: number
  readonly problems: readonly Problem[]
  /** The position after the page, a whole number; null at the end. */
  readonly next: number | null
}
