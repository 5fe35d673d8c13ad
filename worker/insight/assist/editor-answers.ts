/** The answers that a query editor receives: completions and errors. Types only, because the console's browser code reads them too. */

export type ChoiceKind = 'entity' | 'field' | 'operator' | 'function' | 'keyword' | 'value'

export interface CompletionChoice {
  /** As the query contains it, including quotation marks. */
  readonly text: string
  readonly kind: ChoiceKind
  readonly detail: string | null
}

export interface Completion {
  /** The part of the query that a choice replaces, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** Values first, by name. */
  readonly choices: readonly CompletionChoice[]
  /** Whether more values begin with the written text. */
  readonly more: boolean
}

/** An error of a query and its position, in UTF-16 units; null where the position is unknown. */
export interface QueryProblem {
  readonly message: string
  readonly from: number | null
  readonly to: number | null
}
