/** The result of checking a page: how many rows were read, and which invariants they break. */

import type { History } from '../history/history.ts'

/** What is wrong where: number of an hour or a day since 1970, or id of a node, or name of an index. */
export interface Subject {
  readonly kind: 'hour' | 'day' | 'node' | 'index'
  readonly id: number | string
}

export interface Problem {
  /** The broken rule, as a sentence that should be true. */
  readonly invariant: string
  /** The row that breaks it, so that an operator can find it. */
  readonly where: string
  /** What can be computed again; absent where nothing can. */
  readonly mends?: Subject
}

/** The result of one page. */
export interface CheckedPage {
  readonly checked: number
  readonly problems: readonly Problem[]
  /** The position after the page, a whole number; null at the end. */
  readonly next: number | null
}

export interface CheckOptions {
  /** The history whose files are compared; null for none. */
  readonly history: History | null
  /** Whether to compute again what can be. */
  readonly repairs: boolean
}
