/** What the query editor is told, as JSON. */

export interface Completion {
  /** What of the query a choice replaces, in UTF-16 units. */
  readonly from: number
  readonly to: number
  readonly choices: readonly {
    readonly text: string
    readonly kind: 'entity' | 'field' | 'function' | 'keyword'
    readonly detail: string | null
  }[]
}

/** A query that is wrong, and where, in UTF-16 units; null where the place is unknown. */
export interface QueryProblem {
  readonly message: string
  readonly from: number | null
  readonly to: number | null
}
