/** What an editor of queries is answered: completions, and what is wrong. Types only, as the console's browser code reads them too. */

export type ChoiceKind = 'entity' | 'field' | 'operator' | 'function' | 'keyword' | 'value'

export interface CompletionChoice {
  /** As it stands in the query, quotation marks included. */
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

/** What is wrong with a query, and where, in UTF-16 units; null where the place is unknown. */
export interface QueryProblem {
  readonly message: string
  readonly from: number | null
  readonly to: number | null
}
